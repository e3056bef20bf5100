// Ticks of the axes of static plots, by the rules of plot_ticks.js.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/report.hpp"

namespace livens::plot_parts {

struct Range {
  double low = 0, high = 1;  // scaled values
  double span() const { return high - low; }
};

struct Tick {
  double place, value;  // 0..1 along the axis; the number there
  std::string label;
};

struct Ticks {
  std::vector<Tick> major;
  std::vector<double> minor;
  std::string note;  // what the labels leave out: a common power of ten, an offset
};

// About `count` of them, at least 2.
Ticks ticks_of(Scale scale, Range range, int count);
// As many as have their labels fit side by side into a length in pixels.
Ticks fitting_ticks(Scale scale, Range range, double length);

// In pixels, at the size of the labels of ticks.
double text_width(std::string_view text);
double widest(const Ticks& ticks);

}  // namespace livens::plot_parts
