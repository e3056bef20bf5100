// Selections of nodes of a body, by their reference positions or by what the mesh calls them. Constraints and loads
// refer to them by name:
//
//   add(assembly, PlaneSelection{.body = "beam", .point = {0, 0, 0}, .normal = {1, 0, 0}}, "clamp");
//   add(assembly, Fixed{.selection = "clamp"}, "wall");
//
// What a mesh names needs no selection: "beam.x_min", "beam.boundary", "beam.all" mean the same everywhere.
#pragma once

#include <limits>
#include <optional>
#include <string>

#include <livens/assembly.hpp>

namespace livens {

// In each: body "" is the only one of the assembly; `within` is the tolerance in m, by default 1e-6 of the body's
// diameter. A selection without nodes is refused.

struct BoxSelection {
  static constexpr double infinite = std::numeric_limits<double>::infinity();
  std::string body{};
  Vec3 min{-infinite, -infinite, -infinite};  // m, corner with the least coordinates
  Vec3 max{infinite, infinite, infinite};     // m, corner with the greatest
  std::optional<double> within{};
};

struct PlaneSelection {  // in 2D a line
  std::string body{};
  Vec3 point{};   // m, of the plane
  Vec3 normal{};  // of any length
  std::optional<double> within{};
};

struct SphereSelection {  // all of the ball, in 2D of the disk
  std::string body{};
  Vec3 point{};       // m, its centre
  double radius = 0;  // m
  std::optional<double> within{};
};

struct NearestSelection {  // the one node nearest to a point
  std::string body{};
  Vec3 point{};  // m
};

struct GroupSelection {
  std::string body{};
  std::string group;  // all, boundary, or a group or region of the mesh
};

struct BoundarySelection {  // the surface of a solid
  std::string body{};
};

// Keep the nodes in assembly.selections[name]. Throw AssemblyError.
void add(Assembly& assembly, const BoxSelection& selection, const std::string& name);
void add(Assembly& assembly, const PlaneSelection& selection, const std::string& name);
void add(Assembly& assembly, const SphereSelection& selection, const std::string& name);
void add(Assembly& assembly, const NearestSelection& selection, const std::string& name);
void add(Assembly& assembly, const GroupSelection& selection, const std::string& name);
void add(Assembly& assembly, const BoundarySelection& selection, const std::string& name);

// The nodes that `selection` means: those of the selection of that name, or of "body.group". Throws AssemblyError with
// the key "selection".
NodeSet selected_nodes(const Assembly& assembly, const std::string& selection);

}  // namespace livens
