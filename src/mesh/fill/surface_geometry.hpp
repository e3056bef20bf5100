// Points in space, as the surfaces and their filling need them.
#pragma once

#include <algorithm>
#include <cmath>

#include <livens/meshes.hpp>

#include "mesh/core/topology.hpp"

namespace livens::geometry {

struct Vec3 {
  double x = 0, y = 0, z = 0;
};

inline Vec3 operator+(const Vec3& a, const Vec3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec3 operator-(const Vec3& a, const Vec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec3 operator*(double s, const Vec3& a) { return {s * a.x, s * a.y, s * a.z}; }
inline double dot(const Vec3& a, const Vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double norm(const Vec3& a) { return std::sqrt(dot(a, a)); }
inline Vec3 least(const Vec3& a, const Vec3& b) { return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)}; }
inline Vec3 most(const Vec3& a, const Vec3& b) { return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)}; }

struct Box {
  Vec3 min{HUGE_VAL, HUGE_VAL, HUGE_VAL}, max{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  void add(const Vec3& p) {
    min = least(min, p);
    max = most(max, p);
  }
  Vec3 size() const { return max - min; }
  Vec3 centre() const { return 0.5 * (min + max); }
};

inline int vertices(const Surface& surface) { return static_cast<int>(surface.X.size() / 3); }
inline int triangles(const Surface& surface) { return static_cast<int>(surface.triangles.size() / 3); }
inline Vec3 vertex(const Surface& surface, int v) {
  const double* x = surface.X.data() + 3 * at(v);
  return {x[0], x[1], x[2]};
}
inline const int* triangle(const Surface& surface, int t) { return surface.triangles.data() + 3 * at(t); }
inline Vec3 corner(const Surface& surface, int t, int c) { return vertex(surface, triangle(surface, t)[c]); }
inline Vec3 centroid(const Surface& surface, int t) {
  return (1.0 / 3.0) * (corner(surface, t, 0) + corner(surface, t, 1) + corner(surface, t, 2));
}

inline Box box_of(const Surface& surface) {
  Box box;
  for (int v = 0; v < vertices(surface); ++v) box.add(vertex(surface, v));
  return box;
}

// Six times the volume of the tetrahedron.
inline double det(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  return dot(b - a, cross(c - a, d - a));
}

// Sum of the tetrahedra over `about`; positive for outward orientation.
inline double volume_of(const Surface& surface, const Vec3& about) {
  double six = 0;
  for (int t = 0; t < triangles(surface); ++t)
    six += det(about, corner(surface, t, 0), corner(surface, t, 1), corner(surface, t, 2));
  return six / 6;
}

}  // namespace livens::geometry
