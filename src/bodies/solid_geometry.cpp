// Mass, areas and volumes of meshes.
#include <algorithm>
#include <cmath>

#include "bodies/solid.hpp"
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

using Point = std::array<double, 3>;

Point position(const Mesh& mesh, int node) {
  const std::size_t dim = at(mesh.dimension());
  const double* X = &mesh.X[at(node) * dim];
  return {X[0], X[1], dim == 3 ? X[2] : 0.0};
}

double length(const Point& a, const Point& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

double triangle_area(const Point& a, const Point& b, const Point& c) {
  const Point u{b[0] - a[0], b[1] - a[1], b[2] - a[2]}, v{c[0] - a[0], c[1] - a[1], c[2] - a[2]};
  return 0.5 * std::hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]);
}

double determinant(const double (&m)[3][3], int dim) {
  if (dim == 2) return m[0][0] * m[1][1] - m[0][1] * m[1][0];
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

// det(dx/d(L_1 ... L_dim)) at the barycentric point L: vertices N = L (2 L - 1), midsides N = 4 L_i L_j.
double jacobian(const Mesh& mesh, int element, const double* x, const double* L) {
  const int dim = mesh.dimension(), vertices = dim + 1;
  const int* node = mesh.element(element);
  double d[4][3] = {};  // dx/dL_k
  for (int k = 0; k < vertices; ++k)
    for (int c = 0; c < dim; ++c) {
      const double own = x[at(node[k] * dim + c)];
      d[k][c] += quadratic(mesh.kind) ? (4 * L[k] - 1) * own : own;
    }
  for (int e = 0; quadratic(mesh.kind) && e < edges_of(mesh.kind); ++e)
    for (int c = 0; c < dim; ++c) {
      const auto [i, j] = simplex_edges[at(e)];
      const double middle = x[at(node[vertices + e] * dim + c)];
      d[i][c] += 4 * L[j] * middle;
      d[j][c] += 4 * L[i] * middle;
    }
  double m[3][3] = {};
  for (int k = 0; k < dim; ++k)
    for (int c = 0; c < dim; ++c) m[c][k] = d[k + 1][c] - d[0][c];
  return determinant(m, dim);
}

}  // namespace

// The determinant is of degree 2 in a triangle and 3 in a tetrahedron: three midsides, and the five points of degree 3.
double element_volume(const Mesh& mesh, int element, const double* x) {
  const int vertices = vertices_of(mesh.kind);
  const double simplex = vertices == 3 ? 0.5 : 1.0 / 6;
  double L[4] = {0.25, 0.25, 0.25, 0.25};
  if (!quadratic(mesh.kind)) return simplex * jacobian(mesh, element, x, L);
  double sum = 0;
  if (vertices == 3) {
    for (int k = 0; k < 3; ++k) {
      for (int i = 0; i < 3; ++i) L[i] = i == k ? 0 : 0.5;
      sum += jacobian(mesh, element, x, L) / 3;
    }
    return simplex * sum;
  }
  sum = -0.8 * jacobian(mesh, element, x, L);
  for (int k = 0; k < 4; ++k) {
    for (int i = 0; i < 4; ++i) L[i] = i == k ? 0.5 : 1.0 / 6;
    sum += 0.45 * jacobian(mesh, element, x, L);
  }
  return simplex * sum;
}

SolidMass solid_mass(const Mesh& mesh, const std::vector<double>& density, double thickness, bool consistent) {
  SolidMass mass;
  mass.diagonal.assign(at(mesh.nodes()), 0.0);
  const int n = nodes_of(mesh.kind);
  for (int e = 0; e < mesh.elements(); ++e) {
    const int* node = mesh.element(e);
    const double m = density[at(mesh.region[at(e)])] * thickness * element_volume(mesh, e, mesh.X.data());
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

double facet_share(ElementKind kind, int local) {
  switch (kind) {
    case ElementKind::tri3: return 0.5;
    case ElementKind::tri6: return local < 2 ? 1.0 / 6 : 2.0 / 3;
    case ElementKind::tet4: return 1.0 / 3;
    case ElementKind::tet10: break;
  }
  return local < 3 ? 1.0 / 19 : 16.0 / 57;
}

const SolidSurface& SolidBody::surface() const {
  if (surface_) return *surface_;
  SolidSurface made;
  made.facets = boundary_facets(*mesh);
  const int n = made.facets.nodes_each, vertices = mesh->dimension();
  double edges = 0;
  for (int f = 0; f < made.facets.count(); ++f) {
    Point X[3];
    for (int k = 0; k < vertices; ++k) X[k] = position(*mesh, made.facets.nodes[at(f * n + k)]);
    for (int k = 0; k < vertices; ++k) edges += length(X[k], X[(k + 1) % vertices]) / vertices;
    made.area.push_back(vertices == 3 ? triangle_area(X[0], X[1], X[2]) : thickness * length(X[0], X[1]));
  }
  made.edge = made.facets.count() > 0 ? edges / made.facets.count() : 0;
  surface_ = std::move(made);
  return *surface_;
}

std::vector<double> nodal_areas(const SolidBody& solid, const std::vector<bool>& marked) {
  const SolidSurface& surface = solid.surface();
  const int n = surface.facets.nodes_each;
  std::vector<double> areas(at(solid.mesh->nodes()), 0.0);
  for (int f = 0; f < surface.facets.count(); ++f) {
    const int* node = &surface.facets.nodes[at(f * n)];
    if (!std::all_of(node, node + n, [&](int a) { return marked[at(a)]; })) continue;
    for (int k = 0; k < n; ++k) areas[at(node[k])] += surface.area[at(f)] * facet_share(solid.mesh->kind, k);
  }
  return areas;
}

}  // namespace livens
