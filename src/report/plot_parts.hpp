// What the page and the static pictures of plots share.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "mesh/files/xml_text.hpp"
#include "report/report.hpp"

namespace livens::plot_parts {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

std::string shortest(double value);  // that reads back as the same number
std::string with_unit(const std::string& label, const std::string& unit);
std::string summary(const Plot& plot);  // one sentence, for those who cannot see it

std::size_t size(const Curve& curve);
Scale x_scale(const Plot& plot);
Scale y_scale(const Plot& plot);
double scaled(double value, Scale scale);
bool is_monotonic(const std::vector<double>& x, std::size_t n);

}  // namespace livens::plot_parts
