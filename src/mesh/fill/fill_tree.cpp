#include "mesh/fill/fill_tree.hpp"

#include <algorithm>
#include <numeric>

namespace livens::geometry {

namespace {

double component(const Vec3& p, int axis) { return axis == 0 ? p.x : axis == 1 ? p.y : p.z; }

double distance_squared(const Box& box, const Vec3& p) {
  const Vec3 d = most(most(box.min - p, p - box.max), {0, 0, 0});
  return dot(d, d);
}

}  // namespace

TriangleTree::TriangleTree(const Surface& surface) : surface_(surface) {
  constexpr int leaf = 4;
  const int n = triangles(surface);
  order_.resize(at(n));
  std::iota(order_.begin(), order_.end(), 0);
  std::vector<Vec3> middle(at(n));
  for (int t = 0; t < n; ++t) middle[at(t)] = centroid(surface, t);

  struct Task {
    int begin, end, parent;
  };
  std::vector<Task> tasks;
  if (n > 0) tasks.push_back({0, n, -1});
  nodes_.reserve(at(n));
  while (!tasks.empty()) {
    const Task task = tasks.back();
    tasks.pop_back();
    const int index = static_cast<int>(nodes_.size());
    if (task.parent >= 0) nodes_[at(task.parent)].right = index;
    Node node;
    node.begin = task.begin;
    node.end = task.end;
    Box middles;
    for (int k = task.begin; k < task.end; ++k) {
      const int t = order_[at(k)];
      for (int c = 0; c < 3; ++c) node.box.add(corner(surface, t, c));
      middles.add(middle[at(t)]);
    }
    nodes_.push_back(node);
    if (task.end - task.begin <= leaf) continue;
    const Vec3 extent = middles.size();
    const int axis = extent.x >= extent.y && extent.x >= extent.z ? 0 : extent.y >= extent.z ? 1 : 2;
    const int half = task.begin + (task.end - task.begin) / 2;
    std::nth_element(order_.begin() + task.begin, order_.begin() + half, order_.begin() + task.end, [&](int s, int t) {
      const double u = component(middle[at(s)], axis), v = component(middle[at(t)], axis);
      return u != v ? u < v : s < t;
    });
    // The right half is taken up after the whole left one, which follows its parent.
    tasks.push_back({half, task.end, index});
    tasks.push_back({task.begin, half, -1});
  }
}

TriangleTree::Closest TriangleTree::closest(const Vec3& p) const {
  Closest best;
  double best2 = HUGE_VAL;
  std::array<std::pair<int, double>, depth_max> stack;
  int top = 0;
  if (!nodes_.empty()) stack[at(top++)] = {0, 0.0};
  while (top > 0) {
    const auto [index, far] = stack[at(--top)];
    if (far >= best2) continue;
    const Node& node = nodes_[at(index)];
    if (node.right < 0) {
      for (int k = node.begin; k < node.end; ++k) {
        const int t = order_[at(k)];
        const Vec3 q = closest_on_triangle(p, corner(surface_, t, 0), corner(surface_, t, 1), corner(surface_, t, 2));
        const double d2 = dot(q - p, q - p);
        if (d2 < best2) {
          best2 = d2;
          best = {0, q, t};
        }
      }
      continue;
    }
    const double left = distance_squared(nodes_[at(index + 1)].box, p);
    const double right = distance_squared(nodes_[at(node.right)].box, p);
    const bool left_first = left <= right;
    if (std::max(left, right) < best2)
      stack[at(top++)] = left_first ? std::pair{node.right, right} : std::pair{index + 1, left};
    if (std::min(left, right) < best2)
      stack[at(top++)] = left_first ? std::pair{index + 1, left} : std::pair{node.right, right};
  }
  best.distance = std::sqrt(best2);
  return best;
}

int crossing(const Vec3& a, const Vec3& b, const Vec3& c, double y, double z) {
  int turns = 0;
  const auto edge = [&](const Vec3& p, const Vec3& q) {
    const bool up = p.z <= z;
    if (up == (q.z <= z)) return;
    const Vec3& low = up ? p : q;
    const Vec3& high = up ? q : p;
    // Is the edge beyond y where it passes z?
    if ((high.y - low.y) * (z - low.z) > (y - low.y) * (high.z - low.z)) turns += up ? 1 : -1;
  };
  edge(a, b);
  edge(b, c);
  edge(c, a);
  return turns;
}

double crossing_place(const Vec3& a, const Vec3& b, const Vec3& c, double y, double z) {
  const auto [low, high] = std::minmax({a.x, b.x, c.x});
  const Vec3 n = cross(b - a, c - a);
  const double x = a.x - (n.y * (y - a.y) + n.z * (z - a.z)) / n.x;
  return std::isfinite(x) ? std::clamp(x, low, high) : 0.5 * (low + high);
}

// By the region of the plane in which the foot of the perpendicular lies (Ericson, Real-Time Collision
// Detection, 5.1.5).
void find_crossings(const TriangleTree& tree, double y, double z, std::vector<std::pair<double, int>>& crossings) {
  crossings.clear();
  tree.near_line(y, z, [&](int t) {
    const Vec3 a = corner(tree.surface(), t, 0), b = corner(tree.surface(), t, 1), c = corner(tree.surface(), t, 2);
    const int turns = crossing(a, b, c, y, z);
    if (turns != 0) crossings.emplace_back(crossing_place(a, b, c, y, z), turns);
  });
  std::sort(crossings.begin(), crossings.end());
}

Vec3 closest_on_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 ab = b - a, ac = c - a, ap = p - a;
  const double d1 = dot(ab, ap), d2 = dot(ac, ap);
  if (d1 <= 0 && d2 <= 0) return a;
  const Vec3 bp = p - b;
  const double d3 = dot(ab, bp), d4 = dot(ac, bp);
  if (d3 >= 0 && d4 <= d3) return b;
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return a + (d1 > d3 ? d1 / (d1 - d3) : 0.0) * ab;
  const Vec3 cp = p - c;
  const double d5 = dot(ab, cp), d6 = dot(ac, cp);
  if (d6 >= 0 && d5 <= d6) return c;
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return a + (d2 > d6 ? d2 / (d2 - d6) : 0.0) * ac;
  const double va = d3 * d6 - d5 * d4, along = d4 - d3, back = d5 - d6;
  if (va <= 0 && along >= 0 && back >= 0) return b + (along + back > 0 ? along / (along + back) : 0.0) * (c - b);
  const double sum = va + vb + vc;
  return sum > 0 ? a + (vb / sum) * ab + (vc / sum) * ac : a;
}

}  // namespace livens::geometry
