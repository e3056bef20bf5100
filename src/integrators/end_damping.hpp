// The velocity that linear dampings f = -C(t, q) v leave behind when they act at the end of a step with that velocity
// itself:
//
//   M v = p - s C(t, q) v,   min 1/2 v'Mv + s/2 v'Cv - p.v
//
// They take 1/2 p'M^-1 p - 1/2 v'Mv, which is never negative, however stiff they are.
#pragma once

#include <vector>

#include <livens/model.hpp>

#include "solve/newton.hpp"

namespace livens {

class EndDamping final : private MinimumProblem {
 public:
  // forces: their numbers in the model.
  EndDamping(const Model& model, std::vector<std::size_t> forces, const SolverOptions& options);

  const std::vector<std::size_t>& forces() const { return forces_; }
  // v: M^-1 p on entry. s > 0, in s.
  const SolveResult& solve(const Model& model, double t, ConstVector q, ConstVector p, double s, Vector v);

 private:
  bool residual(ConstVector v, Vector r, double& scale) override;
  bool evaluate(ConstVector v, Vector r, double& scale, double& objective) override;
  void jacobian(ConstVector v, Vector values) override;
  bool symmetric() const override { return true; }
  void add_metric(double scale, Vector values) override;

  std::vector<std::size_t> forces_;
  SolverOptions options_;
  NewtonSolver newton_;
  std::vector<double> impulse_;

  // The end in hand.
  const Model* model_ = nullptr;
  double t_ = 0, s_ = 0;
  ConstVector q_, p_;
};

}  // namespace livens
