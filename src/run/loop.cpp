// The core loop: a setup has a model, an integrator advances its state, observers write what they see.
#include <algorithm>
#include <optional>

#include <tbb/global_control.h>

#include <livens/run.hpp>

#include "run/session.hpp"
#include "solve/stop_request.hpp"

namespace livens {
namespace {

constexpr double least_part = 1e-9;  // of a run, if no observer asks for a time

bool show(const Sample& sample, std::span<Observer* const> observers) {
  for (Observer* observer : observers) observer->observe(sample);
  return std::none_of(observers.begin(), observers.end(), [](const Observer* observer) { return observer->stop(); });
}

double next_look(std::span<Observer* const> observers) {
  double t = std::numeric_limits<double>::infinity();
  for (const Observer* observer : observers) t = std::min(t, observer->next_time());
  return t;
}

// Steps until somebody wants one of their own.
class ObserversOfBlocks final : public BlockLook {
 public:
  explicit ObserversOfBlocks(std::span<Observer* const> observers) : observers_(observers) {}

  long most(double t, double h) override {
    const double steps = (next_look(observers_) - t) / h - apart;
    return steps >= 1 ? static_cast<long>(std::min(steps, most_at_once)) : 0;
  }
  // Each observer may refuse what those before it have seen: so there is one.
  bool look(const StepBlock& block) override { return observers_.front()->observe_block(block); }

 private:
  static constexpr double apart = 1e-3;  // of a step: a block ends clearly before a look
  static constexpr double most_at_once = 256;
  std::span<Observer* const> observers_;
};

}  // namespace

StepReport advance_observed(const Model& model, State& state, Integrator& integrator, double t_end,
                            std::span<Observer* const> observers) {
  const auto on_step = [&](const State& now, const StepReport& report) {
    return show({model, now, report, integrator}, observers);
  };
  if (!integrator.continuous()) {
    ObserversOfBlocks look(observers);
    return observers.size() == 1 && observers.front()->takes_blocks()
               ? integrator.advance_by_blocks(model, state, t_end, on_step, look)
               : integrator.advance(model, state, t_end, on_step);
  }
  StepReport report;  // sampled at exactly the times that observers ask for
  const double least = least_part * (t_end - state.t);
  while (state.t < t_end) {
    const double next = next_look(observers);
    report = integrator.advance(model, state, std::min(t_end, next > state.t ? next : state.t + least));
    if (!report.converged || !on_step(state, report)) break;
  }
  return report;
}

namespace {

RunResult run(Setup& setup, const RunOptions& options, Profile profile) {
  std::optional<tbb::global_control> limit;
  if (options.threads > 0) limit.emplace(tbb::global_control::max_allowed_parallelism, options.threads);
  const StopScope stops(options.interrupted);  // long steps end, too
  State state = setup.start;
  RunSession session(setup, options, profile);
  try {
    session.begin(state);
    Observer* const observers[] = {&session};
    const StepReport report = advance_observed(*setup.model, state, *setup.integrator, setup.plan.t_end, observers);
    return session.finish({*setup.model, state, report, *setup.integrator});
  } catch (const RunError& error) {
    throw RunError(session.abandon(error.what()));
  }
}

}  // namespace

RunResult run(Setup& setup, const RunOptions& options) { return run(setup, options, Profile(options.profile)); }

RunResult run(const Scene& scene, const RunOptions& options) {
  std::optional<tbb::global_control> limit;  // meshes are made and filled in parallel, too
  if (options.threads > 0) limit.emplace(tbb::global_control::max_allowed_parallelism, options.threads);
  const Profile profile(options.profile);
  Setup setup = make_setup(scene);
  return run(setup, options, profile);
}

}  // namespace livens
