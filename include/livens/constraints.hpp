// Joints, rods, supports and other constraints. Each kind is a struct whose members are the keys of its table in a
// scene, and add() puts it into an assembly whose bodies are there already:
//
//   add(assembly, Revolute{.bodies = {"ground", "arm"}, .point = {0, 0, 0}, .axis = {0, 0, 1}}, "hinge");
//   add(assembly, Distance{.bodies = {"arm", "bob"}, .ends = {{{1, 0, 0}, {1, -1, 0}}}}, "rod");
//
// Bodies go by their names; "ground" is a body where two or more are asked for. Points and axes are those at the start,
// in the frame of the ground. A point of a rigid body may be anywhere; of particles and solids it is a node. In 2D the
// third coordinates are not used, and the numbers of equations are those in brackets. All lengths are in m.
//
// add() throws AssemblyError, whose key is the member that is at fault.
#pragma once

#include <array>
#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <livens/assembly.hpp>
#include <livens/constraint.hpp>
#include <livens/selections.hpp>

namespace livens {

// --- your own --------------------------------------------------------------------------------------------------------

// Any g(t, q) = 0: a class of yours derived from Constraint. Coordinates of node k of a body begin at
// body.first + k * body.dimension. `enforcement` replaces the constraint's own.
//
//   add(assembly, std::make_shared<Parabola>("slide", ...));
//   add(assembly, std::make_shared<Parabola>("slide", ...), {Enforcement::Kind::penalty, 1e6});
void add(Assembly& assembly, std::shared_ptr<Constraint> constraint, const Enforcement& enforcement = {});

// --- supports: nodes whose coordinates are known, and therefore no unknowns ------------------------------------------

// Nodes that stay where they start.
struct Fixed {
  std::string selection;     // name of a selection, or "body.group"
  std::string components{};  // directions that are held, such as "xz"; "" for all
};

// One component u(X, t) of a prescribed displacement, m, with its derivatives by t. X is the reference position.
//
//   std::vector<Displacement> up_and_down = {0, {}, "0.1*sin(3*t)"};  // nothing in x, free in y, a sine in z
class Displacement {
 public:
  using Function = std::function<std::array<double, 3>(const Vec3& X, double t)>;  // {u, du/dt, d2u/dt2}
  using Parameters = std::map<std::string, double, std::less<>>;

  Displacement() = default;  // free: the component is not prescribed
  Displacement(double constant);
  template <std::convertible_to<Function> F>
  Displacement(F f) : with_acceleration_(std::move(f)) {}
  // As in scenes: an expression of X, Y, Z, t and parameters, differentiated exactly. Throws AssemblyError with the key
  // "displacement" if it cannot be read.
  Displacement(const std::string& expression, const Parameters& parameters);
  template <std::convertible_to<std::string_view> Text>
  Displacement(const Text& expression) : Displacement(std::string(std::string_view(expression)), Parameters{}) {}

  bool free() const { return !with_acceleration_; }
  std::array<double, 2> with_velocity(const Vec3& X, double t) const;  // u, du/dt
  std::array<double, 3> with_acceleration(const Vec3& X, double t) const { return with_acceleration_(X, t); }

