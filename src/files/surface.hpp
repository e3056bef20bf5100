// What can be seen of a mesh, as triangles.
#pragma once

#include <array>
#include <vector>

#include <livens/model.hpp>

namespace livens {

struct SurfaceTriangles {
  std::vector<int> nodes;       // triangles x 3, of the mesh; outward
  std::vector<unsigned> edges;  // bit k: the side from corner k to the next is an edge of an element
  std::vector<int> element;     // that each belongs to
};

// The boundary of a 3D mesh, or all of a 2D mesh; facets with midsides are cut into four.
SurfaceTriangles surface_triangles(const Mesh& mesh);

// A rigid body is shown as the uniform box that has its mass and inertia, int x^2 dm / m = side^2 / 12; in the plane as
// a square.
struct RigidBox {
  SurfaceTriangles surface;                    // its nodes are the corners
  std::vector<std::array<double, 4>> corners;  // as weights of the nodes of the body
};
RigidBox rigid_box(const RigidShape& shape);

}  // namespace livens
