// The core loop: a scene becomes a model, an integrator advances its state, observers write what they see.
#include <algorithm>
#include <optional>

#include <tbb/global_control.h>

#include <livens/run.hpp>

#include "run/run_book.hpp"

namespace livens {
namespace {

constexpr double least_part = 1e-9;  // of a run, between two looks

using ThreadLimit = std::optional<tbb::global_control>;

void limit_threads(ThreadLimit& limit, int threads) {
  if (threads > 0) limit.emplace(tbb::global_control::max_allowed_parallelism, threads);
}

}  // namespace

RunResult run(const Scene& scene, const RunOptions& options) {
  ThreadLimit limit;
  limit_threads(limit, options.threads);
  const Model model = make_model(scene);
  State state = initial_state(scene, model);
  const auto integrator = make_integrator(scene, model);

  RunBook book(scene, options, model);
  book.begin(state, *integrator);
  const auto on_step = [&](const State& now, const StepReport& report) {
    return book.observe({model, now, report, *integrator});
  };
  StepReport report;
  if (!integrator->continuous()) {
    report = integrator->advance(model, state, book.t_end(), on_step);
  } else {  // read at exactly the times that somebody asks for
    const double least = least_part * (book.t_end() - state.t);
    while (state.t < book.t_end()) {
      report = integrator->advance(model, state, std::min(book.t_end(), std::max(book.next_time(), state.t + least)));
      if (!report.converged || !on_step(state, report)) break;
    }
  }
  return book.finish({model, state, report, *integrator});
}

}  // namespace livens
