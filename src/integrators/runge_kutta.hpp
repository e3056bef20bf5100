// Explicit Runge-Kutta methods on Hamilton's equations q' = v(q, p), p' = dL/dq + f, for comparison: they are not
// variational. One class, a tableau each.
#pragma once

#include <vector>

#include <livens/stepper.hpp>

#include "model/legendre.hpp"

namespace livens {

struct Tableau {
  std::vector<std::vector<double>> a;  // rows of the stages
  std::vector<double> b, c;
  std::vector<double> error;  // b - b_embedded; empty without error estimate
};

class RungeKuttaStepper : public Stepper {
 public:
  RungeKuttaStepper(Tableau tableau, const Model& model);
  // Only the Legendre transform of a Lagrangian that is not separable is solved for.
  SolvePath solve_path() const override { return path_; }
  StepReport step(const Model& model, State& state, double h, StepContext context) override;

 protected:
  // Fills the stages and q1_, p1_, v1_; false if something is not finite.
  bool attempt(const Model& model, const State& state, double h, Counters& counters);
  void book(const Model& model, const State& state, double h, Ledger& ledger);
  void accept(State& state);

  Tableau tableau_;
  SolvePath path_;
  Legendre legendre_;
  std::vector<std::vector<double>> stage_q_, stage_v_, stage_dp_;
  std::vector<double> q1_, p1_, v1_, p_stage_, by_v_, impulse_;

 private:
  bool evaluate(const Model& model, double t, std::size_t stage, Counters& counters);
};

}  // namespace livens
