// Constraints as potentials, W = k/2 |g|^2.
#pragma once

#include <memory>

#include "constraints/bilinear.hpp"

namespace livens {

// What stands for a constraint in the model. Constraints add no other terms.
class PenaltyTerm : public EnergyTerm {
 public:
  PenaltyTerm(std::shared_ptr<const Constraint> constraint, double stiffness)
      : EnergyTerm(constraint->name()), constraint_(std::move(constraint)), stiffness_(stiffness) {}
  const std::shared_ptr<const Constraint>& constraint() const { return constraint_; }
  double stiffness() const { return stiffness_; }

 private:
  std::shared_ptr<const Constraint> constraint_;
  double stiffness_;
};

std::shared_ptr<const PenaltyTerm> make_penalty(std::shared_ptr<const Constraint> constraint, double stiffness);

// W = k/2 |a x b|^2 of two vectors: the penalty of three points in line, which the constraint says, too. Its discrete
// derivative is taken in the invariants a.a, b.b, a.b, of which it is a quadratic function, so that it keeps energy and
// all momenta.
std::shared_ptr<const PenaltyTerm> make_alignment_penalty(std::shared_ptr<const Constraint> constraint, AffinePoint a,
                                                          AffinePoint b, double stiffness);

// The damping of K06 5.2 of a penalty, -c (dg/dq)' dg/dt with c = damping_time k, which is the one of D. Baraff and
// A. Witkin, Large steps in cloth simulation (1998). For constraints that do not depend on time. keeps: as the
// constraint does, but rotations only if these do not change g at all (distances and angles, not differences of
// points).
std::shared_ptr<const Force> make_penalty_damping(std::shared_ptr<const Constraint> constraint, double c,
                                                  Invariance keeps);

}  // namespace livens
