// Whether surfaces cross, in arithmetic of 34 digits, in whole numbers where these do not decide, and without trees:
// independent of src/contact/intersections.cpp.
#pragma once

#include <cmath>

#include "contact/bounding_tree.hpp"
#include "contact/contact_barrier.hpp"
#include "support/exact_polynomial.hpp"

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

// The sign of a volume, exact: doubles are whole numbers over one power of two.
inline int exact_side(const Point3& a, const Point3& b, const Point3& c, const Point3& d) {
  const double numbers[12] = {a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z, d.x, d.y, d.z};
  int least = 1 << 20, exponent[12];
  Integer whole[12];
  for (int i = 0; i < 12; ++i) {
    whole[i] = Integer(static_cast<std::int64_t>(std::ldexp(std::frexp(numbers[i], &exponent[i]), 53)));
    if (numbers[i] != 0) least = std::min(least, exponent[i]);
  }
  for (int i = 0; i < 12; ++i)
    if (numbers[i] != 0) whole[i] = whole[i].shifted(exponent[i] - least);
  for (int i = 3; i < 12; ++i) whole[i] = whole[i] - whole[i % 3];
  const Integer *u = whole + 3, *v = whole + 6, *w = whole + 9;
  return (u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) + u[2] * (v[0] * w[1] - v[1] * w[0]))
      .sign();
}
inline int side(const Point3& a, const Point3& b, const Point3& c, const Point3& d) {
  constexpr double safe = 1e-30;  // 10^4 roundings of 34 digits
  const Long found = volume(a, b, c, d);
  const LongPoint u = minus(b, a), v = minus(c, a), w = minus(d, a);
  const auto size = [](const LongPoint& p) {
    return std::abs(static_cast<double>(p.x)) + std::abs(static_cast<double>(p.y)) + std::abs(static_cast<double>(p.z));
  };
  const double bound = safe * size(u) * size(v) * size(w);
  if (found > bound || found < -bound) return found > 0 ? 1 : -1;
  return exact_side(a, b, c, d);
}

inline bool crosses(const Point3& p, const Point3& q, const Point3& a, const Point3& b, const Point3& c) {
  if (side(a, b, c, p) * side(a, b, c, q) > 0 || (side(a, b, c, p) == 0 && side(a, b, c, q) == 0)) return false;
  const int ab = side(p, q, a, b), bc = side(p, q, b, c), ca = side(p, q, c, a);
  return (ab >= 0 && bc >= 0 && ca >= 0) || (ab <= 0 && bc <= 0 && ca <= 0);
}

// In the plane: as prisms of some height, so that one formula serves.
inline bool crosses(const Point3& p, const Point3& q, const Point3& a, const Point3& b) {
  const Point3 below{a.x, a.y, -3}, right{b.x, b.y, -3}, above{a.x, a.y, 3}, far{b.x, b.y, 3};
  return crosses(p, q, below, right, above) || crosses(p, q, right, far, above);
}

inline Long product(const LongPoint& a, const LongPoint& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// The squared distance of p from the segment a b, and from the triangle a b c.
inline Long square_distance(const Point3& p, const Point3& a, const Point3& b) {
  const LongPoint e = minus(b, a), r = minus(p, a);
  const Long ee = product(e, e);
  Long t = ee > 0 ? product(r, e) / ee : 0;
  t = t < 0 ? 0 : t > 1 ? 1 : t;
  const LongPoint d{r.x - t * e.x, r.y - t * e.y, r.z - t * e.z};
  return product(d, d);
}
inline Long square_distance(const Point3& p, const Point3& a, const Point3& b, const Point3& c) {
  const Long sides[3] = {square_distance(p, a, b), square_distance(p, b, c), square_distance(p, c, a)};
  Long least = sides[0] < sides[1] ? sides[0] : sides[1];
  least = least < sides[2] ? least : sides[2];
  const LongPoint u = minus(b, a), v = minus(c, a), r = minus(p, a);
  const LongPoint n{u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x};
  const Long nn = product(n, n);
  if (nn == 0) return least;
  const LongPoint rv{r.y * v.z - r.z * v.y, r.z * v.x - r.x * v.z, r.x * v.y - r.y * v.x};
  const LongPoint ur{u.y * r.z - u.z * r.y, u.z * r.x - u.x * r.z, u.x * r.y - u.y * r.x};
  const Long s = product(rv, n) / nn, t = product(ur, n) / nn, height = product(r, n);
  return s >= 0 && t >= 0 && s + t <= 1 ? height * height / nn : least;
}

// Balls that are nearer to a facet or to another ball of what they meet than their radii.
inline int overlapping_balls(const ContactBarrier& barrier, const std::vector<Point3>& x) {
  const ContactSurface& surface = barrier.surface();
  int count = 0;
  for (const auto& body : surface.bodies())
    for (int p = body.points_begin; p < body.points_end && body.radius > 0; ++p) {
      const int own = surface.body_of_point(p);
      for (const auto& f : surface.facets()) {
        if (!barrier.pair(own, surface.body_of_point(f[0])).meets) continue;
        const Long s = surface.dimension() == 3 ? square_distance(x[p], x[f[0]], x[f[1]], x[f[2]])
                                                : square_distance(x[p], x[f[0]], x[f[1]]);
        count += s > Long(body.radius) * Long(body.radius) ? 0 : 1;
      }
      for (const auto& other : surface.bodies())
        for (int q = std::max(p + 1, other.points_begin); q < other.points_end && other.radius > 0; ++q) {
          if (!barrier.pair(own, surface.body_of_point(q)).meets) continue;
          const LongPoint r = minus(x[p], x[q]);
          const Long reach = Long(body.radius) + Long(other.radius);
          count += product(r, r) > reach * reach ? 0 : 1;
        }
    }
  return count;
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
  for (const BarrierPlane& plane : barrier.planes()) {
    const auto& body = surface.bodies()[plane.body];
    for (int p = body.points_begin; p < body.points_end; ++p)
      count += dot(plane.normal, x[p] - plane.point) > plane.thickness ? 0 : 1;
  }
  count += overlapping_balls(barrier, x);
  return count;
}

}  // namespace livens::testing
