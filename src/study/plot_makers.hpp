// One function per picture.
#pragma once

#include <vector>

#include "report/report.hpp"
#include "study/panels.hpp"
#include "study/results.hpp"

namespace livens {

// Against the step or the work: one curve per method, one picture per problem.
std::vector<Plot> plot_work_precision(const Results& results);
std::vector<Plot> plot_work_precision_time(const Results& results);
std::vector<Plot> plot_order(const Results& results);
std::vector<Plot> plot_energy_band(const Results& results);
std::vector<Plot> plot_modified_energy(const Results& results);
std::vector<Plot> plot_damping_rate(const Results& results);
std::vector<Plot> plot_heat_error(const Results& results);
std::vector<Plot> plot_level_sets(const Results& results);
// Values at the end against the number of elements or the step: one picture per quantity and swept key.
std::vector<Plot> plot_convergence(const Results& results);
// Errors of fields against a finer mesh, over element updates and over time: one picture per field.
std::vector<Plot> plot_field_error(const Results& results);
std::vector<Plot> plot_field_error_time(const Results& results);

// Over time or in the phase plane: one curve per case of the panel.
Plot plot_error(const Results& results, const Panel& panel);
Plot plot_energy(const Results& results, const Panel& panel);
Plot plot_energy_error(const Results& results, const Panel& panel);
Plot plot_portrait(const Results& results, const Panel& panel);
Plot plot_heat(const Results& results, const Panel& panel);
Plot plot_area(const Results& results, const Panel& panel);
Plot plot_patch(const Results& results, const Panel& panel);

}  // namespace livens
