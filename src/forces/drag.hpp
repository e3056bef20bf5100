// Damping proportional to mass, also a part of Rayleigh damping.
#pragma once

#include "model/assembly.hpp"

namespace livens {

void add_mass_damping(const Settings& settings, const std::string& name, Assembly& assembly);

}  // namespace livens
