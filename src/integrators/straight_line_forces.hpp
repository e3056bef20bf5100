// Non-conservative forces in a straight-line step: F- acts at q0, F+ at q1, with the velocity v of the step, or F+ with
// the velocity that it leaves; which share of h f each has is the placement of the force (see Placement). Of a
// StepEnergy W, all of it is -dW/dq1(q0, q1).
//
// Half of a damping C before and half after a midpoint step with the same v is Cayley's map: momenta at the ends are
// (M - h/2 C) v, without bound. All of it before leaves half a kick of the elastic forces in p1 that no damping has
// met: in a mode with k = h^2 omega^2, c = h kD omega^2 the energy may grow by about c^2 k / (4 (c + k/4)^2) in a step.
// With the velocity that it leaves at the end, no step adds energy to a linear mode, whatever k and c are.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <livens/ledger.hpp>
#include <livens/state.hpp>
#include <livens/stepper.hpp>

#include "integrators/end_damping.hpp"
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
  StraightLineForces(const Model& model, bool explicit_rule, const SolverOptions& solver);

  bool any() const { return !placements_.empty(); }

  // The step in hand: its start is the rest shape of step energies.
  void begin(const Model& model, const StraightStep& step);

  // A symmetric F- = h/2 f(q0, v) keeps the step explicit only if it does not depend on v or is a constant diagonal
  // drag, which is added to `drag`.
  bool stay_explicit(const Model& model, Vector drag) const;
  // Why F- has no potential in v; empty if it has one.
  std::string no_potential(const Model& model) const;

  // impulse = F- at v, q1 = q0 + h v. If asked for, `potential` gets what F- adds to the incremental potential over h:
  // -F-.v / 2 for F- = -C v, -F-.v for a force that does not depend on v, W/h of a step energy, otherwise h R(v) or its
  // share, R being Rayleigh's function.
  void start_impulse(const Model& model, const StraightStep& step, ConstVector v, ConstVector q1, Vector impulse,
                     double* potential) const;
  // values -= dF-/dv
  void subtract_start_jacobian(const Model& model, const StraightStep& step, ConstVector v, ConstVector q1, bool convex,
                               Vector values) const;
  // The part of F- that does not depend on v.
  void constant_start_impulse(const Model& model, const StraightStep& step, ConstVector v, Vector impulse) const;

  // p1 += F- + F+, v being the velocity of the step and v0 that at its start; the energy of each force is booked at the
  // instant it acts. False if the velocity that dampings leave was not found.
  bool act(const Model& model, const StraightStep& step, ConstVector v0, ConstVector v, ConstVector q1, Vector p1,
           StepContext context);

 private:
  double start_share(std::size_t force) const;  // of the whole impulse: F-
  double end_share(std::size_t force) const;    // F+
  // impulse += share of the whole impulse at (t, q), or of that of the step's strain at q1; returns the step energy.
  double add_impulse(const Model& model, const StraightStep& step, std::size_t force, double t, ConstVector q,
                     ConstVector v, ConstVector q1, double share, Vector impulse) const;
  void act(const Model& model, const StraightStep& step, std::size_t force, double t, ConstVector q, ConstVector v,
           ConstVector q1, double share, Vector p, Ledger& ledger);
  // Dampings with the velocity that they leave; false if that was not found.
  bool act_implicitly(const Model& model, const StraightStep& step, ConstVector v, ConstVector q1, Vector p1,
                      StepContext context);
  void act_at_start(const Model& model, const StraightStep& step, std::size_t force, ConstVector v, ConstVector q1,
                    Vector p, Ledger& ledger);

  std::vector<Placement> placements_;
  std::vector<std::unique_ptr<StepEnergy>> step_energies_;  // of each force; null: it has none
  std::unique_ptr<EndDamping> end_damping_;
  Legendre legendre_;
  std::vector<double> impulse_, p_at_start_, momentum_, v_before_, v_after_, v_end_;
};

}  // namespace livens
