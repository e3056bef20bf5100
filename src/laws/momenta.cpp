// Momentum maps over many large steps: linear and angular momentum of a free body, and p.xi(q) of the symmetries of a
// general Lagrangian; with equal steps, and with steps that vary as prescribed.
#include <algorithm>
#include <cmath>

#include <livens/run.hpp>

#include "laws/measure.hpp"
#include "laws/trend.hpp"

namespace livens::laws {
namespace {

constexpr double exact_below = 1e-11;  // of the scale, over all steps
constexpr double small = 0.1;          // a bounded error is also no large part of the scale
constexpr double first_step =
    0.1;  // s; the fastest vibration has h omega of about 0.4. Halved until the run stays finite
constexpr double smallest_step = 1e-4;
constexpr double burst = 1e3;  // of the scale at the start: the method is unstable at this step
constexpr long many = 10000, fewer = 2500;
constexpr long longer = 4;  // times as many where a slow oscillation looks like a trend

// A map and what it is compared to: the size of what adds up to it.
struct Sizes {
  std::vector<double> values;
  double scale = 0;
};

double size_of(const std::vector<double>& x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return std::sqrt(sum);
}

void evaluate_symmetries(const Model& model, const State& state, Sizes& out) {
  std::vector<double> xi(state.q.size());
  for (const Symmetry& symmetry : model.parts().symmetries) {
    std::fill(xi.begin(), xi.end(), 0.0);
    symmetry.generator(state.q, xi);
    double sum = 0, size = 0;
    for (std::size_t i = 0; i < xi.size(); ++i) {
      sum += state.p[i] * xi[i];
      size += std::abs(state.p[i] * xi[i]);
    }
    out.values.push_back(sum);
    out.scale = std::max(out.scale, size);
  }
}

void evaluate_momenta(const Model& model, const State& state, Map map, Sizes& out) {
  const Momenta m = momenta(model, state.q, state.p);
  const double* values = map == Map::linear ? m.linear : m.angular;
  out.values.assign(values, values + 3);
  out.scale = std::max(out.scale, size_of(state.p) * (map == Map::linear ? 1 : size_of(state.q)));
}

struct Record {
  std::vector<std::vector<double>> series;  // of each component
  double h = 0, scale = 0;                  // at the start: a drifting body's would grow
  bool finished = false;
  std::string failure;  // of a solve; instability does not count as one
};

Record record_of(const Method& method, const Problem& problem, Map map, Steps steps, double h, long count) {
  Record record;
  record.h = h;
  const auto integrator = steps == Steps::equal
                              ? method.make(problem.model, h)
                              : method.make(problem.model, number_text(h, "%g") + "*(1 + 0.3*sin(t))");
  State state = problem.start;
  Sizes sizes;
  const auto sample = [&](const State& now) {
    sizes.values.clear();
    map == Map::symmetries ? evaluate_symmetries(problem.model, now, sizes)
                           : evaluate_momenta(problem.model, now, map, sizes);
    record.series.resize(sizes.values.size());
    for (std::size_t c = 0; c < sizes.values.size(); ++c) record.series[c].push_back(sizes.values[c]);
  };
  sample(state);
  record.scale = sizes.scale;
  const double momentum = size_of(state.p);
  long done = 0;
  StepFunction look([&](const Sample& now) {
    sample(now.state);
    return ++done < count && size_of(now.state.p) < burst * momentum;
  });
  Observer* const observers[] = {&look};
  const auto report = advance_observed(problem.model, state, *integrator, 1e9, observers);
  record.finished = report.converged && done == count;
  if (!report.converged && report.code != FailureCode::not_finite) record.failure = report.message;
  return record;
}

// Shorter steps only for methods that are unstable at this one: a solve that fails here is a fault to show.
Record largest_steps(const Method& method, const Problem& problem, Map map, Steps steps, long count) {
  for (double h = first_step;; h /= 2) {
    Record record = record_of(method, problem, map, steps, h, count);
    if (record.finished || !record.failure.empty() || h < smallest_step) return record;
  }
}

double largest_drift(const std::vector<double>& series) {
  double drift = 0;
  for (const double value : series) drift = std::max(drift, std::abs(value - series.front()));
  return drift;
}

std::string name_of(Map map) {
  return map == Map::linear ? "linear momentum" : map == Map::angular ? "angular momentum" : "symmetries";
}

struct Judgement {
  std::string word;
  double drift = 0;  // over the scale
  Trend trend;
};

Judgement judge(const Record& record) {
  Judgement result;
  double worst = -1;
  for (const auto& series : record.series)
    if (const double drift = largest_drift(series); drift > worst) {
      worst = drift;
      result.trend = trend_of(series);
    }
  result.drift = worst / record.scale;
  if (!record.finished)
    result.word = "undecided";
  else if (result.drift <= exact_below)
    result.word = to_string(Keeps::exact);
  else if (result.drift > small || result.trend.drifting())
    result.word = to_string(Keeps::no);
  else
    result.word = result.trend.bounded() ? to_string(Keeps::bounded) : "undecided";
  return result;
}

}  // namespace

LawResult momentum_law(const Method& method, const Problem& problem, Map map, Steps steps, Keeps claimed) {
  LawResult result = result_of(method, problem, name_of(map), to_string(claimed));
  const bool forced = !problem.model.parts().forces.empty();
  const long count = steps == Steps::equal && !forced ? many : fewer;
  Record record = largest_steps(method, problem, map, steps, count);
  Judgement found = judge(record);
  if (found.word == "undecided") {
    record = largest_steps(method, problem, map, steps, longer * count);
    found = judge(record);
  }
  result.value = found.drift;
  result.measured = found.word + ", " + number_text(found.drift, "%.1e");
  result.holds = found.word == result.claimed;
  result.detail = std::to_string(record.series.front().size() - 1) + (steps == Steps::equal ? " equal" : " varying") +
                  " steps of about " + number_text(record.h, "%g") + " s, late drift " +
                  number_text(found.trend.band > 0 ? found.trend.late_drift / found.trend.band : 0, "%.2g") +
                  " of the band";
  if (!record.failure.empty()) result.detail += "; " + record.failure;
  return result;
}

}  // namespace livens::laws
