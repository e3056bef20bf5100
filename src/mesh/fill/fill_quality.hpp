// How good a filling is: edges, angles, distance from the surface it fills.
#pragma once

#include "mesh/fill/fill_tree.hpp"

namespace livens::geometry {

struct TetQuality {
  double mean_edge = 0, min_dihedral = 180, max_dihedral = 0;  // degrees
  double volume = 0;
  double min_tet_volume = HUGE_VAL;
};
TetQuality tet_quality(const std::vector<double>& X, const std::vector<int>& tets);

// Points on the surface, at most `spacing` apart (vertices and points of long triangles), and how far they are from
// other triangles.
struct SurfaceGap {
  double largest = 0;
  Vec3 place;
  std::size_t far = 0, points = 0;  // far: farther than `limit`
};
SurfaceGap gap_between(const Surface& surface, const TriangleTree& other, double spacing, double limit);

}  // namespace livens::geometry
