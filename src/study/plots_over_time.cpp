// Pictures over time and in the phase plane: one curve per case.
#include <algorithm>
#include <cmath>

#include "study/plot_makers.hpp"
#include "study/write_tables.hpp"

namespace livens {
namespace {

// Over time, or over the load where there are equilibria instead of a motion.
Plot over_time(const std::string& title, const Panel& panel, const std::string& y_label, const std::string& y_unit) {
  const bool loads = panel.cases[0]->measured.equilibria;
  Plot plot;
  plot.title = panel.title.empty() ? title : title + ": " + panel.title;
  plot.x_label = loads ? "load factor" : "t";
  plot.x_unit = loads ? "" : "s";
  plot.y_label = y_label;
  plot.y_unit = y_unit;
  return plot;
}

// The samples of a case and, in between, the steps at which the energy or its error was extreme: a picture shows the
// band that the tables report.
Curve with_extremes(const CaseResult& r, const std::vector<double>& sampled, std::size_t column) {
  const auto& t = r.measured.samples.t;
  const auto& rows = r.measured.extremes;
  Curve curve;
  for (std::size_t i = 0, j = 0; i < t.size() || j < rows.size();) {
    const bool own = j == rows.size() || (i < t.size() && t[i] <= rows[j][0]);
    if (own && j < rows.size() && t[i] == rows[j][0]) ++j;
    curve.x.push_back(own ? t[i] : rows[j][0]);
    curve.y.push_back(own ? sampled[i] : rows[j][column]);
    ++(own ? i : j);
  }
  return curve;
}

template <class MakeCurve>
void add_curves(Plot& plot, const Panel& panel, const MakeCurve& make) {
  for (std::size_t k = 0; k < panel.cases.size(); ++k) {
    plot.curves.push_back(make(*panel.cases[k]));
    plot.curves.back().label = panel.labels[k];
    plot.curves.back().slot = panel.slots[k];
  }
}

const Measured* reference_run(const Results& results, const Panel& panel) {
  const auto& reference = results.groups[panel.group].reference;
  return reference && reference->ok && !reference->exact ? &reference->measured : nullptr;
}

// Positive everywhere, and over more than three decades.
bool wants_log(const Plot& plot) {
  double low = INFINITY, high = 0;
  for (const Curve& curve : plot.curves)
    for (const double y : curve.y) low = std::min(low, y), high = std::max(high, y);
  return low > 0 && high > 1e3 * low;
}

struct Plane {
  std::vector<double> x, y;
};

// One coordinate and its velocity, or the first two coordinates.
Plane plane_of(const Measured& m) {
  Plane plane;
  const bool one = m.coordinates.size() == 1;
  for (const State& s : m.samples.states) {
    plane.x.push_back(s.q[0]);
    plane.y.push_back(one ? s.v[0] : s.q[1]);
  }
  return plane;
}

double range(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return values.empty() ? 0 : *high - *low;
}

void add_orbit(Plot& plot, const std::string& label, const Measured& m, Curve::Style line, int slot) {
  Plane plane = plane_of(m);
  plot.curves.push_back({label, std::move(plane.x), std::move(plane.y), line, slot});
}

// Orbits that leave the others far behind would shrink these to a dot.
std::vector<bool> runs_away(const Panel& panel) {
  std::vector<double> sizes;
  for (const CaseResult* r : panel.cases) {
    const Plane plane = plane_of(r->measured);
    sizes.push_back(std::max(range(plane.x), range(plane.y)));
  }
  const double smallest = *std::min_element(sizes.begin(), sizes.end());
  std::vector<bool> away;
  for (const double size : sizes) away.push_back(size > 5 * smallest);
  return away;
}

}  // namespace

Plot plot_error(const Results&, const Panel& panel) {
  Plot plot = over_time("Error of q", panel, "error of q", "");
  plot.log_y = true;
  add_curves(plot, panel, [](const CaseResult& r) { return Curve{"", r.errors.t, r.errors.curve}; });
  return plot;
}

Plot plot_energy(const Results& results, const Panel& panel) {
  Plot plot = over_time("Energy", panel, "energy", "J");
  add_curves(plot, panel, [](const CaseResult& r) { return with_extremes(r, r.measured.samples.energy, 1); });
  if (const Measured* m = reference_run(results, panel))
    plot.curves.push_back({"reference", m->samples.t, m->samples.energy, Curve::Style::dashed, reference_slot});
  plot.log_y = wants_log(plot);
  return plot;
}

Plot plot_energy_error(const Results&, const Panel& panel) {
  Plot plot = over_time("Energy error", panel, "energy + dissipated - work - energy(0)", "J");
  add_curves(plot, panel, [](const CaseResult& r) { return with_extremes(r, r.measured.samples.energy_error, 2); });
  return plot;
}

Plot plot_portrait(const Results& results, const Panel& panel) {
  Plot plot;
  const auto& names = panel.cases[0]->measured.coordinates;
  if (names.empty()) return plot;
  const std::string what = names.size() == 1 ? "Phase portrait" : "Path in configuration space";
  plot.title = panel.title.empty() ? what : what + ": " + panel.title;
  plot.x_label = names[0];
  plot.y_label = names.size() == 1 ? names[0] + "_dot" : names[1];
  plot.equal_axes = true;
  const bool sparse = std::any_of(panel.cases.begin(), panel.cases.end(), [](const CaseResult* r) {
    const Plane plane = plane_of(r->measured);
    return is_sparse(plane.x, plane.y);
  });
  const auto style = [&](Curve::Style line) { return sparse ? Curve::Style::points : line; };
  const std::vector<bool> away = runs_away(panel);
  for (std::size_t k = 0; k < panel.cases.size(); ++k) {
    if (away[k])
      plot.note += (plot.note.empty() ? "Omitted, because it diverges: " : ", ") + panel.labels[k];
    else
      add_orbit(plot, panel.labels[k], panel.cases[k]->measured, style(Curve::Style::line), panel.slots[k]);
  }
  if (const Measured* m = reference_run(results, panel))
    add_orbit(plot, "reference", *m, style(Curve::Style::dashed), reference_slot);
  return plot;
}

Plot plot_heat(const Results& results, const Panel& panel) {
  Plot plot = over_time("Running heat", panel, "kinetic energy averaged over [0, t]", "J");
  plot.log_x = true;
  add_curves(plot, panel, [](const CaseResult& r) { return Curve{"", r.measured.samples.t, r.measured.samples.heat}; });
  const auto& group = results.groups[panel.group];
  if (const Measured* m = reference_run(results, panel))
    plot.curves.push_back({"reference", m->samples.t, m->samples.heat, Curve::Style::dashed, reference_slot});
  if (group.modes && group.modes->modes().size() > 1) {
    const auto& t = panel.cases[0]->measured.samples.t;
    plot.curves.push_back({"limit, from the modes",
                           {t[1], t.back()},
                           {group.modes->heat(), group.modes->heat()},
                           Curve::Style::dashed,
                           limit_slot});
  }
  return plot;
}

Plot plot_area(const Results&, const Panel& panel) {
  Plot plot = over_time("Area of a patch", panel, "area / area at the start", "");
  for (std::size_t k = 0; k < panel.cases.size(); ++k) {
    const Patch& patch = panel.cases[k]->patch;
    if (!patch.ok) continue;
    Curve curve{panel.labels[k], patch.t, {}, Curve::Style::line, panel.slots[k]};
    for (const double area : patch.area) curve.y.push_back(area / patch.area[0]);
    plot.curves.push_back(std::move(curve));
  }
  plot.log_y = wants_log(plot);
  return plot;
}

Plot plot_patch(const Results&, const Panel& panel) {
  const CaseResult& r = *panel.cases[0];
  Plot plot;
  if (!r.patch.ok || r.measured.coordinates.empty()) return plot;
  plot.title = panel.title;
  plot.x_label = r.measured.coordinates[0];
  plot.y_label = "p of " + plot.x_label;
  plot.equal_axes = true;
  for (const auto& outline : r.patch.outlines)
    plot.curves.push_back({"t = " + short_number(outline.t) + " s", outline.q, outline.p, Curve::Style::line});
  return plot;
}

}  // namespace livens
