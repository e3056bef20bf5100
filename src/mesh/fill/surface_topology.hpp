// Edges of a surface and what they connect.
#pragma once

#include <string>
#include <vector>

#include "mesh/fill/surface_geometry.hpp"

namespace livens::geometry {

struct EdgeUse {
  int a, b;  // a < b
  int triangle;
  bool forward;  // the triangle runs from a to b
};
// Of all triangles, sorted by edge; the uses of one edge follow each other.
std::vector<EdgeUse> edge_uses(const Surface& surface);

// body(begin, end) for every edge, as a range of its uses.
template <class Body>
void for_each_edge(const std::vector<EdgeUse>& uses, const Body& body) {
  for (std::size_t k = 0; k < uses.size();) {
    std::size_t end = k + 1;
    while (end < uses.size() && uses[end].a == uses[k].a && uses[end].b == uses[k].b) ++end;
    body(k, end);
    k = end;
  }
}

// Edges that are not run through as often forwards as backwards.
int open_edges(const Surface& surface);

// Closed loops of vertices along edges with one triangle, in the direction a triangle that closes them would have.
std::vector<std::vector<int>> hole_loops(const Surface& surface);

// Throws a MeshError unless all indices name a vertex and all coordinates are finite and below 1e30.
void check_indices(const Surface& surface, const std::string& name);
inline constexpr double coordinate_max = 1e30;

// Equal points (tolerance 0) or points nearer than the tolerance become one; returns how many vertices went.
int merge_points(Surface& surface, double tolerance);

// Makes triangles with a common edge run through it in opposite directions, pieces keeping the sense of most of their
// triangles.
struct Orientation {
  int flipped = 0;
  int pieces = 0;
  std::vector<int> piece;  // of each triangle; connected by edges of two triangles
  int conflict = -1;       // a triangle where it is impossible: a Moebius strip
};
Orientation orient(Surface& surface);

// Flips whole pieces so that the body is inside: outer pieces outwards; a piece inside another one is a cavity if its
// sense was opposite to that piece's. Returns the number of flipped pieces.
int orient_outwards(Surface& surface, const Orientation& orientation);

}  // namespace livens::geometry
