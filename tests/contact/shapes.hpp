// Small closed surfaces for tests of contact.
#pragma once

#include <random>
#include <vector>

#include "contact/surface.hpp"

namespace livens::testing {

inline double random_number(std::mt19937_64& engine, double size) {
  return std::uniform_real_distribution<double>(-size, size)(engine);
}

struct Shape {
  std::vector<Point3> points;
  std::vector<ContactSurface::Facet> facets;
};

// 0: a tetrahedron, 1: a cube of 12 triangles, 2: an L of 2 x 1 x 1 cubes and one on top, which has concave edges. In
// the plane a triangle, a square and an L.
inline Shape shape(int dimension, int kind) {
  Shape s;
  if (dimension == 2) {
    if (kind == 0) s.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    if (kind == 1) s.points = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    if (kind == 2) s.points = {{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0}};
    const int n = static_cast<int>(s.points.size());
    for (int k = 0; k < n; ++k) s.facets.push_back({k, (k + 1) % n, -1});
    return s;
  }
  if (kind == 0) {
    s.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    s.facets = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    return s;
  }
  // A prism over the outline of the plane shape, caps as fans over triangles that cut the outline.
  const Shape outline = shape(2, kind);
  const int n = static_cast<int>(outline.points.size());
  for (const double z : {0.0, 1.0})
    for (Point3 p : outline.points) {
      p.z = z;
      s.points.push_back(p);
    }
  using Triangle = ContactSurface::Facet;
  const std::vector<Triangle> caps = kind == 1 ? std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}}
                                               : std::vector<Triangle>{{0, 1, 3}, {1, 2, 3}, {0, 3, 5}, {3, 4, 5}};
  for (const Triangle& t : caps) {
    s.facets.push_back({t[0], t[2], t[1]});
    s.facets.push_back({t[0] + n, t[1] + n, t[2] + n});
  }
  for (int k = 0; k < n; ++k) {
    const int next = (k + 1) % n;
    s.facets.push_back({k, next, next + n});
    s.facets.push_back({k, next + n, k + n});
  }
  return s;
}

// Adds a shape whose coordinates follow those of the shapes before it.
inline void add_shape(ContactSurface& surface, int kind, const Point3& place) {
  const Shape s = shape(surface.dimension(), kind);
  std::vector<int> first;
  std::vector<Point3> reference;
  for (std::size_t a = 0; a < s.points.size(); ++a) {
    first.push_back((surface.points() + static_cast<int>(a)) * surface.dimension());
    reference.push_back(s.points[a] + place);
  }
  surface.add_body("body " + std::to_string(surface.bodies().size()), first, reference, s.facets, 1);
}

inline std::vector<double> coordinates(const ContactSurface& surface) {
  std::vector<double> q;
  for (int a = 0; a < surface.points(); ++a) {
    const Point3& p = surface.reference(a);
    q.push_back(p.x);
    q.push_back(p.y);
    if (surface.dimension() == 3) q.push_back(p.z);
  }
  return q;
}

}  // namespace livens::testing
