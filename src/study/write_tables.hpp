// How the numbers of tables are written.
#pragma once

#include <string>

namespace livens {

std::string full_number(double value);   // 17 digits; "" for nan
std::string short_number(double value);  // 4 significant digits; "" for nan

}  // namespace livens
