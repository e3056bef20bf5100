// Ready-made systems and the Lagrangian a user writes.
#pragma once

#include "scene/build.hpp"

namespace livens {

SystemRecord lagrangian_record();
SystemRecord pendulum_record();
SystemRecord double_pendulum_record();
SystemRecord kepler_record();
SystemRecord henon_heiles_record();
SystemRecord harmonic_lattice_record();
SystemRecord anharmonic_lattice_record();

// A system in coordinates of its own, each text an expression of the coordinates, their velocities and t.
struct LagrangianText {
  std::vector<std::string> coordinates;
  std::string kinetic, potential, lagrangian;  // the first two, or the third
  std::vector<double> q, v;
  std::vector<std::pair<std::string, std::vector<std::string>>> symmetries;  // direction per coordinate
};
void add_lagrangian(const LagrangianText& text, Build& build);

}  // namespace livens
