#include "report/plot_parts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace livens::plot_parts {

std::string shortest(double value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), end};
}

std::string with_unit(const std::string& label, const std::string& unit) {
  if (unit.empty()) return label;
  return label.empty() ? "(" + unit + ")" : label + " (" + unit + ")";
}

std::string summary(const Plot& plot) {
  std::string text =
      plot.title + ". " + with_unit(plot.y_label, plot.y_unit) + " over " + with_unit(plot.x_label, plot.x_unit) + ".";
  const char* separator = " Curves: ";
  for (const Curve& curve : plot.curves) {
    text += separator + curve.label;
    separator = ", ";
  }
  return plot.curves.empty() ? text + " No data." : text + ".";
}

std::size_t size(const Curve& curve) { return std::min(curve.x.size(), curve.y.size()); }

Scale x_scale(const Plot& plot) { return plot.log_x ? Scale::log : Scale::linear; }
Scale y_scale(const Plot& plot) { return plot.log_y ? Scale::log : Scale::linear; }

// What an axis can show of a value: u = x, or log10(x); NaN where there is nothing to show. Beyond 1e300 spans
// overflow.
double scaled(double value, Scale scale) {
  if (!(std::abs(value) <= 1e300)) return not_a_number;
  if (scale == Scale::linear) return value;
  return value > 0 ? std::log10(value) : not_a_number;
}

bool is_monotonic(const std::vector<double>& x, std::size_t n) {
  bool rises = true, falls = true;
  double last = not_a_number;
  for (std::size_t i = 0; i < n; ++i) {
    if (!std::isfinite(x[i])) continue;
    rises = rises && !(x[i] < last);
    falls = falls && !(x[i] > last);
    last = x[i];
  }
  return rises || falls;
}

}  // namespace livens::plot_parts
