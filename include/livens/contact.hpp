// Contact of bodies with rigid things, by a penalty on nodes: it does not prevent penetration, and does not see
// features smaller than an edge. Each struct is what the [[contact]] of the same name says; add() throws AssemblyError,
// with the member that is at fault, if it does not fit.
#pragma once

#include <optional>
#include <string>

#include <livens/assembly.hpp>

namespace livens {

// A rigid half space.
struct ContactPlane {
  std::string body = {};  // that touches it; "": all bodies
  Vec3 point{};           // m, of its surface
  Vec3 normal{};          // -, towards the free side; of any length
  // Of solids: pressure per depth over Young's modulus / mean edge length of the surface; 1 is as stiff as one more
  // layer of elements.
  double relative_stiffness = 10;
  std::optional<double> stiffness = {};  // N/m, of each particle; bodies of particles need it
  std::optional<double> onset = {};      // m, depth over which the stiffness sets in; bodies of particles need it
};
void add(Assembly& assembly, const ContactPlane& plane, const std::string& name);

// A rigid ball, in 2D a disk.
struct ContactSphere {
  std::string body = {};                 // that touches it; "": all bodies
  Vec3 point{};                          // m, its centre
  double radius = 0;                     // m
  double relative_stiffness = 10;        // -, as of a plane
  std::optional<double> stiffness = {};  // N/m, of each particle; bodies of particles need it
  std::optional<double> onset = {};      // m, depth over which the stiffness sets in; bodies of particles need it
};
void add(Assembly& assembly, const ContactSphere& sphere, const std::string& name);

}  // namespace livens
