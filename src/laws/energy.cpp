// The energy over thousands of large steps, from the model alone: constant, in a band that shrinks with h and has no
// trend, always lost, or drifting.
#include <algorithm>
#include <cmath>

#include <livens/run.hpp>

#include "laws/measure.hpp"
#include "laws/trend.hpp"

namespace livens::laws {
namespace {

constexpr double energy_exact_below = 1e-11;  // of the scale
constexpr double largest_band = 0.1;          // of the scale: beyond, a drift saturates and the method may be unstable
constexpr double energy_first_step =
    1.6;  // s, halved until the band is small enough; the problems turn once in about 6 s
constexpr double energy_smallest_step = 1e-4;
constexpr long many_steps = 8000;
constexpr long times_longer = 4;          // times as many where a slow exchange between modes looks like a trend
constexpr double least_shrinking = 0.75;  // band at h/2 over band at h; 1/2 for order 1

struct Run {
  bool finished = false;
  double h = 0, scale = 0;
  double rounding = 0;  // of the energy, over the scale
  Trend trend;
  double band() const { return trend.band / scale; }
};

Run run_of(const Method& method, const Problem& problem, double h, long steps) {
  Run run;
  run.h = h;
  State state = problem.start;
  const auto integrator = method.make(problem.model, h);
  std::vector<double> series;
  double low = 1e300, high = -1e300;
  const auto sample = [&](const State& now) {
    const Energy e = energy(problem.model, now);
    series.push_back(e.total);
    run.scale = std::max(run.scale, std::abs(e.kinetic));
    low = std::min(low, e.total);
    high = std::max(high, e.total);
    return high - low <= 2 * largest_band * run.scale;  // no need to see more
  };
  sample(state);
  bool within = true;
  StepFunction look([&](const Sample& now) {
    within = sample(now.state);
    return within && static_cast<long>(series.size()) <= steps;
  });
  Observer* const observers[] = {&look};
  const auto report = advance_observed(problem.model, state, *integrator, 1e9, observers);
  run.finished = report.converged && within;
  run.trend = trend_of(series);
  // A coordinate that grows (a rotor turns 10^4 times) is rounded to epsilon |q| in every step, and with it the energy.
  double largest = 0;
  for (const double q : state.q) largest = std::max(largest, std::abs(q));
  run.rounding = 2.2e-16 * largest * std::sqrt(static_cast<double>(series.size()));
  return run;
}

// At the largest step that stays in the band: there the band is far above rounding.
Run largest_run(const Method& method, const Problem& problem) {
  Run run;
  for (double h = energy_first_step; h >= energy_smallest_step; h /= 2) {
    run = run_of(method, problem, h, many_steps);
    if (run.finished && run.band() <= largest_band) return run;
  }
  run.finished = false;
  return run;
}

enum class Found { exact, bounded, lost, gained, undecided };

Found found_of(const Method& method, const Problem& problem, const Run& run) {
  if (!run.finished) return Found::undecided;
  if (run.band() <= energy_exact_below + run.rounding) return Found::exact;
  if (run.trend.drifting()) return run.trend.late_drift < 0 ? Found::lost : Found::gained;
  if (!run.trend.bounded()) return Found::undecided;
  const Run finer = run_of(method, problem, run.h / 2, many_steps / 2);
  return finer.finished && finer.trend.band <= least_shrinking * run.trend.band ? Found::bounded : Found::undecided;
}

std::string word(Found found) {
  switch (found) {
    case Found::exact: return "exact";
    case Found::bounded: return "bounded";
    case Found::lost: return "lost";
    case Found::gained: return "gained";
    case Found::undecided: return "undecided";
  }
  return "";
}

// Dissipating: lost on every problem. Drifting: lost on some and gained on others.
std::string classify(const std::vector<Found>& found) {
  const auto all = [&](Found kind) {
    return std::all_of(found.begin(), found.end(), [&](Found f) { return f == kind; });
  };
  const auto any = [&](Found kind) {
    return std::any_of(found.begin(), found.end(), [&](Found f) { return f == kind; });
  };
  if (any(Found::undecided)) return "undecided";
  if (all(Found::exact)) return to_string(EnergyClaim::exact);
  if (all(Found::lost)) return to_string(EnergyClaim::dissipating);
  if (any(Found::lost) || any(Found::gained)) return to_string(EnergyClaim::drifting);
  return to_string(EnergyClaim::bounded);
}

}  // namespace

LawResult energy_law(const Method& method, const std::vector<const Problem*>& problems, EnergyClaim claimed) {
  LawResult result = result_of(method, *problems.front(), "energy", to_string(claimed));
  std::vector<Found> found;
  result.problem.clear();
  for (const Problem* problem : problems) {
    Run run = largest_run(method, *problem);
    found.push_back(found_of(method, *problem, run));
    if (found.back() == Found::undecided) {
      run = run_of(method, *problem, run.h, times_longer * many_steps);
      found.back() = found_of(method, *problem, run);
    }
    result.value = std::max(result.value, run.band());
    result.problem += (result.problem.empty() ? "" : ", ") + problem->name;
    result.detail += (result.detail.empty() ? "" : "; ") + problem->name + ": " + word(found.back()) + ", band " +
                     number_text(run.band(), "%.1e") + ", late drift " +
                     number_text(run.trend.band > 0 ? run.trend.late_drift / run.trend.band : 0, "%.2g") +
                     " of it at h = " + number_text(run.h, "%.3g") + " s";
  }
  const std::string verdict = classify(found);
  result.measured = verdict + ", band " + number_text(result.value, "%.1e");
  result.holds = verdict == to_string(claimed);
  return result;
}

}  // namespace livens::laws
