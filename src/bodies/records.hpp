// One function per kind of body; the list in particles.cpp is the registry.
#pragma once

#include "bodies/layouts.hpp"
#include "scene/build.hpp"

namespace livens {

BodyRecord particles_record();
BodyRecord solid_record();
BodyRecord rigid_record();

// Adds a body of particles at rest at its layout.
void add_particles(const std::string& name, const Layout& layout, const std::vector<double>& masses, Build& build);

// Functions of X, Y, Z, one a dimension, at the reference positions of a body; nothing if the key is not given. False
// with a fault.
bool evaluate_functions(const Settings& settings, const std::string& name, const Body& body, Build& build,
                        std::vector<double>& out);

// Adds normally distributed velocities without net momentum; the same numbers on every platform.
void add_random_velocities(const Body& body, double deviation, unsigned long seed, Build& build);

}  // namespace livens
