// Points and vectors of contact: three numbers, the last 0 in the plane.
#pragma once

#include <algorithm>
#include <cmath>

namespace livens {

struct Point3 {
  double x = 0, y = 0, z = 0;

  Point3& operator+=(const Point3& b) {
    x += b.x, y += b.y, z += b.z;
    return *this;
  }
  Point3& operator-=(const Point3& b) {
    x -= b.x, y -= b.y, z -= b.z;
    return *this;
  }
};

inline Point3 operator+(Point3 a, const Point3& b) { return a += b; }
inline Point3 operator-(Point3 a, const Point3& b) { return a -= b; }
inline Point3 operator*(double s, const Point3& a) { return {s * a.x, s * a.y, s * a.z}; }
inline double dot(const Point3& a, const Point3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline double square(const Point3& a) { return dot(a, a); }
inline double length(const Point3& a) { return std::sqrt(dot(a, a)); }
inline Point3 cross(const Point3& a, const Point3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double largest_of(const Point3& a) { return std::max({std::abs(a.x), std::abs(a.y), std::abs(a.z)}); }

}  // namespace livens
