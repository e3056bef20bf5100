// Contact of bodies with each other and with rigid things. Each struct is what the [[contact]] of the same name says;
// add() throws AssemblyError, with the member that is at fault, if it does not fit.
//
// By a penalty on nodes: it does not prevent penetration, and does not see features smaller than an edge. By a barrier:
// surfaces never pass through each other. By impacts: balls and rigid bodies bounce at instants (docs/contact.md).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <livens/assembly.hpp>
#include <livens/bodies.hpp>

namespace livens {

// How a barrier keeps surfaces apart. The pressure at a gap of y times the distance is
// pressure (4/27) (1 - y^2)^2 (1 + 2 y^2) / y^3: `pressure` at half the distance, nothing beyond it, and without bound
// towards the surface.
struct BarrierRule {
  // m, below which surfaces push; none: a tenth of the mean edge of the finer surface
  std::optional<double> distance = {};
  // Pa, at half the distance; none: 0.03 of Young's modulus of the softer body; needed where neither has one
  std::optional<double> pressure = {};
  std::optional<double> radius = {};  // m, of particles; they need it
  double friction = 0;                // -, coefficient of Coulomb friction
  // m/s, below which friction falls to nothing; none: 0.002 of the speed of a fall through the diagonal of the bodies
  // that move, or of the largest one at the start; without both a thousandth of the diagonal in a second
  std::optional<double> stick_speed = {};
  // -, speed after over speed before of an impact: 1 gives back all that an impact stores, 0 nothing
  double restitution = 1;
  // Points inside every facet that push beside its corners, so many a side: the force is an integral over the surface,
  // also of meshes that do not match; 0: corners alone. Methods with steps for contact only, not layers.
  int samples = 0;
  bool repair = false;        // bodies that meet at the start are pushed apart, if they are free to move
  std::string shown_in = {};  // file (OBJ) for what meets at the start and is refused; "": none is written
};

// Impacts at instants: bodies move freely between them, and at each the momentum is reflected.
struct ImpactRule {
  std::optional<double> radius = {};  // m, of particles; they need it
  double restitution = 1;             // -, speed after over speed before
  double friction = 0;                // -, tangential over normal impulse, at most
};

// Surfaces of solids, rigid bodies, particles and obstacles that do not pass through each other.
struct ContactBodies {
  std::vector<std::string> bodies = {};  // none: all that have a surface
  bool self = false;                     // each solid touches itself, too
  BarrierRule barrier = {};
  std::vector<std::array<std::string, 2>> exclude = {};  // pairs of bodies that do not touch
  std::optional<ImpactRule> impact = {};                 // instead of the barrier; of balls only
};
void add(Assembly& assembly, const ContactBodies& contact, const std::string& name);

// A rigid half space.
struct ContactPlane {
  std::string body = {};  // that touches it; "": all bodies
  Vec3 point{};           // m, of its surface
  Vec3 normal{};          // -, towards the free side; of any length
  // Of solids: pressure per depth over Young's modulus / mean edge length of the surface; 1 is as stiff as one more
  // layer of elements.
  double relative_stiffness = 10;
  std::optional<double> stiffness = {};     // N/m, of each particle; bodies of particles need it
  std::optional<double> onset = {};         // m, depth over which the stiffness sets in; bodies of particles need it
  std::optional<BarrierRule> barrier = {};  // instead of the penalty
  std::optional<ImpactRule> impact = {};    // instead of both
};
void add(Assembly& assembly, const ContactPlane& plane, const std::string& name);

// A rigid ball, in 2D a disk.
struct ContactSphere {
  std::string body = {};                    // that touches it; "": all bodies
  Vec3 point{};                             // m, its centre
  double radius = 0;                        // m
  double relative_stiffness = 10;           // -, as of a plane
  std::optional<double> stiffness = {};     // N/m, of each particle; bodies of particles need it
  std::optional<double> onset = {};         // m, depth over which the stiffness sets in; bodies of particles need it
  bool inside = false;                      // bodies are in the ball: of a barrier or of impacts
  std::optional<BarrierRule> barrier = {};  // instead of the penalty
  std::optional<ImpactRule> impact = {};    // instead of both
};
void add(Assembly& assembly, const ContactSphere& sphere, const std::string& name);

// A rigid shape at rest, by a barrier. An obstacle of the contact's name is added to the assembly, whose surface it is.
struct ContactShape {
  std::string body = {};  // that touches it; "": all bodies that are not held
  BodyShape shape = {};   // where it is
  bool inside = false;    // bodies are in it
  BarrierRule barrier = {};
};
void add(Assembly& assembly, const ContactShape& shape, const std::string& name);

}  // namespace livens
