// The integrator around a stepper: it keeps the clock, repeats failed steps if asked, and advances to a time.
#pragma once

#include <livens/stepper.hpp>

#include "integrators/step_control.hpp"

namespace livens {

// The step as the user gave it: a number, or a function of time.
class StepSize {
 public:
  StepSize(double value) : value_(value) {}
  StepSize(std::function<double(double t)> function) : function_(std::move(function)) {}
  explicit StepSize(const Settings& settings);
  double at(double t) const { return function_ ? function_(t) : value_; }
  bool constant() const { return !function_; }

 private:
  double value_ = 0;
  std::function<double(double t)> function_;
};

class SteppingIntegrator final : public Integrator {
 public:
  // control: chooses the steps after the first; null: they are those of `step`.
  SteppingIntegrator(std::unique_ptr<Stepper> stepper, StepSize step, const SolverOptions& solver, const Model& model,
                     std::unique_ptr<StepControl> control = nullptr);

  StepReport advance(const Model& model, State& state, double t_end, const OnStep& on_step) override {
    return advance(model, state, t_end, on_step, nullptr);
  }
  StepReport advance_by_blocks(const Model& model, State& state, double t_end, const OnStep& on_step,
                               BlockLook& look) override {
    return advance(model, state, t_end, on_step, &look);
  }
  SolvePath solve_path() const override { return stepper_->solve_path(); }
  std::optional<double> discrete_energy(const Model& model, const State& state) override {
    return stepper_->discrete_energy(model, state);
  }
  bool discrete_energies(const StepBlock& block, ConstVector W, Vector out) override {
    return stepper_->discrete_energies(block, W, out);
  }
  std::optional<double> modified_energy(const Model& model, const State& state) override;
  std::vector<std::pair<std::string, long>> events() const override { return stepper_->events(); }
  std::vector<std::string> warnings() const override;
  void visit_memory(MemoryVisitor& visitor) override;

  // The map of one step of the state, t included, for those who measure it: h may be negative, the clock stays.
  std::optional<StepReport> apply_step(const Model& model, State& state, double h) override;

 private:
  StepReport advance(const Model& model, State& state, double t_end, const OnStep& on_step, BlockLook* look);
  StepReport take_step(const Model& model, State& state, double h, StepContext context);
  StepReport move_by_step(const Model& model, State& state, double h, StepContext context);
  StepReport step_with_retries(const Model& model, State& state, double h, StepContext context);
  // Takes up to `most` steps at once, but not the last one before `end`; false if the stepper has no shorter way, or
  // who looks wants them one by one.
  bool take_many(const Model& model, State& state, double h, double end, long most, BlockLook* look);
  StepTrace begin_block(const State& state, std::size_t count);
  bool shown(const Model& model, State& state, double h, long taken, BlockLook& look);
  void set_clock(double t);
  void tick(State& state, double h);
  double next_time(double h) const;
  bool equal_steps() const { return step_.constant() && !control_ && !stepper_->next_step(); }
  double next_step(const Model& model, const State& state);
  StepReport no_step(double h, double t) const;
  void count_steps(long count, double h);

  std::unique_ptr<Stepper> stepper_;
  StepSize step_;
  std::unique_ptr<StepControl> control_;
  int retry_halvings_;
  Ledger ledger_before_;  // the step that is being taken
  struct {
    State start;
    Ledger ledger;
    Counters counters;
    std::vector<double> t, q, p, booked;
    std::vector<int> iterations;
  } block_;  // the steps that are being taken
  // Constant steps: t = origin + count * h, so that a million steps do not accumulate rounding.
  double clock_origin_ = 0, clock_time_ = 0;
  long clock_count_ = 0;
  double last_step_ = 0;
};

}  // namespace livens
