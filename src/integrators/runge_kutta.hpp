// Explicit Runge-Kutta methods on Hamilton's equations q' = v(q, p), p' = dL/dq + f, for comparison: they are not
// variational. One class, a tableau each.
//
// With constraints p' = dL/dq + f - G'lambda, lambda from the second derivative of g = 0 (index 1): what is integrated
// is d2g/dt2 = 0, so that errors of g grow with t and t^2, unless every step is followed by a projection of q and p.
#pragma once

#include <memory>
#include <vector>

#include <livens/stepper.hpp>

#include "integrators/carried_momentum.hpp"
#include "model/legendre.hpp"
#include "model/projection.hpp"

namespace livens {

struct Tableau {
  std::vector<std::vector<double>> a;  // rows of the stages
  std::vector<double> b, c;
  std::vector<double> error;  // b - b_embedded; empty without error estimate
};

class RungeKuttaStepper : public Stepper {
 public:
  // project: positions and velocities onto the constraints after each step.
  RungeKuttaStepper(Tableau tableau, const Model& model, bool project = false);
  // Only the Legendre transform of a Lagrangian that is not separable is solved for.
  SolvePath solve_path() const override { return path_; }
  StepReport step(const Model& model, State& state, double h, StepContext context) override;

 protected:
  // Fills the stages and q1_, p1_, v1_; false if something is not finite.
  bool attempt(const Model& model, const State& state, double h, Counters& counters);
  void book(const Model& model, const State& state, double h, Ledger& ledger);
  void accept(State& state);
  // Projects q1_, p1_ and v1_ if asked to; false if the projection fails.
  bool project_end(const Model& model, double t1, Ledger& ledger);

  Tableau tableau_;
  SolvePath path_;
  Legendre legendre_;
  CarriedMomentum carried_;
  std::vector<std::vector<double>> stage_q_, stage_v_, stage_dp_;
  std::vector<double> q1_, p1_, v1_, p_stage_, by_v_, impulse_;

 private:
  bool add_reactions(const Model& model, double t, std::size_t stage);
  bool evaluate(const Model& model, double t, std::size_t stage, Counters& counters);

  bool project_;
  std::unique_ptr<Projection> projection_;         // with constraints
  std::vector<std::vector<double>> stage_lambda_;  // multipliers
  State at_stage_;
};

}  // namespace livens
