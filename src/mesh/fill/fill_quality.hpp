// How good a filling is: its distance from the surface it fills.
#pragma once

#include "mesh/fill/fill_tree.hpp"

namespace livens::geometry {

// Points on the surface, at most `spacing` apart (vertices and points of long triangles), and how far they are from
// other triangles.
struct SurfaceGap {
  double largest = 0;
  Vec3 place;
  std::size_t far = 0, points = 0;  // far: farther than `limit`
};
SurfaceGap gap_between(const Surface& surface, const TriangleTree& other, double spacing, double limit);

}  // namespace livens::geometry
