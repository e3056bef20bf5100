// The plots of a study.
#pragma once

#include <string>
#include <vector>

#include "report/report.hpp"
#include "study/results.hpp"

namespace livens {

// All pictures of one name.
struct PlotGroup {
  std::string name, title;
  std::vector<Plot> plots;
};

// Those that were asked for, or all that apply; without those that would be empty.
std::vector<PlotGroup> make_plots(const Results& results);

}  // namespace livens
