#include "study/panels.hpp"

#include <algorithm>

namespace livens {
namespace {

constexpr std::size_t few = 8;
constexpr std::size_t max_panels = 12;

std::string joined(const std::string& a, const std::string& b) { return a.empty() ? b : b.empty() ? a : a + ", " + b; }

std::vector<const CaseResult*> cases_of(const Results& results, std::size_t group) {
  std::vector<const CaseResult*> cases;
  for (const CaseResult& result : results.cases)
    if (result.made->group == group && result.measured.ok) cases.push_back(&result);
  return cases;
}

std::vector<std::string> steps_of(const std::vector<const CaseResult*>& cases) {
  std::vector<const CaseResult*> sorted = cases;
  std::stable_sort(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return a->made->h > b->made->h; });
  std::vector<std::string> steps;
  for (const CaseResult* result : sorted)
    if (std::find(steps.begin(), steps.end(), result->made->step) == steps.end()) steps.push_back(result->made->step);
  return steps;
}

std::string step_label(const std::string& step) { return step.empty() ? "" : "h = " + step + " s"; }

Panel all_of(const Results& results, std::size_t group, const std::vector<const CaseResult*>& cases) {
  const auto steps = steps_of(cases);
  const bool one_step = steps.size() < 2;
  Panel panel{joined(results.groups[group].problem, one_step ? step_label(steps[0]) : ""), group, cases, {}, {}};
  const bool one_method =
      std::all_of(cases.begin(), cases.end(), [&](auto* r) { return r->made->method == cases[0]->made->method; });
  for (const CaseResult* r : cases) {
    const bool by_step = one_method && !one_step;
    panel.labels.push_back(by_step    ? step_label(r->made->step)
                           : one_step ? r->made->method
                                      : joined(r->made->method, step_label(r->made->step)));
    panel.slots.push_back(by_step ? step_slot(results, r->made->step) : method_slot(results, r->made->method));
  }
  return panel;
}

Panel of_step(const Results& results, std::size_t group, const std::vector<const CaseResult*>& cases,
              const std::string& step) {
  Panel panel{joined(results.groups[group].problem, step_label(step)), group, {}, {}, {}};
  for (const CaseResult* r : cases) {
    if (r->made->step != step && !r->made->step.empty()) continue;
    panel.cases.push_back(r);
    panel.labels.push_back(r->made->method);
    panel.slots.push_back(method_slot(results, r->made->method));
  }
  return panel;
}

}  // namespace

std::vector<Panel> panels_by_step(const Results& results) {
  std::vector<Panel> panels;
  for (std::size_t group = 0; group < results.groups.size(); ++group) {
    const auto cases = cases_of(results, group);
    if (cases.empty()) continue;
    std::vector<std::string> steps = steps_of(cases);
    if (cases.size() <= few || steps.size() < 2) {
      panels.push_back(all_of(results, group, cases));
      continue;
    }
    if (steps.size() > 3) steps = {steps.front(), steps[steps.size() / 2], steps.back()};
    for (const std::string& step : steps) panels.push_back(of_step(results, group, cases, step));
  }
  if (panels.size() > max_panels) panels.resize(max_panels);
  return panels;
}

std::vector<Panel> panels_by_method(const Results& results) {
  std::vector<Panel> panels;
  for (const Family& family : families(results)) {
    if (family.cases.empty()) continue;
    Panel panel{joined(family.method, results.groups[family.group].problem), family.group, family.cases, {}, {}};
    for (const CaseResult* r : family.cases) {
      panel.labels.push_back(step_label(r->made->step));
      panel.slots.push_back(step_slot(results, r->made->step));
    }
    panels.push_back(std::move(panel));
  }
  if (panels.size() > max_panels) panels.resize(max_panels);
  return panels;
}

std::vector<Panel> panels_by_case(const Results& results) {
  std::vector<Panel> panels;
  for (const CaseResult& r : results.cases)
    if (r.measured.ok && panels.size() < max_panels)
      panels.push_back({r.made->label(), r.made->group, {&r}, {r.made->method}, {0}});
  return panels;
}

}  // namespace livens
