#include "run/start_state.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "files/files.hpp"
#include "files/state_json.hpp"
#include "run/checkpoint.hpp"

namespace livens {
namespace {

constexpr double same_momentum = 1e-8;  // relative: far above rounding, far below a change of mass that matters

State stored_state(const std::filesystem::path& run) {
  for (const auto& path : checkpoints_of(run)) {
    try {
      return load_checkpoint(path).state();
    } catch (const RunError&) {
      continue;  // damaged: an older one, or state.json
    }
  }
  if (!std::filesystem::exists(run / "state.json"))
    throw RunError("refused   '" + run.string() + "' has neither a valid checkpoint nor state.json");
  return read_state(run / "state.json");
}

double largest(const std::vector<double>& values) {
  double result = 0;
  for (const double value : values) result = std::max(result, std::abs(value));
  return result;
}

}  // namespace

State last_state(const std::filesystem::path& run, const Model& model) {
  if (!std::filesystem::is_directory(run)) throw RunError("refused   '" + run.string() + "' is not a run directory");
  State state = stored_state(run);
  const auto n = static_cast<std::size_t>(model.size());
  if (state.q.size() != n || state.v.size() != n || state.p.size() != n)
    throw RunError(
        fmt::format("refused   {} has {} coordinates, but this scene has {}. A run can begin only from the state of "
                    "another with as many",
                    run.string(), state.q.size(), n));
  std::vector<double> p(n);
  model.momentum(state.t, state.q, state.v, p);
  double difference = 0;
  for (std::size_t i = 0; i < n; ++i) difference = std::max(difference, std::abs(p[i] - state.p[i]));
  if (difference > same_momentum * largest(state.p)) state.p = p;
  return state;
}

}  // namespace livens
