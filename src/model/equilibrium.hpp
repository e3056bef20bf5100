// Equilibrium as a minimum: min_q W(t, q) - c.q, with the supports where they are at t.
#pragma once

#include <vector>

#include <livens/model.hpp>

#include "model/linearisation.hpp"
#include "solve/newton.hpp"

namespace livens {

// The matrix has the pattern of the linearisation, which may be that of another model with equal terms and supports.
class EquilibriumProblem final : public MinimumProblem {
 public:
  explicit EquilibriumProblem(const Linearisation& linearisation) : linearisation_(linearisation) {}

  // What the next solve is about; the correction c may be empty.
  void set(const Model& model, double t, ConstVector correction = {});

  bool residual(ConstVector q, Vector r, double& scale) override;
  // The scale is the largest sum of absolute forces on a coordinate, supports included: where stress and load cancel,
  // or all load comes through the supports, the gradient itself says nothing about the size of the forces.
  bool evaluate(ConstVector q, Vector r, double& scale, double& objective) override;
  void jacobian(ConstVector q, Vector values) override;
  bool convex_jacobian(ConstVector q, Vector values) override;
  // The mass, scaled to the stiffness: sum of both diagonals alike.
  void add_metric(double scale, Vector values) override;
  bool symmetric() const override { return true; }
  ConstVector places() const override { return places_; }

  // Rows of supports are empty without a mass: ones on the diagonal.
  void keep_supports(Vector values) const;

 private:
  const Linearisation& linearisation_;
  const Model* model_ = nullptr;
  double t_ = 0, scale_ = 0;
  ConstVector correction_;
  std::vector<double> sizes_, force_, places_;
};

}  // namespace livens
