// Lagrangians written as text.
#pragma once

#include "model/assembly.hpp"

namespace livens {

// A system in coordinates of its own, each text an expression of the coordinates, their velocities and t.
struct LagrangianText {
  std::vector<std::string> coordinates;
  std::string kinetic, potential, lagrangian;  // the first two, or the third
  std::vector<double> q, v;
  std::vector<std::pair<std::string, std::vector<std::string>>> symmetries;  // direction per coordinate
};
void add_lagrangian(const LagrangianText& text, Assembly& assembly);

}  // namespace livens
