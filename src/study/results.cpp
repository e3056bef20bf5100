#include "study/results.hpp"

#include <algorithm>
#include <cmath>

namespace livens {
namespace {

constexpr double small_error = 0.1;  // of the size of the motion
constexpr double above_floor = 100;  // times the error of the reference
constexpr double rounding_floor = 1e-13;

double scale_of(const Errors& errors, double Errors::*error) {
  return error == &Errors::q ? errors.scale_q : errors.scale_v;
}

double floor_of(const GroupResult& group, double Errors::*error, double scale) {
  const Reference& reference = *group.reference;
  const double own = error == &Errors::q   ? reference.own_error_q
                     : error == &Errors::v ? reference.own_error_v
                                           : reference.own_error_p;
  return above_floor * std::max(own, rounding_floor * std::max(scale, 1.0));
}

// The slot of the first case with this text, counted over different texts.
int slot_of(const Results& results, std::string Case::*member, const std::string& text) {
  std::vector<std::string> seen;
  for (const Case& made : results.plan->cases)
    if (std::find(seen.begin(), seen.end(), made.*member) == seen.end()) seen.push_back(made.*member);
  const auto k = static_cast<int>(std::find(seen.begin(), seen.end(), text) - seen.begin());
  return k / 7 * 8 + (k % 7 < reference_slot ? k % 7 : 7);
}

}  // namespace

int method_slot(const Results& results, const std::string& method) { return slot_of(results, &Case::method, method); }
int step_slot(const Results& results, const std::string& step) { return slot_of(results, &Case::step, step); }

bool any_reference(const Results& results) {
  return std::any_of(results.groups.begin(), results.groups.end(),
                     [](const auto& g) { return g.reference && g.reference->ok; });
}

bool any_fields(const Results& results) {
  return std::any_of(results.groups.begin(), results.groups.end(),
                     [](const auto& g) { return g.fields && g.fields->ok; });
}

bool any_forced(const Results& results) {
  return std::any_of(results.cases.begin(), results.cases.end(), [](const auto& r) { return r.measured.forced; });
}

bool any_modes(const Results& results) {
  return any_motion(results) && std::any_of(results.groups.begin(), results.groups.end(),
                                            [](const auto& g) { return g.modes && g.modes->modes().size() > 1; });
}

bool any_motion(const Results& results) {
  return std::any_of(results.cases.begin(), results.cases.end(), [](const auto& r) { return !r.measured.equilibria; });
}

bool any_modified_energy(const Results& results) {
  return std::any_of(results.cases.begin(), results.cases.end(),
                     [](const auto& r) { return r.measured.modified_energy.count() > 0; });
}

std::string Family::label(const Results& results) const {
  const std::string& problem = results.groups[group].problem;
  return method + (problem.empty() ? "" : ", " + problem);
}

std::vector<Family> families(const Results& results) {
  std::vector<Family> all;
  for (const CaseResult& result : results.cases) {
    auto family = std::find_if(all.begin(), all.end(), [&](const Family& f) {
      return f.method == result.made->method && f.group == result.made->group;
    });
    if (family == all.end()) family = all.insert(all.end(), {result.made->method, result.made->group, {}});
    if (result.measured.ok) family->cases.push_back(&result);
  }
  for (Family& family : all)
    std::stable_sort(family.cases.begin(), family.cases.end(),
                     [](auto* a, auto* b) { return a->made->h > b->made->h; });
  return all;
}

OrderFit fit_order(const Results& results, const Family& family, double Errors::*error) {
  const GroupResult& group = results.groups[family.group];
  if (!group.reference || !group.reference->ok) return {};
  std::vector<double> log_h, log_e;
  for (const CaseResult* result : family.cases) {
    const double e = result->errors.*error;
    const double scale = scale_of(result->errors, error);
    const bool counts = result->made->h > 0 && e < small_error * scale && e > floor_of(group, error, scale);
    if (!counts) continue;
    log_h.push_back(std::log(result->made->h));
    log_e.push_back(std::log(e));
  }
  if (log_h.size() < 3) return {std::numeric_limits<double>::quiet_NaN(), log_h.size()};
  return {fit_line(log_h, log_e).slope, log_h.size()};
}

double true_heat(const Results& results, const CaseResult& result) {
  const GroupResult& group = results.group(result);
  if (group.modes) return group.modes->heat();
  if (group.reference && group.reference->ok && !group.reference->exact) return group.reference->measured.heat;
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace livens
