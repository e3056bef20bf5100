// Damping proportional to mass, also a part of Rayleigh damping.
#pragma once

#include "scene/build.hpp"

namespace livens {

void add_mass_damping(const Settings& settings, const std::string& name, Build& build);

}  // namespace livens
