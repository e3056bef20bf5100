// What explicit and implicit straight-line steps share: the rule, the end of a step, energies and ledger.
#pragma once

#include "integrators/carried_momentum.hpp"
#include "integrators/straight_line.hpp"
#include "integrators/straight_line_equation.hpp"
#include "integrators/straight_line_forces.hpp"

namespace livens {

// -D3 Ld = sum_i w_i [ L_v.v - L ](i) of the step of length h from q0 at t0 to q1.
double discrete_energy(const QuadratureRule& rule, const Model& model, double t0, double h, ConstVector q0,
                       ConstVector q1);
// Truncation of the modified energy, for rules where it is known.
std::optional<double> modified_energy(const QuadratureRule& rule, const Model& model, const State& state, double h);

// What a step books besides forces: impulses of terms that are not invariant under rigid motions, and work that enters
// because W or L depends on time.
class StraightLineLedger {
 public:
  explicit StraightLineLedger(const Model& model);
  bool any() const { return external_ || in_time_ || carried_.any(); }  // whether there is anything to book
  void book(const QuadratureRule& rule, const Model& model, const StraightStep& step, ConstVector v, ConstVector q1,
            Ledger& ledger);

 private:
  void book_external(double w, double t, const Model& model, ConstVector point, double h, Ledger& ledger);
  void book_carried(const QuadratureRule& rule, const Model& model, const StraightStep& step, ConstVector v,
                    Ledger& ledger);

  bool external_, in_time_;
  std::vector<double> point_, impulse_;
  CarriedMomentum carried_;
};

constexpr int small_system = 16;  // unknowns, of which many steps are taken at once

class StraightLineStepper : public Stepper {
 public:
  StraightLineStepper(QuadratureRule rule, SolvePath path, const Model& model);

  SolvePath solve_path() const override { return path_; }
  std::optional<double> discrete_energy(const Model& model, const State& state) override;
  bool discrete_energies(const StepBlock& block, ConstVector W, Vector out) override;
  std::optional<double> modified_energy(const Model& model, const State& state, double h) override {
    return livens::modified_energy(rule_, model, state, h);
  }
  void visit_memory(MemoryVisitor& visitor) override;

 protected:
  void begin_step(const State& state, double h) { step_ = {state.t, h, state.q, state.p}; }
  static void record(const State& state, long step, const StepTrace& trace);
  static void record(const Ledger& ledger, long step, const StepTrace& trace);

  QuadratureRule rule_;
  SolvePath path_;
  StraightStep step_;           // the step in hand
  std::vector<double> v_, q1_;  // its velocity and its end; swapped with the state when it is done
  StraightLineLedger ledger_;
  StraightLineEquation::StepBefore before_;  // implicit steps only
};

// Explicit, without forces, with a diagonal mass: two passes over memory besides the force.
std::unique_ptr<Stepper> make_fused_straight_line(QuadratureRule rule, const Model& model);

}  // namespace livens