 private:
  Function with_acceleration_;
  std::function<std::array<double, 2>(const Vec3&, double)> with_velocity_;  // if it is cheaper
};

// Nodes that move as given, x = X + u(X, t).
struct Prescribed {
  std::string selection;                   // name of a selection, or "body.group"
  std::vector<Displacement> displacement;  // one per dimension
};

void add(Assembly& assembly, const Fixed& support, const std::string& name);
void add(Assembly& assembly, const Prescribed& support, const std::string& name);

// --- joints ----------------------------------------------------------------------------------------------------------

// Two rigid bodies that do not move relative to each other (6 equations [3]). In scenes: fixed, with bodies.
struct Weld {
  std::array<std::string, 2> bodies;
  Enforcement enforcement{};
};

// A point of a body that moves as given (1 equation per component). In scenes: prescribed, with bodies and point.
struct PrescribedPoint {
  std::array<std::string, 1> bodies;
  Vec3 point{};
  std::vector<Displacement> displacement;  // one per dimension
  Enforcement enforcement{};
};

// Ball joint: a point of one body stays on a point of the other (3 equations [2]).
struct Spherical {
  std::array<std::string, 2> bodies;
  Vec3 point{};
  Enforcement enforcement{};
};

// Hinge: a point and an axis in common (5 equations [2]).
struct Revolute {
  std::array<std::string, 2> bodies;
  Vec3 point{};
  Vec3 axis{};  // of any length; in 2D it is that of z and need not be given
  Enforcement enforcement{};
};

// Slides along an axis without rotation (5 equations [2]).
struct Prismatic {
  std::array<std::string, 2> bodies;
  Vec3 point{};
  Vec3 axis{};
  Enforcement enforcement{};
};

// Rotates about an axis and slides along it (4 equations). In space only.
struct Cylindrical {
  std::array<std::string, 2> bodies;
  Vec3 point{};
  Vec3 axis{};
  Enforcement enforcement{};
};

// Cardan joint: a point in common, and two perpendicular axes, one in each body (4 equations). In space only.
struct Universal {
  std::array<std::string, 2> bodies;
  Vec3 point{};
  Vec3 axis{};         // of the first body
  Vec3 second_axis{};  // of the second body, perpendicular to the first
  Enforcement enforcement{};
};

// Nodes of a solid, or particles, that are fixed to a rigid body (3 equations [2] per node).
struct Attachment {
  std::string body;       // the rigid one
  std::string selection;  // name of a selection, or "body.group"
  Enforcement enforcement{};
};

void add(Assembly& assembly, const Weld& joint, const std::string& name);
void add(Assembly& assembly, const PrescribedPoint& joint, const std::string& name);
void add(Assembly& assembly, const Spherical& joint, const std::string& name);
void add(Assembly& assembly, const Revolute& joint, const std::string& name);
void add(Assembly& assembly, const Prismatic& joint, const std::string& name);
void add(Assembly& assembly, const Cylindrical& joint, const std::string& name);
void add(Assembly& assembly, const Universal& joint, const std::string& name);
void add(Assembly& assembly, const Attachment& joint, const std::string& name);

// --- rods and other relations between points ------------------------------------------------------------------------

// Massless rod between two points (1 equation).
struct Distance {
  std::array<std::string, 2> bodies;
  std::array<Vec3, 2> ends{};
  double length = 0;  // 0: as at the start
  Enforcement enforcement{};
};

// Rods between all neighbours of bodies of particles, as long as at the start. In scenes: distance, without bodies.
struct NeighbourDistances {
  std::string body{};  // "" for all bodies
  Enforcement enforcement{};
};

// Three points on one line (3 equations, of which 2 are independent [1]).
struct Alignment {
  std::array<std::string, 3> bodies;
  std::array<Vec3, 3> ends{};
  Enforcement enforcement{};
};

// A point of the second body on a surface of the first (1 equation). Cylinders belong to the ground.
struct PointOnSurface {
  enum class Surface { plane, sphere, cylinder };
  std::array<std::string, 2> bodies;
  Surface surface = Surface::plane;
  Vec3 center{};      // of the sphere, or a point of the plane or of the cylinder's axis
  Vec3 point{};       // of the second body
  Vec3 axis{};        // of the cylinder; normal of the plane
  double radius = 0;  // of the sphere or cylinder
  Enforcement enforcement{};
};

// g = 0 written as in scenes: of x, y, z, t of one point, or x1, y1, z1, x2, ..., t of several; and, if "system" is
// among the bodies, of the generalised coordinates.
struct ExpressionConstraint {
  std::vector<std::string> bodies;
  std::vector<Vec3> ends;  // the points, one per body of nodes
  std::vector<std::string> g;
  std::map<std::string, double, std::less<>> parameters{};  // that g may name
  Enforcement enforcement{};
};

void add(Assembly& assembly, const Distance& rod, const std::string& name);
void add(Assembly& assembly, const NeighbourDistances& rods, const std::string& name);
void add(Assembly& assembly, const Alignment& constraint, const std::string& name);
void add(Assembly& assembly, const PointOnSurface& constraint, const std::string& name);
void add(Assembly& assembly, const ExpressionConstraint& constraint, const std::string& name);

}  // namespace livens
