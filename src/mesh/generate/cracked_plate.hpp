// A plate with a straight crack, of triangles or, with a thickness, of tetrahedra; small at the tips of the crack.
#pragma once

#include <array>

#include "mesh/core/mesh_tools.hpp"

namespace livens {

enum class CrackKind { edge, center };

// [0, width] x [-height/2, height/2], cracked on y = 0 from x = 0 to x = length or in the middle of the width; with a
// thickness [0, thickness] in z.
struct CrackedPlateSpec {
  std::array<double, 2> size{1, 1};  // width, height
  CrackKind crack = CrackKind::edge;
  double length = 0.5;       // of the crack
  double tip_size = 0.01;    // sides of the cells at a tip: between half of it and about it
  double edge_length = 0.1;  // sides of the cells far away, about
  int rings = 4;             // of cells of one size around a tip before the size doubles
  double thickness = 0;      // 0: plane
  int layers = 1;            // of cells through the thickness
  int refine = 0;            // so many times every element into 4 or 8
  ElementKind kind = ElementKind::tri6;
};

// Groups: x_min, x_max, y_min, y_max, with a thickness z_min, z_max; crack_tip, or crack_tip_left and crack_tip_right
// of a crack in the middle; crack_upper and crack_lower, the nodes of its faces without the tips. Throws MeshError for
// sizes that make no such plate.
Mesh cracked_plate_mesh(const CrackedPlateSpec& spec);

}  // namespace livens
