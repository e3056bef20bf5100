// What bodies of nodes have in common.
#pragma once

#include "bodies/layouts.hpp"
#include "model/assembly.hpp"

namespace livens {

// Adds a body of particles at rest at its layout.
void add_particles(const std::string& name, const Layout& layout, const std::vector<double>& masses,
                   Assembly& assembly);

// Functions of X, Y, Z, one a dimension, at the reference positions of a body; nothing if the key is not given. False
// with a fault.
bool evaluate_functions(const Settings& settings, const std::string& name, const Body& body, std::vector<double>& out);

// Adds normally distributed velocities without net momentum; the same numbers on every platform.
void add_random_velocities(const Body& body, double deviation, unsigned long seed, Assembly& assembly);

}  // namespace livens
