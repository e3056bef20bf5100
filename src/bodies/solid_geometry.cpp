// Mass and volumes of meshes.
#include <algorithm>

#include "bodies/solid.hpp"
#include "elements/volume_points.hpp"
#include "mesh/core/topology.hpp"

namespace livens {
namespace {

// Entry of the consistent mass matrix of a straight element of mass 1, integral of N_a N_b over the volume.
// P1: (1 + delta)/((d + 1)(d + 2)). P2, in units of 1/180 (triangle) or 1/420 (tetrahedron): vertices 6 and -1 or 1,
// vertex with the midside of an edge that it is on 0 or -4, with another -4 or -6, midsides 32, 16 where edges meet, 8.
double mass_entry(ElementKind kind, int a, int b) {
  const int vertices = vertices_of(kind);
  const bool solid = vertices == 4;
  if (!quadratic(kind)) return (a == b ? 2.0 : 1.0) / (vertices * (vertices + 1));
  const double unit = solid ? 1.0 / 420 : 1.0 / 180;
  if (a == b) return (a < vertices ? 6 : 32) * unit;
  if (a > b) std::swap(a, b);
  if (b < vertices) return (solid ? 1 : -1) * unit;
  const auto& edge = simplex_edges[at(b - vertices)];
  if (a < vertices) {
    const bool on = edge[0] == a || edge[1] == a;
    return (solid ? (on ? -4 : -6) : (on ? 0 : -4)) * unit;
  }
  const auto& other = simplex_edges[at(a - vertices)];
  const bool meet = edge[0] == other[0] || edge[0] == other[1] || edge[1] == other[0] || edge[1] == other[1];
  return (meet ? 16 : 8) * unit;
}

void merge_entries(std::vector<MassEntry>& entries) {
  std::sort(entries.begin(), entries.end(), [](const MassEntry& a, const MassEntry& b) {
    return a.row != b.row ? a.row < b.row : a.column < b.column;
  });
  std::size_t kept = 0;
  for (const MassEntry& entry : entries) {
    if (kept > 0 && entries[kept - 1].row == entry.row && entries[kept - 1].column == entry.column)
      entries[kept - 1].value += entry.value;
    else
      entries[kept++] = entry;
  }
  entries.resize(kept);
  std::erase_if(entries, [](const MassEntry& entry) { return entry.value == 0; });
}

}  // namespace

// The determinant is of degree 2 in a triangle and 3 in a tetrahedron: three midsides, and the five points of degree 3.
double element_volume(const Mesh& mesh, int element, const double* x) {
  const int vertices = vertices_of(mesh.kind);
  const double simplex = vertices == 3 ? 0.5 : 1.0 / 6;
  double L[4] = {0.25, 0.25, 0.25, 0.25};
  if (!quadratic(mesh.kind)) return simplex * reference_jacobian(mesh, element, x, L);
  double sum = 0;
  if (vertices == 3) {
    for (int k = 0; k < 3; ++k) {
      for (int i = 0; i < 3; ++i) L[i] = i == k ? 0 : 0.5;
      sum += reference_jacobian(mesh, element, x, L) / 3;
    }
    return simplex * sum;
  }
  sum = -0.8 * reference_jacobian(mesh, element, x, L);
  for (int k = 0; k < 4; ++k) {
    for (int i = 0; i < 4; ++i) L[i] = i == k ? 0.5 : 1.0 / 6;
    sum += 0.45 * reference_jacobian(mesh, element, x, L);
  }
  return simplex * sum;
}

SolidMass solid_mass(const Mesh& mesh, const std::vector<double>& density, double thickness, bool consistent) {
  SolidMass mass;
  mass.diagonal.assign(at(mesh.nodes()), 0.0);
  const int n = nodes_of(mesh.kind);
  for (int e = 0; e < mesh.elements(); ++e) {
    const int* node = mesh.element(e);
    const double m = density[at(e)] * thickness * element_volume(mesh, e, mesh.X.data());
    mass.total += m;
    for (int a = 0; a < n; ++a) {
      mass.diagonal[at(node[a])] += m * (consistent ? mass_entry(mesh.kind, a, a) : lumped_share(mesh.kind, a));
      for (int b = 0; consistent && b < n; ++b)
        if (a != b) mass.off_diagonal.push_back({node[a], node[b], m * mass_entry(mesh.kind, a, b)});
    }
  }
  merge_entries(mass.off_diagonal);
  return mass;
}

}  // namespace livens
