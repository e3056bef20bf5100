// A plate with an elliptic hole, of triangles that grow away from the hole.
#pragma once

#include <array>

#include "mesh/core/mesh_tools.hpp"

namespace livens {

// [-width/2, width/2] x [-height/2, height/2] without the ellipse about the origin.
struct HoledPlateSpec {
  std::array<double, 2> size{1, 1};      // width, height
  std::array<double, 2> hole{0.1, 0.1};  // semi-axes
  double angle = 0;                      // of the first semi-axis from x, counter-clockwise, in radians
  int cells = 32;                        // around the hole; an even number is taken
  int refine = 0;                        // so many times every triangle into 4; the hole keeps its edges
  ElementKind kind = ElementKind::tri6;
};

// Groups: hole, x_min, x_max, y_min, y_max. Throws MeshError for sizes that make no such plate.
Mesh holed_plate_mesh(const HoledPlateSpec& spec);

}  // namespace livens
