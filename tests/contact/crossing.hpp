// Whether surfaces cross, in arithmetic of 34 digits and without trees: independent of src/contact/intersections.cpp.
#pragma once

#include "contact/bounding_tree.hpp"
#include "contact/contact_barrier.hpp"

namespace livens::testing {

__extension__ using Long = __float128;

struct LongPoint {
  Long x, y, z;
};

inline LongPoint minus(const Point3& a, const Point3& b) {
  return {Long(a.x) - Long(b.x), Long(a.y) - Long(b.y), Long(a.z) - Long(b.z)};
}

inline Long volume(const Point3& a, const Point3& b, const Point3& c, const Point3& d) {
  const LongPoint u = minus(b, a), v = minus(c, a), w = minus(d, a);
  return u.x * (v.y * w.z - v.z * w.y) + u.y * (v.z * w.x - v.x * w.z) + u.z * (v.x * w.y - v.y * w.x);
}

inline bool crosses(const Point3& p, const Point3& q, const Point3& a, const Point3& b, const Point3& c) {
  const Long at_p = volume(a, b, c, p), at_q = volume(a, b, c, q);
  if ((at_p > 0 && at_q > 0) || (at_p < 0 && at_q < 0) || (at_p == 0 && at_q == 0)) return false;
  const Long ab = volume(p, q, a, b), bc = volume(p, q, b, c), ca = volume(p, q, c, a);
  return (ab >= 0 && bc >= 0 && ca >= 0) || (ab <= 0 && bc <= 0 && ca <= 0);
}

// In the plane: as prisms of some height, so that one formula serves.
inline bool crosses(const Point3& p, const Point3& q, const Point3& a, const Point3& b) {
  const Point3 below{a.x, a.y, -3}, right{b.x, b.y, -3}, above{a.x, a.y, 3}, far{b.x, b.y, 3};
  return crosses(p, q, below, right, above) || crosses(p, q, right, far, above);
}

// Edges against facets of bodies that meet and that have none of their points, and points behind planes.
inline int crossings(const ContactBarrier& barrier, ConstVector coordinates) {
  const ContactSurface& surface = barrier.surface();
  std::vector<Point3> x;
  surface.positions(coordinates, x);
  int count = 0;
  const int dimension = surface.dimension();
  const int segments = static_cast<int>(dimension == 3 ? surface.edges().size() : surface.facets().size());
  for (int e = 0; e < segments; ++e) {
    const int p = dimension == 3 ? surface.edges()[e][0] : surface.facets()[e][0];
    const int q = dimension == 3 ? surface.edges()[e][1] : surface.facets()[e][1];
    for (const auto& f : surface.facets()) {
      if (!barrier.pair(surface.body_of_point(p), surface.body_of_point(f[0])).meets) continue;
      bool shares = false;
      for (int k = 0; k < dimension; ++k) shares = shares || f[k] == p || f[k] == q;
      Box around, other;
      around.take(x[p]), around.take(x[q]);
      for (int k = 0; k < dimension; ++k) other.take(x[f[k]]);
      if (shares || !around.meets(other)) continue;
      count += dimension == 3 ? crosses(x[p], x[q], x[f[0]], x[f[1]], x[f[2]]) : crosses(x[p], x[q], x[f[0]], x[f[1]]);
    }
  }
  for (const BarrierPlane& plane : barrier.planes())
    for (const Point3& p : x) count += dot(plane.normal, p - plane.point) > plane.thickness ? 0 : 1;
  return count;
}

}  // namespace livens::testing
