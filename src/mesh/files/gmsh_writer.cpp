#include "mesh/files/gmsh_writer.hpp"

#include <map>
#include <vector>

#include <fmt/format.h>

namespace livens {
namespace {

// Gmsh's number of an element type. Its node order is that of VTK, but for the last two midsides of a tetrahedron.
int gmsh_type(ElementKind kind) {
  switch (kind) {
    case ElementKind::tri3: return 2;
    case ElementKind::tri6: return 9;
    case ElementKind::tet4: return 4;
    case ElementKind::tet10: break;
  }
  return 11;
}

constexpr int point_type = 15;

}  // namespace

std::string gmsh_text(const Mesh& mesh) {
  const int d = mesh.dimension(), per_element = nodes_of(mesh.kind);
  fmt::memory_buffer out;
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n{}\n",
                 mesh.regions.size() + mesh.groups.size());
  for (std::size_t r = 0; r < mesh.regions.size(); ++r) fmt::format_to(to, "{} {} \"{}\"\n", d, r + 1, mesh.regions[r]);
  std::size_t tag = mesh.regions.size();
  std::map<int, std::vector<std::size_t>> groups_of;  // node
  for (const auto& [name, nodes] : mesh.groups) {
    fmt::format_to(to, "0 {} \"{}\"\n", ++tag, name);
    for (const int a : nodes) groups_of[a].push_back(tag);
  }
  fmt::format_to(to, "$EndPhysicalNames\n$Nodes\n{}\n", mesh.nodes());
  for (int a = 0; a < mesh.nodes(); ++a) {
    const double* x = mesh.X.data() + static_cast<std::ptrdiff_t>(a) * d;
    fmt::format_to(to, "{} {} {} {}\n", a + 1, x[0], x[1], d == 3 ? x[2] : 0.0);
  }
  std::size_t points = 0;
  for (const auto& entry : groups_of) points += entry.second.size();
  fmt::format_to(to, "$EndNodes\n$Elements\n{}\n", points + static_cast<std::size_t>(mesh.elements()));
  std::size_t number = 0;
  for (const auto& [node, tags] : groups_of)
    for (const std::size_t group : tags)
      fmt::format_to(to, "{} {} 2 {} {} {}\n", ++number, point_type, group, node + 1, node + 1);
  for (int e = 0; e < mesh.elements(); ++e) {
    const int region = mesh.region[e] + 1;
    fmt::format_to(to, "{} {} 2 {} {}", ++number, gmsh_type(mesh.kind), region, region);
    for (int a = 0; a < per_element; ++a) {
      const int place = mesh.kind == ElementKind::tet10 && a >= 8 ? 17 - a : a;
      fmt::format_to(to, " {}", mesh.element(e)[place] + 1);
    }
    fmt::format_to(to, "\n");
  }
  fmt::format_to(to, "$EndElements\n");
  return fmt::to_string(out);
}

}  // namespace livens
