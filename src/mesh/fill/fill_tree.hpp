// The triangles of a surface in a tree of boxes: which are near a line, a segment or a point?
#pragma once

#include <array>
#include <vector>

#include "mesh/fill/surface_geometry.hpp"

namespace livens::geometry {

class TriangleTree {
 public:
  explicit TriangleTree(const Surface& surface);

  // visit(triangle) for every triangle whose box meets the line along x through (y, z).
  template <class Visit>
  void near_line(double y, double z, const Visit& visit) const {
    near_box({{-HUGE_VAL, y, z}, {HUGE_VAL, y, z}}, visit);
  }
  // visit(triangle) for every triangle whose box meets that box.
  template <class Visit>
  void near_box(const Box& box, const Visit& visit) const;

  struct Closest {
    double distance = HUGE_VAL;
    Vec3 point;
    int triangle = -1;
  };
  Closest closest(const Vec3& p) const;

  const Surface& surface() const { return surface_; }

 private:
  struct Node {
    Box box;
    int begin = 0, end = 0;  // of order_, for a leaf
    int right = -1;          // child; the left one follows; -1: a leaf
  };
  static constexpr int depth_max = 64;  // halving: far more than 2^31 triangles

  const Surface& surface_;
  std::vector<Node> nodes_;
  std::vector<int> order_;
};

template <class Visit>
void TriangleTree::near_box(const Box& box, const Visit& visit) const {
  std::array<int, depth_max> stack;
  int top = 0;
  if (!nodes_.empty()) stack[at(top++)] = 0;
  while (top > 0) {
    const int index = stack[at(--top)];
    const Node& node = nodes_[at(index)];
    const Box& b = node.box;
    if (b.min.x > box.max.x || b.max.x < box.min.x || b.min.y > box.max.y || b.max.y < box.min.y ||
        b.min.z > box.max.z || b.max.z < box.min.z)
      continue;
    if (node.right < 0) {
      for (int k = node.begin; k < node.end; ++k) visit(order_[at(k)]);
    } else {
      stack[at(top++)] = node.right;
      stack[at(top++)] = index + 1;
    }
  }
}

// How often the triangle turns around the line along x through (y, z): +1 if the line leaves through it towards +x, -1
// if it enters, 0 if they do not meet. Half-open and computed from the edges alone, in a way that both triangles of an
// edge share: over a closed surface the sum is exactly 0, however the line hits edges and vertices.
int crossing(const Vec3& a, const Vec3& b, const Vec3& c, double y, double z);
// Where on x the line meets the plane of the triangle, within the triangle's extent.
double crossing_place(const Vec3& a, const Vec3& b, const Vec3& c, double y, double z);

// Where the line meets the surface, ascending, and which way it turns there.
void find_crossings(const TriangleTree& tree, double y, double z, std::vector<std::pair<double, int>>& crossings);

Vec3 closest_on_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c);

}  // namespace livens::geometry
