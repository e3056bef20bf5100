// An integrator of your own: derive from Stepper, write the map of one step, and hand it to make_integrator, which puts
// the clock, the retries of failed steps, the counters and the ledger around it.
//
//   class Leapfrog final : public livens::Stepper {
//    public:
//     livens::StepReport step(const livens::Model& model, livens::State& state, double h,
//                             livens::StepContext context) override;
//   };
//   auto integrator = livens::make_integrator(std::make_unique<Leapfrog>(), 0.01, {}, model);
//   integrator->advance(model, state, 10);
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <livens/integrator.hpp>
#include <livens/registry.hpp>

namespace livens {

// What the integrator around a step gives to it.
struct StepContext {
  Ledger& ledger;      // to book what forces, loads and supports did: book_point, or book_force and book_impulse
  Counters& counters;  // to count evaluations of forces and the work of solves; steps are counted outside
  // Both allow a step to do less work and may be ignored.
  bool need_velocity = true;  // state.v is read after this step; if false, it may be left as it is
  bool fuse_next = false;     // a step of the same length follows at once, from the state that this one leaves
};

// Room for what each of many steps led to, one after the other; null where nobody asks.
struct StepTrace {
  double *q = nullptr, *p = nullptr;
  double* booked = nullptr;  // the ledger's energy_out, then its symmetry_impulse
  int* iterations = nullptr;
};

// The map of one step, (q, p) at t -> (q, p) at t + h. It belongs to the model that it was made for.
class Stepper {
 public:
  virtual ~Stepper() = default;

  // Moves q, p and v of the state over h; t stays, it is the clock's. h may be negative: the laws step backwards.
  // p is what counts, v must be its velocity, model.velocity(). The report of a step that succeeded has `h`, the step
  // taken; that of a failure has converged = false, code, message and advice, and the state is as before.
  virtual StepReport step(const Model& model, State& state, double h, StepContext context) = 0;

  // Up to `count` of these steps in one call, with the bits of as many calls of step(): where the mechanics is a few
  // numbers, what is around a step costs more than the step. Nobody looks in between, and state.v need not be touched.
  // Returns how many it has taken, with the state after them; 0 if it has no shorter way. A step that fails is left to
  // step(). What the trace has room for is written, but what stays as it was: `booked` where the ledger does, and 0
  // iterations.
  virtual long steps(const Model&, State&, double /*h*/, long /*count*/, StepContext, const StepTrace&) { return 0; }

  // Called when an advance begins and before a failed step is tried again: forget what was derived from a state that
  // may have been edited since. What must outlive that compares the state with the one it was left with.
  virtual void begin() {}

  // How step() finds its end for this model and its solver.
  virtual SolvePath solve_path() const { return {}; }

  // Methods that choose their step give the next one here; the step of the settings is then the first one only.
  virtual std::optional<double> next_step() const { return std::nullopt; }

  // See Integrator; h: the last step.
  virtual std::optional<double> discrete_energy(const Model&, const State&) { return std::nullopt; }
  virtual bool discrete_energies(const StepBlock&, ConstVector /*W*/, Vector) { return false; }
  virtual std::optional<double> modified_energy(const Model&, const State&, double /*h*/) { return std::nullopt; }

  // Named counts for summary and report.
  virtual std::vector<std::pair<std::string, long>> events() const { return {}; }

  // Every number that outlives a step, so that a run resumes from a checkpoint with the same bits.
  virtual void visit_memory(MemoryVisitor&) {}
};

// The report of a step that led to numbers that are not finite; t: where it began.
StepReport failed_not_finite(double t, double h);

// Steps of one length: t = origin + count * step, so that a million steps do not accumulate rounding.
std::unique_ptr<Integrator> make_integrator(std::unique_ptr<Stepper> stepper, double step, const SolverOptions& solver,
                                            const Model& model);
// Steps as a function of the time at which they begin.
std::unique_ptr<Integrator> make_integrator(std::unique_ptr<Stepper> stepper, std::function<double(double t)> step,
                                            const SolverOptions& solver, const Model& model);

// For records: the parameter `step`, a number or an expression in t, and the integrator with the step of the settings.
Parameter step_parameter();
std::unique_ptr<Integrator> make_integrator(std::unique_ptr<Stepper> stepper, const Settings& settings,
                                            const SolverOptions& solver, const Model& model);

}  // namespace livens
