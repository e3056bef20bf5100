// Non-conservative forces in a straight-line step: F- acts at q0, F+ at q1, both with the velocity v of the
// step; which share of h f each has is the placement of the force (see Placement).
#pragma once

#include <string>
#include <vector>

#include <livens/ledger.hpp>
#include <livens/state.hpp>

#include "model/legendre.hpp"

namespace livens {

// The step in hand. q0 and p0 are views of the state.
struct StraightStep {
  double t0 = 0, h = 0;
  ConstVector q0, p0;
};

class StraightLineForces {
 public:
  // explicit_rule: the rule would be explicit without forces; then some forces lag behind.
  StraightLineForces(const Model& model, bool explicit_rule);

  bool any() const { return !placements_.empty(); }
  Placement placement(std::size_t force) const { return placements_[force]; }

  // A symmetric F- = h/2 f(q0, v) keeps the step explicit only if it does not depend on v or is a constant diagonal
  // drag, which is added to `drag`.
  bool stay_explicit(const Model& model, Vector drag) const;
  // Why F- has no potential in v; empty if it has one.
  std::string no_potential(const Model& model) const;

  // impulse = F- at v, q1 = q0 + h v. If asked for, `potential` gets what F- adds to the incremental potential: -F-.v /
  // 2 for F- = -C v, -F-.v for a force that does not depend on v.
  void start_impulse(const Model& model, const StraightStep& step, ConstVector v, ConstVector q1, Vector impulse,
                     double* potential) const;
  // The part of F- that does not depend on v.
  void constant_start_impulse(const Model& model, const StraightStep& step, ConstVector v, Vector impulse) const;

  // p1 += F- + F+, v being the velocity of the step and v0 that at its start; the energy of each force is booked at the
  // instant it acts.
  void act(const Model& model, const StraightStep& step, ConstVector v0, ConstVector v, ConstVector q1, Vector p1,
           Ledger& ledger);

 private:
  void act(const Model& model, std::size_t force, double t, ConstVector q_force, ConstVector q_at, ConstVector v,
           double scale, Vector p, Ledger& ledger);

  std::vector<Placement> placements_;
  Legendre legendre_;
  std::vector<double> impulse_, p_at_start_, v_before_, v_after_;
};

}  // namespace livens
