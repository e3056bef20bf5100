// What can be seen of a mesh, as triangles.
#pragma once

#include <vector>

#include <livens/mesh.hpp>

namespace livens {

struct SurfaceTriangles {
  std::vector<int> nodes;       // triangles x 3, of the mesh; outward
  std::vector<unsigned> edges;  // bit k: the side from corner k to the next is an edge of an element
  std::vector<int> element;     // that each belongs to
};

// The boundary of a 3D mesh, or all of a 2D mesh; facets with midsides are cut into four.
SurfaceTriangles surface_triangles(const Mesh& mesh);

}  // namespace livens
