// The text face that constraints share: keys of their tables and what is read from them.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <livens/constraints.hpp>

#include "records/values.hpp"

namespace livens {

Parameter bodies_key(const std::string& brief = "what it connects; \"ground\" is a body");
Parameter point_key();
Parameter axis_key();           // in space
Parameter axis_of_space_key();  // in the plane it is z, and need not be given
Parameter ends_key(const std::string& brief);
// The keys enforcement, penalty_stiffness and damping_time, which every constraint has.
std::vector<Parameter> with_enforcement(std::vector<Parameter> parameters);

Enforcement enforcement_of(const Settings& settings);
// Damps the penalties that a constraint added, the terms from `first` on, if damping_time is given.
void read_penalty_damping(const Settings& settings, std::size_t first, Assembly& assembly);
// For constraints on a selection of nodes, which are always enforced by elimination.
void refuse_enforcement_of_nodes(const Settings& settings);

// The names in `bodies`; there must be `count` of them.
std::vector<std::string> read_bodies(const Settings& settings, std::size_t count);
template <std::size_t N>
std::array<std::string, N> bodies_of_joint(const Settings& settings) {
  const auto names = read_bodies(settings, N);
  std::array<std::string, N> bodies;
  for (std::size_t k = 0; k < N; ++k) bodies[k] = names[k];
  return bodies;
}

// The places in `ends`, one per body.
template <std::size_t N>
std::array<Vec3, N> ends_of_joint(const Settings& settings, const Assembly& assembly) {
  const auto places = read_places(settings, "ends", N, assembly.dimension());
  std::array<Vec3, N> ends;
  for (std::size_t k = 0; k < N; ++k) ends[k] = places[k];
  return ends;
}

// A vector of two or three numbers.
Vec3 place_of(const Settings& settings, const std::string& key);
// The key `point`, with as many coordinates as the bodies have.
Vec3 point_of_joint(const Settings& settings, const Assembly& assembly);
// That of axis_of_space_key(): all 0 if it is not given in the plane.
Vec3 axis_of_space(const Settings& settings, const Assembly& assembly);

}  // namespace livens
