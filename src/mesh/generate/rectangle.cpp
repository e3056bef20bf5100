// Rectangles of triangles. The diagonal of a cell joins its nodes of even i + j, so that no direction is preferred.
#include <algorithm>

#include <livens/meshes.hpp>

#include "mesh/core/size.hpp"
#include "mesh/core/topology.hpp"
#include "mesh/generate/grading.hpp"

namespace livens {

Mesh rectangle_mesh(const RectangleSpec& spec) {
  if (dimension_of(spec.kind) != 2)
    throw MeshError("rectangle: its elements are tri3 or tri6, not " + to_string(spec.kind));
  const double cells = static_cast<double>(std::max(spec.cells[0], 1)) * std::max(spec.cells[1], 1);
  require_elements(cells * 2, spec.kind, "rectangle", "Take fewer cells");

  std::array<std::vector<double>, 2> axis;
  for (std::size_t c = 0; c < 2; ++c)
    axis[c] = graded_points(spec.corner[c], spec.size[c], spec.cells[c], spec.grading[c], "rectangle", "xy"[c]);

  Mesh mesh;
  mesh.kind = ElementKind::tri3;
  mesh.regions = {"all"};
  mesh.X.reserve(2 * axis[0].size() * axis[1].size());
  for (const double y : axis[1])
    for (const double x : axis[0]) mesh.X.insert(mesh.X.end(), {x, y});

  const auto [nx, ny] = spec.cells;
  mesh.connectivity.reserve(6 * static_cast<std::size_t>(cells));
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) {
      const int a = i + (nx + 1) * j, b = a + 1, c = b + nx + 1, d = c - 1;  // counter-clockwise
      if ((i + j) % 2 == 0)
        mesh.connectivity.insert(mesh.connectivity.end(), {a, b, c, a, c, d});
      else
        mesh.connectivity.insert(mesh.connectivity.end(), {a, b, d, b, c, d});
    }
  mesh.region.assign(2 * static_cast<std::size_t>(cells), 0);

  for (int node = 0; node < mesh.nodes(); ++node) {
    const int i = node % (nx + 1), j = node / (nx + 1);
    if (i == 0) mesh.groups["x_min"].push_back(node);
    if (i == nx) mesh.groups["x_max"].push_back(node);
    if (j == 0) mesh.groups["y_min"].push_back(node);
    if (j == ny) mesh.groups["y_max"].push_back(node);
  }
  return spec.kind == ElementKind::tri6 ? to_quadratic(mesh) : mesh;
}

}  // namespace livens
