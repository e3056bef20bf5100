// What bodies of nodes have in common.
#pragma once

#include <livens/bodies.hpp>
#include <livens/settings.hpp>

namespace livens {

// Throws AssemblyError if there is a body of that name, or one in a space of another dimension; `key` is what the new
// one has its dimension from.
void check_new_body(const Assembly& assembly, const std::string& name, int dimension, const std::string& key);

// The functions of X, Y, Z that a scene gives for a key of `initial`, one per dimension; none if it does not.
PositionFunction position_function(const Settings& initial, const std::string& key, int dimension);

// Values of a function at the reference positions of a body, from out[body.first] on; nothing without a function.
// Throws AssemblyError, with the key, where they are not finite.
void evaluate(const PositionFunction& function, const std::string& key, const Body& body, std::vector<double>& out);

// Positions of a body after the first step, instead of the velocities that it has so far; nothing without a function.
// Throws AssemblyError as evaluate() does, and if the body has both.
void take_second_positions(const PositionFunction& second, const Body& body, Assembly& assembly);
// The key of `initial` that gives them.
Parameter second_position_key(const std::string& of);

// Adds normally distributed velocities without net momentum; the same numbers on every platform.
void add_random_velocities(const Body& body, double deviation, unsigned long seed, Assembly& assembly);

}  // namespace livens
