// A run in memory with its verdict, and ways to spoil it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include <livens/livens.hpp>

#include "run/plan.hpp"
#include "run/recorder.hpp"
#include "run/verdict.hpp"
#include "support/scratch.hpp"

namespace livens::testing {

struct Spoilers {
  std::function<void(ModelParts&)> parts;  // of the model that is run
  std::function<void(State&)> state;       // after every step
  std::function<void(Claims&)> claims;     // of the integrator
};

struct JudgedRun {
  Judgement judgement;
  std::string failure;  // of a step; empty if there was none
  bool finite = true;
  bool broken() const { return judgement.verdict == "broken"; }
};

inline JudgedRun judged_run(const Scene& scene, const Spoilers& spoilers = {}) {
  const Model given = make_model(scene);
  ModelParts parts = given.parts();
  if (spoilers.parts) spoilers.parts(parts);
  const Model model(std::move(parts));
  State state = initial_state(scene, model);
  const auto method = make_integrator(scene, model);
  RunPlan plan = make_plan(scene, model);
  if (spoilers.claims) spoilers.claims(plan.claims);
  Recorder recorder(model, {}, scratch() / "history.csv", plan.t_end - plan.t_begin, std::nullopt);
  recorder.begin({model, state, StepReport{}, *method});
  JudgedRun run;
  StepReport report;
  while (state.t < plan.t_end - 1e-9 * (plan.t_end - plan.t_begin) && run.failure.empty() && run.finite) {
    // One step, or for methods without a global step, up to the next sample.
    double next = plan.t_end;
    if (method->continuous()) next = std::min(next, recorder.next_time());
    const double before = state.t;
    report = method->advance(model, state, next, [&](const State&, const StepReport& made) {
      report = made;
      return false;
    });
    if (!report.converged) run.failure = report.message;
    if (!report.converged || state.t == before) break;
    if (spoilers.state) spoilers.state(state);
    recorder.observe({model, state, report, *method});
    run.finite = recorder.finite();
  }
  if (run.failure.empty() && run.finite) recorder.end({model, state, report, *method});
  run.judgement = judge(plan, model, recorder, method->counters());
  return run;
}

}  // namespace livens::testing
