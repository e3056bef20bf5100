// A variational step whose length is varied: with Ld = h L(t0 + a h, (1 - a) q0 + a q1, (q1 - q0)/h) it has an energy
// at each of its ends [L04 6.1],
//
//   E_start =  dLd/dt0 = E - (1 - a) h P,    E_end = -dLd/dt1 = E + a h P,
//
// E = v.L_v - L and P = -dL/dt at its point. L04 (85) is E_start of a step = E_end of the step before.
#pragma once

#include <memory>

#include <livens/stepper.hpp>

namespace livens {

class VariedStep {
 public:
  struct Energy {
    double value = 0, slope = 0;  // E_start(h) and its derivative; not finite where there is no step
  };
  // What a step that was taken leaves.
  struct Taken {
    double energy = 0;  // E_start
    double work = 0;    // E_end - E_start = h P
    double rate = 0;    // has the sign of what a longer step would have added to E_start: that of (2a - 1) dW/dt
  };

  virtual ~VariedStep() = default;
  virtual SolvePath solve_path() const { return {}; }

  // The state from which steps of any length are asked for until one is taken; returns 1/2 p.v there.
  virtual double begin(const Model& model, const State& state, Counters& counters) = 0;
  virtual Energy energy(double h) = 0;
  // What E_start is uncertain by, besides rounding of its summands.
  virtual double rounding(double /*h*/) const { return 0; }
  // Takes a step from that state; a failure leaves it as it is.
  virtual StepReport take(const Model& model, State& state, double h, StepContext context, Taken& taken) = 0;
  virtual void visit_memory(MemoryVisitor&) {}
};

// a = 1 and L = 1/2 v'Mv - W(t, q): p0 = M v is known before the step is, and E_start is a function along a straight
// line. Otherwise each length is a solve of a straight-line step.
std::unique_ptr<VariedStep> make_varied_step(double a, const SolverOptions& solver, const Model& model);

}  // namespace livens
