#include "outputs/surface.hpp"

#include "mesh/mesh_tools.hpp"

namespace livens {
namespace {

void add_triangle(SurfaceTriangles& surface, int a, int b, int c, unsigned edges, int element) {
  surface.nodes.insert(surface.nodes.end(), {a, b, c});
  surface.edges.push_back(edges);
  surface.element.push_back(element);
}

void add_facet(SurfaceTriangles& surface, const int* n, bool has_midsides, int element) {
  if (!has_midsides) return add_triangle(surface, n[0], n[1], n[2], 0b111, element);
  // Corners 0 1 2 and midsides 3 (01), 4 (12), 5 (20); the inner triangle has no edge of the element.
  add_triangle(surface, n[0], n[3], n[5], 0b101, element);
  add_triangle(surface, n[3], n[1], n[4], 0b011, element);
  add_triangle(surface, n[5], n[4], n[2], 0b110, element);
  add_triangle(surface, n[3], n[4], n[5], 0b000, element);
}

}  // namespace

SurfaceTriangles surface_triangles(const Mesh& mesh) {
  SurfaceTriangles surface;
  if (mesh.dimension() == 2) {
    for (int e = 0; e < mesh.elements(); ++e) add_facet(surface, mesh.element(e), quadratic(mesh.kind), e);
    return surface;
  }
  const Facets facets = boundary_facets(mesh);
  for (int f = 0; f < facets.count(); ++f) {
    const auto at = static_cast<std::size_t>(f) * static_cast<std::size_t>(facets.nodes_each);
    add_facet(surface, facets.nodes.data() + at, facets.nodes_each == 6, facets.element[static_cast<std::size_t>(f)]);
  }
  return surface;
}

}  // namespace livens
