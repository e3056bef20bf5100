#include "study/plots.hpp"

#include <algorithm>
#include <cmath>

#include "study/plot_makers.hpp"

namespace livens {
namespace {

bool few_coordinates(const Results& results) {
  return std::any_of(results.cases.begin(), results.cases.end(), [](const auto& r) {
    return !r.measured.coordinates.empty() && r.measured.coordinates.size() <= 4;
  });
}
bool any_case(const Results&) { return true; }
bool on_demand(const Results&) { return false; }

struct PlotMaker {
  std::string name, title;
  std::vector<Plot> (*make)(const Results&);
  bool (*applies)(const Results&);
  std::string several = {};  // title where there are several coordinates, if another

  std::string title_for(const Results& results) const {
    const bool one = std::all_of(results.cases.begin(), results.cases.end(),
                                 [](const auto& r) { return r.measured.coordinates.size() <= 1; });
    return one || several.empty() ? title : several;
  }
};

template <std::vector<Panel> (*panels)(const Results&), Plot (*plot)(const Results&, const Panel&)>
std::vector<Plot> over_panels(const Results& results) {
  std::vector<Plot> plots;
  for (const Panel& panel : panels(results)) plots.push_back(plot(results, panel));
  return plots;
}

const std::vector<PlotMaker>& plot_makers() {
  static const std::vector<PlotMaker> all = {
      {"work_precision", "Error against work", plot_work_precision, any_reference},
      {"work_precision_time", "Error against wall time", plot_work_precision_time, any_reference},
      {"order", "Error against step", plot_order, any_reference},
      {"error", "Error over time", over_panels<panels_by_step, plot_error>, any_reference},
      {"error_by_method", "Error over time, by method", over_panels<panels_by_method, plot_error>, on_demand},
      {"field_error", "Errors of fields against work", plot_field_error, any_fields},
      {"field_error_time", "Errors of fields against time", plot_field_error_time, any_fields},
      {"energy", "Energy", over_panels<panels_by_step, plot_energy>, any_case},
      {"energy_by_method", "Energy, by method", over_panels<panels_by_method, plot_energy>, on_demand},
      {"energy_error", "Energy error", over_panels<panels_by_step, plot_energy_error>, any_motion},
      {"energy_error_by_method", "Energy error, by method", over_panels<panels_by_method, plot_energy_error>,
       on_demand},
      {"energy_band", "Energy band against step", plot_energy_band, any_motion},
      {"convergence", "Convergence", plot_convergence, any_case},
      {"phase_portrait", "Phase portrait", over_panels<panels_by_step, plot_portrait>, few_coordinates,
       "Paths in configuration space"},
      {"phase_portrait_by_method", "Phase portrait, by method", over_panels<panels_by_method, plot_portrait>, on_demand,
       "Paths in configuration space, by method"},
      {"modified_energy", "Energy and modified energy against step", plot_modified_energy, any_modified_energy},
      {"level_set", "Orbit and level set of the modified energy", plot_level_sets, on_demand},
      {"damping_rate", "Damping rate against step", plot_damping_rate, any_forced},
      {"heat", "Running heat", over_panels<panels_by_step, plot_heat>, any_modes},
      {"heat_by_method", "Running heat, by method", over_panels<panels_by_method, plot_heat>, on_demand},
      {"heat_error", "Error of the heat against work", plot_heat_error, any_modes},
      {"area", "Area of a patch of phase space", over_panels<panels_by_step, plot_area>, on_demand},
      {"area_by_method", "Area of a patch of phase space, by method", over_panels<panels_by_method, plot_area>,
       on_demand},
      {"patch", "A patch of phase space", over_panels<panels_by_case, plot_patch>, on_demand},
  };
  return all;
}

// Points that the axes of a plot can show.
std::size_t drawn_points(const Plot& plot, const Curve& curve) {
  const auto shown = [](double value, bool log) { return std::isfinite(value) && (!log || value > 0); };
  std::size_t count = 0;
  for (std::size_t k = 0; k < std::min(curve.x.size(), curve.y.size()); ++k)
    count += shown(curve.x[k], plot.log_x) && shown(curve.y[k], plot.log_y) ? 1 : 0;
  return count;
}

// Nothing to see: no curve, or against a step or a mesh only curves of one point.
bool is_empty(const Plot& plot) {
  return std::all_of(plot.curves.begin(), plot.curves.end(), [&](const Curve& curve) {
    return drawn_points(plot, curve) < (curve.style == Curve::Style::line_points ? 2 : 1);
  });
}

}  // namespace

const std::vector<std::string>& study_plots() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const PlotMaker& maker : plot_makers()) list.push_back(maker.name);
    return list;
  }();
  return names;
}

// In the order in which they were asked for.
std::vector<PlotGroup> make_plots(const Results& results) {
  std::vector<PlotGroup> groups;
  const auto add = [&](const PlotMaker& maker) {
    PlotGroup group{maker.name, maker.title_for(results), maker.make(results)};
    std::erase_if(group.plots, is_empty);
    if (!group.plots.empty()) groups.push_back(std::move(group));
  };
  if (!results.plan->plots) {
    for (const PlotMaker& maker : plot_makers())
      if (maker.applies(results)) add(maker);
    return groups;
  }
  for (const std::string& name : *results.plan->plots)
    add(*std::find_if(plot_makers().begin(), plot_makers().end(), [&](const PlotMaker& m) { return m.name == name; }));
  return groups;
}

}  // namespace livens
