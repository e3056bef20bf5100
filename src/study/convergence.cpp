#include "study/convergence.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace livens {
namespace {

// (s1^p - s2^p) / (s2^p - s3^p), which grows with p.
double ratio(const double* s, double p) { return (std::pow(s[0] / s[1], p) - 1) / (1 - std::pow(s[2] / s[1], p)); }

std::string other_values(const Case& made, const std::string& key) {
  std::string text;
  for (const auto& [name, value] : made.values)
    if (name != key) text += (text.empty() ? "" : ", ") + name + " = " + value;
  return text;
}

double size_by_mesh(const CaseResult& r) {
  const Measured& m = r.measured;
  return m.elements > 0 ? std::pow(static_cast<double>(m.elements), -1.0 / m.dimension) : 0;
}
double size_by_step(const CaseResult& r) { return r.made->h; }

// Whether the sizes of all cases are known and different; then the cases are sorted by them.
bool set_sizes(Refinement& refinement, double (*size)(const CaseResult&)) {
  std::stable_sort(refinement.cases.begin(), refinement.cases.end(),
                   [&](const CaseResult* a, const CaseResult* b) { return size(*a) > size(*b); });
  refinement.sizes.clear();
  for (const CaseResult* r : refinement.cases) {
    const double s = size(*r);
    if (!(s > 0) || (!refinement.sizes.empty() && !(s < refinement.sizes.back()))) return false;
    refinement.sizes.push_back(s);
  }
  return true;
}

}  // namespace

Extrapolation extrapolated(const std::vector<double>& sizes, const std::vector<double>& values) {
  constexpr double lowest = 0.05, highest = 20;
  if (sizes.size() < 3) return {};
  const double *s = sizes.data() + sizes.size() - 3, *f = values.data() + sizes.size() - 3;
  const double measured = (f[0] - f[1]) / (f[1] - f[2]);
  if (!std::isfinite(measured) || !(measured > ratio(s, lowest)) || !(measured < ratio(s, highest))) return {};
  double low = lowest, high = highest;
  for (int bisection = 0; bisection < 60; ++bisection) {
    const double middle = 0.5 * (low + high);
    (ratio(s, middle) < measured ? low : high) = middle;
  }
  // f2 - f3 = C (s2^p - s3^p), limit = f3 - C s3^p
  return {low, f[2] - (f[1] - f[2]) / (std::pow(s[1] / s[2], low) - 1)};
}

std::vector<Refinement> refinements(const Results& results) {
  std::vector<Refinement> found;
  std::map<std::string, std::size_t> places;
  for (const CaseResult& r : results.cases) {
    if (!r.measured.ok) continue;
    for (const auto& [key, value] : r.made->values) {
      const std::string others = other_values(*r.made, key);
      const auto [place, is_new] = places.emplace(key + "\n" + others, found.size());
      if (is_new) found.push_back({key, others, false, {}, {}});
      found[place->second].cases.push_back(&r);
    }
  }
  std::erase_if(found, [](Refinement& refinement) {
    if (refinement.cases.size() < 2) return true;
    refinement.of_mesh = set_sizes(refinement, size_by_mesh);
    return !refinement.of_mesh && !set_sizes(refinement, size_by_step);
  });
  return found;
}

double field_rate(const Refinement& refinement, double FieldErrors::*field) {
  std::vector<double> log_size, log_error;
  for (std::size_t k = 0; k < refinement.cases.size(); ++k) {
    const double error = refinement.cases[k]->fields.*field;
    if (!(error > 0)) continue;
    log_size.push_back(std::log(refinement.sizes[k]));
    log_error.push_back(std::log(error));
  }
  return log_size.size() < 3 ? undefined : fit_line(log_size, log_error).slope;
}

std::string name_of(const Refinement& refinement) {
  const Case& made = *refinement.cases.front()->made;
  std::string text = made.method;
  for (const auto& [key, value] : made.values)
    if (key != refinement.key && !key.starts_with("integrator")) text += ", " + key + " = " + value;
  return text;
}

double final_value(const CaseResult& result, const std::string& quantity) {
  if (quantity == "energy") return result.measured.energy.last();
  for (const ProbeSeries& probe : result.measured.probes)
    if (probe.column.name == quantity) return probe.series.count() > 0 ? probe.series.last() : undefined;
  return undefined;
}

std::vector<Column> final_quantities(const Results& results) {
  std::vector<Column> all;
  const auto add = [&](const Column& column) {
    const auto same = [&](const Column& other) { return other.name == column.name; };
    if (std::none_of(all.begin(), all.end(), same)) all.push_back(column);
  };
  for (const CaseResult& r : results.cases) {
    if (!r.measured.ok) continue;
    if (r.measured.equilibria) add({"energy", "J", "of the equilibrium"});
    for (const ProbeSeries& probe : r.measured.probes) add(probe.column);
  }
  return all;
}

}  // namespace livens
