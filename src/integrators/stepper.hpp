// A stepper is the map of one step; the integrator around it keeps the clock, repeats failed steps if asked, and
// advances to a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <livens/integrator.hpp>
#include <livens/scene.hpp>

#include "math/expression.hpp"

namespace livens {

// Where a step books its work, its energy and its impulses, and what it may leave undone.
struct Books {
  Ledger& ledger;
  Counters& counters;
  bool seen = true;    // somebody looks at the state after this step; if not, v may be left behind
  bool ahead = false;  // a step of the same length follows: its drift may be made in the same pass over memory
};

class Stepper {
 public:
  virtual ~Stepper() = default;
  // Moves q, p, v (not t) of the state over h; on failure the state is as before. report.h is the step taken.
  virtual StepReport step(const Model& model, State& state, double h, Books books) = 0;
  // Called when an advance begins: forget what was derived from a state that may have been edited since.
  virtual void begin() {}
  // Methods that choose their step give it here; others return nothing.
  virtual std::optional<double> next_step() const { return std::nullopt; }
  virtual std::optional<double> discrete_energy(const Model&, const State&) { return std::nullopt; }
  virtual std::optional<double> modified_energy(const Model&, const State&, double /*h*/) { return std::nullopt; }
  virtual std::vector<std::pair<std::string, long>> events() const { return {}; }
  virtual void visit_memory(MemoryVisitor&) {}
};

// The step as the user gave it: a number, or a function of time.
class StepSize {
 public:
  explicit StepSize(const Settings& settings, const std::string& key = "step");
  explicit StepSize(double value) : value_(value) {}
  double at(double t) const;
  bool constant() const { return !function_; }

 private:
  double value_ = 0;
  std::shared_ptr<const Expression> function_;
};

class SteppingIntegrator final : public Integrator {
 public:
  SteppingIntegrator(std::unique_ptr<Stepper> stepper, StepSize step, const SolverOptions& solver, const Model& model);

  StepReport advance(const Model& model, State& state, double t_end, const OnStep& on_step) override;
  std::optional<StepReport> apply_step(const Model& model, State& state, double h) override;
  std::optional<double> discrete_energy(const Model& model, const State& state) override {
    return stepper_->discrete_energy(model, state);
  }
  std::optional<double> modified_energy(const Model& model, const State& state) override;
  std::vector<std::pair<std::string, long>> events() const override { return stepper_->events(); }
  void visit_memory(MemoryVisitor& visitor) override;

 private:
  StepReport take_step(const Model& model, State& state, double h, Books books);
  StepReport step_with_retries(const Model& model, State& state, double h, bool seen, bool ahead);
  double next_time(double h) const;
  void tick(State& state, double h);

  std::unique_ptr<Stepper> stepper_;
  StepSize step_;
  int retry_halvings_;
  // Constant steps: t = origin + count * h, so that a million steps do not accumulate rounding.
  double clock_origin_ = 0, clock_time_ = 0;
  long clock_count_ = 0;
  double last_step_ = 0;
};

// The common parameter of methods with a step, and the factory of those without parameters of their own.
Parameter step_parameter();
std::unique_ptr<Integrator> make_stepping(std::unique_ptr<Stepper> stepper, const Settings& settings,
                                          const SolverOptions& solver, const Model& model);

}  // namespace livens
