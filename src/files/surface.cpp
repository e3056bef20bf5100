#include "files/surface.hpp"

#include <cmath>

#include <livens/mesh.hpp>

#include "model/rigid_shape.hpp"

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
    add_facet(surface, facets.nodes.data() + at, facets.nodes_each == 6, facets.element[f]);
  }
  return surface;
}

RigidBox rigid_box(const RigidShape& shape) {
  RigidBox box;
  const bool plane = is_planar(shape);
  for (int corner = 0; corner < (plane ? 4 : 8); ++corner) {
    std::array<double, 3> X = shape.center;
    for (std::size_t i = 0; i < (plane ? 2 : 3); ++i)
      for (std::size_t c = 0; c < 3; ++c)
        X[c] += ((corner >> i) % 2 == 1 ? 1 : -1) * std::sqrt(3.0) * shape.half[i] * shape.axes[3 * i + c];
    box.corners.push_back(shape.point(X));
  }
  // Sides as cycles of corners, outward; both triangles of a side leave its diagonal out of the edges.
  static constexpr int sides[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                      {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  const auto add_side = [&](const int(&side)[4]) {
    add_triangle(box.surface, side[0], side[1], side[2], 0b011, 0);
    add_triangle(box.surface, side[0], side[2], side[3], 0b110, 0);
  };
  if (plane) {
    add_side({0, 1, 3, 2});
    return box;
  }
  for (const auto& side : sides) add_side(side);
  return box;
}

}  // namespace livens
