// Pictures with the step or the work along x: one curve per method.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "study/convergence.hpp"
#include "study/level_set.hpp"
#include "study/plot_makers.hpp"
#include "study/write_tables.hpp"

namespace livens {
namespace {

using Quantity = std::function<double(const CaseResult&)>;

constexpr std::size_t max_orbit_points = 100;  // so that the level set shows between them

double step(const CaseResult& r) { return r.made->h; }
double evaluations(const CaseResult& r) { return static_cast<double>(r.measured.counters.evaluations); }

std::string titled(const std::string& title, const std::string& problem) {
  return problem.empty() ? title : title + ": " + problem;
}

// One picture per problem.
std::vector<Plot> over_groups(const Results& results, const Plot& look, const Quantity& x, const Quantity& y) {
  std::vector<Plot> plots;
  const std::vector<Family> all = families(results);
  for (std::size_t group = 0; group < results.groups.size(); ++group) {
    Plot plot = look;
    plot.title = titled(look.title, results.groups[group].problem);
    for (const Family& family : all) {
      if (family.group != group) continue;
      Curve curve{family.method, {}, {}, Curve::Style::line_points, method_slot(results, family.method)};
      for (const CaseResult* r : family.cases) {
        curve.x.push_back(x(*r));
        curve.y.push_back(y(*r));
      }
      if (std::any_of(curve.y.begin(), curve.y.end(), [](double v) { return std::isfinite(v); }))
        plot.curves.push_back(std::move(curve));
    }
    plots.push_back(std::move(plot));
  }
  return plots;
}

// A dashed horizontal line over the whole width.
void add_level(Plot& plot, const std::string& label, double y, int slot) {
  double low = INFINITY, high = 0;
  for (const Curve& curve : plot.curves)
    for (const double x : curve.x) low = std::min(low, x), high = std::max(high, x);
  if (low < high && std::isfinite(y)) plot.curves.push_back({label, {low, high}, {y, y}, Curve::Style::dashed, slot});
}

void add_floors(const Results& results, std::vector<Plot>& plots) {
  for (std::size_t k = 0; k < plots.size(); ++k) {
    const auto& reference = results.groups[k].reference;
    if (reference && reference->ok && reference->own_error_q > 0)
      plots[k].note = "The reference itself is known to " + short_number(reference->own_error_q) + ".";
  }
}

struct FieldName {
  const char *title, *symbol;
  double FieldErrors::*error;
};
constexpr FieldName field_names[] = {{"Displacement", "u", &FieldErrors::displacement},
                                     {"Velocity", "v", &FieldErrors::velocity},
                                     {"Deformation gradient", "F", &FieldErrors::gradient}};

// One curve per method, its meshes from coarse to fine.
std::vector<Plot> field_plots(const Results& results, const std::string& x_label, const std::string& x_unit,
                              const Quantity& x) {
  std::vector<Plot> plots;
  const std::vector<Refinement> all = refinements(results);
  for (const FieldName& field : field_names) {
    Plot plot{field.title, x_label, x_unit, std::string("relative L2 error of ") + field.symbol, "", "", true,
              true,        false,   {}};
    for (const Refinement& refinement : all) {
      if (!refinement.of_mesh) continue;
      const std::string& method = refinement.cases.front()->made->method;
      Curve curve{name_of(refinement), {}, {}, Curve::Style::line_points, method_slot(results, method)};
      for (const CaseResult* r : refinement.cases) curve.x.push_back(x(*r)), curve.y.push_back(r->fields.*field.error);
      plot.curves.push_back(std::move(curve));
    }
    plots.push_back(std::move(plot));
  }
  return plots;
}

}  // namespace

std::vector<Plot> plot_field_error(const Results& results) {
  return field_plots(results, "element updates", "", [](const CaseResult& r) { return r.measured.updates; });
}

std::vector<Plot> plot_field_error_time(const Results& results) {
  return field_plots(results, "processor time", "s", [](const CaseResult& r) { return r.measured.processor_time; });
}

std::vector<Plot> plot_work_precision(const Results& results) {
  Plot look{
      "Largest error of q against work", "force evaluations", "", "largest error of q", "", "", true, true, false, {}};
  auto plots = over_groups(results, look, evaluations, [](const CaseResult& r) { return r.errors.q; });
  add_floors(results, plots);
  return plots;
}

std::vector<Plot> plot_work_precision_time(const Results& results) {
  Plot look{"Largest error of q against time", "wall time", "s", "largest error of q", "", "", true, true, false, {}};
  return over_groups(
      results, look, [](const CaseResult& r) { return r.measured.wall_time; },
      [](const CaseResult& r) { return r.errors.q; });
}

std::vector<Plot> plot_order(const Results& results) {
  Plot look{"Largest error of q against step", "step", "s", "largest error of q", "", "", true, true, false, {}};
  auto plots = over_groups(results, look, step, [](const CaseResult& r) { return r.errors.q; });
  add_floors(results, plots);
  return plots;
}

std::vector<Plot> plot_energy_band(const Results& results) {
  Plot look{"Band of the energy error against step",
            "step",
            "s",
            "highest - lowest energy error",
            "J",
            "",
            true,
            true,
            false,
            {}};
  return over_groups(results, look, step,
                     [](const CaseResult& r) { return r.measured.energy_error.max() - r.measured.energy_error.min(); });
}

std::vector<Plot> plot_modified_energy(const Results& results) {
  Plot look{"Variation of the energy H and of the modified energy H~",
            "step",
            "s",
            "highest - lowest",
            "J",
            "",
            true,
            true,
            false,
            {}};
  const auto known = [](const CaseResult& r, const Series& s) {
    return r.measured.modified_energy.count() > 0 ? s.max() - s.min() : NAN;
  };
  auto plots = over_groups(results, look, step, [&](const CaseResult& r) { return known(r, r.measured.energy); });
  auto modified =
      over_groups(results, look, step, [&](const CaseResult& r) { return known(r, r.measured.modified_energy); });
  for (std::size_t k = 0; k < plots.size(); ++k) {
    for (Curve& curve : plots[k].curves) curve.label += ", H";
    for (Curve& curve : modified[k].curves) {
      curve.label += ", H~";
      curve.style = Curve::Style::dashed;
      plots[k].curves.push_back(std::move(curve));
    }
  }
  return plots;
}

std::vector<Plot> plot_damping_rate(const Results& results) {
  const bool turning = std::any_of(results.cases.begin(), results.cases.end(),
                                   [](const CaseResult& r) { return std::isfinite(r.measured.decrement_rate); });
  const auto rate = [turning](const Measured& m) { return turning ? m.decrement_rate : m.energy_rate; };
  Plot look{"Damping rate against step", "step", "s", "rate", "1/s", "", true, false, false, {}};
  look.note = turning ? "Of the amplitude, by its turning points." : "Of the amplitude, by the energy.";
  auto plots = over_groups(results, look, step, [&](const CaseResult& r) { return rate(r.measured); });
  for (std::size_t k = 0; k < plots.size(); ++k) {
    const auto& reference = results.groups[k].reference;
    if (reference && reference->ok && !reference->exact)
      add_level(plots[k], "reference", rate(reference->measured), reference_slot);
  }
  return plots;
}

std::vector<Plot> plot_heat_error(const Results& results) {
  Plot look{"Error of the heat against work",
            "force evaluations",
            "",
            "|heat - true heat| / true heat",
            "",
            "",
            true,
            true,
            false,
            {}};
  auto plots = over_groups(results, look, evaluations, [&](const CaseResult& r) {
    const double truth = true_heat(results, r);
    return std::abs(r.measured.heat / truth - 1);
  });
  for (std::size_t k = 0; k < plots.size(); ++k) {
    const auto& modes = results.groups[k].modes;
    const auto any = std::find_if(results.cases.begin(), results.cases.end(),
                                  [&](const CaseResult& r) { return r.made->group == k; });
    if (!modes || any == results.cases.end()) continue;
    const double T = end_time(any->made->scene) - any->measured.t_begin;
    add_level(plots[k], "limit error of the exact motion", std::abs(modes->heat(T) / modes->heat() - 1), limit_slot);
    plots[k].note =
        "Dashed: difference of the exact motion over this time from its limit. No method can do better except by "
        "chance.";
  }
  return plots;
}

std::vector<Plot> plot_convergence(const Results& results) {
  std::vector<Plot> plots;
  const std::vector<Refinement> all = refinements(results);
  for (const Column& column : final_quantities(results)) {
    std::map<std::string, Plot> by_key;
    for (const Refinement& refinement : all) {
      const bool mesh = refinement.of_mesh;
      const std::string unit = column.unit == "-" || column.unit == "any" ? "" : column.unit;
      Plot& plot = by_key
                       .try_emplace(refinement.key, Plot{titled(column.name, refinement.key),
                                                         mesh ? "elements" : "step",
                                                         mesh ? "" : "s",
                                                         column.name,
                                                         unit,
                                                         "",
                                                         true,
                                                         false,
                                                         false,
                                                         {}})
                       .first->second;
      Curve curve{refinement.constant, {}, {}, Curve::Style::line_points};
      for (const CaseResult* r : refinement.cases) {
        curve.x.push_back(mesh ? static_cast<double>(r->measured.elements) : step(*r));
        curve.y.push_back(final_value(*r, column.name));
      }
      const double limit = extrapolated(refinement.sizes, curve.y).limit;
      plot.curves.push_back(std::move(curve));
      if (refinement.constant.empty()) add_level(plot, "limit, extrapolated", limit, reference_slot);
    }
    for (auto& [key, plot] : by_key) plots.push_back(std::move(plot));
  }
  return plots;
}

std::vector<Plot> plot_level_sets(const Results& results) {
  std::vector<Plot> plots;
  for (const Panel& panel : panels_by_case(results)) {
    const CaseResult& r = *panel.cases[0];
    const auto& states = r.measured.samples.states;
    if (r.measured.coordinates.size() != 1 || states.empty()) continue;
    double low = INFINITY, high = -INFINITY, fastest = 0;
    for (const State& s : states)
      low = std::min(low, s.q[0]), high = std::max(high, s.q[0]), fastest = std::max(fastest, std::abs(s.v[0]));
    const SceneLevels levels = scene_levels(r.made->scene, 0.5 * (low + high), 1.6 * std::max(high - low, fastest));
    const std::string& name = r.measured.coordinates[0];
    Plot plot{panel.title, name, "", name + "_dot", "", "", false, false, true, {}};
    plot.curves.push_back({"level set of the energy H", levels.energy.q, levels.energy.v, Curve::Style::dashed});
    if (!levels.modified.q.empty())
      plot.curves.push_back(
          {"level set of the modified energy H~", levels.modified.q, levels.modified.v, Curve::Style::line});
    Curve orbit{"orbit", {}, {}, Curve::Style::points};
    const std::size_t stride = std::max<std::size_t>(1, states.size() / max_orbit_points);
    for (std::size_t k = 0; k < states.size(); k += stride)
      orbit.x.push_back(states[k].q[0]), orbit.y.push_back(states[k].v[0]);
    plot.curves.push_back(std::move(orbit));
    plots.push_back(std::move(plot));
  }
  return plots;
}

}  // namespace livens
