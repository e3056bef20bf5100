// One function per kind of body; the list in particles.cpp is the registry.
#pragma once

#include "bodies/layouts.hpp"
#include "scene/build.hpp"

namespace livens {

BodyRecord particles_record();

// Adds a body of particles at rest at its layout.
void add_particles(const std::string& name, const Layout& layout, const std::vector<double>& masses, Build& build);

}  // namespace livens
