// The equations of a step whose path is filtered, with what holds the bodies in the unknowns:
//
// Supports move as given, but not at once: the way to where they are at the end of the step must be free, too. Their
// displacements are unknowns with the equations c (z_i - given_i) = 0, c = 2 m/h with the largest mass m.
//
// Multipliers L = s y, and constraints s g = 0, are in the units of the equations of motion: s = sqrt(c / C A^-1 C'), A
// the mass over h/2. A share e of the constraints' own compliance makes the matrix regular where they are redundant
// (solve/saddle_solver.hpp).
#pragma once

#include <vector>

#include <livens/model.hpp>

#include "model/saddle_system.hpp"
#include "solve/problem.hpp"

namespace livens {

// What a step with contact solves: r(z) = 0, of which jacobian() has everything but the contacts, on the pattern of the
// model, or of the constraints.
class ContactEquation : public RootProblem {
 public:
  // The same in its general form, where jacobian() is only the symmetric part.
  virtual void general_jacobian(ConstVector z, Vector values) = 0;
};

class HeldEquations final : public ContactEquation {
 public:
  HeldEquations() = default;
  // system: of the constraints; null without. gradual: they are redundant (SaddleSolver::Regularise).
  HeldEquations(const Model& model, const SaddleSystem* system);

  // A step from q0 begins; z: of the supports, what they do.
  void begin(const Model& model, double t0, double h, ConstVector q0, ConstVector z);
  // A solve of these equations begins: x, with multipliers, is in the units of this class until release().
  void hold(ContactEquation& equation, bool gradual, Vector x);
  void release(Vector x) const;
  void scale(Vector x) const;  // into the units of this class

  const SparsePattern& pattern() const { return *pattern_; }
  std::size_t unknowns() const { return static_cast<std::size_t>(pattern_->n); }
  // r' M^-1 r, as far as M is diagonal.
  double square(ConstVector r) const;
  // r.d of the motion: along the constraints, that of the reduced equations.
  double slope(ConstVector r, ConstVector d) const;

  bool residual(ConstVector x, Vector r, double& scale) override;
  void jacobian(ConstVector x, Vector values) override;
  void general_jacobian(ConstVector x, Vector values) override;
  bool symmetric() const override { return equation_->symmetric(); }
  double size_of_unknowns(ConstVector x) const override { return equation_->size_of_unknowns(x); }

 private:
  ConstVector unscaled(ConstVector x);
  void finish_jacobian(Vector values) const;

  const Model* model_ = nullptr;
  const SaddleSystem* system_ = nullptr;
  const SparsePattern* pattern_ = nullptr;
  ContactEquation* equation_ = nullptr;
  std::size_t n_ = 0;
  double heaviest_ = 0, stiffness_ = 0;  // m, c
  bool gradual_ = false;
  double merit_ = 0;            // of the last residual
  std::vector<int> supported_;  // coordinates
  std::vector<double> given_;   // of them
  std::vector<double> scale_;   // s
  std::vector<double> x_, values_;
};

}  // namespace livens
