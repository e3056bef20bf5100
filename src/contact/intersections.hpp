// Whether surfaces pass through each other, decided exactly: by signs of volumes that rounding cannot change.
#pragma once

#include <optional>
#include <string>

#include "contact/contact_barrier.hpp"

namespace livens {

// The sign of the volume of the tetrahedron a, b, c, d: positive if d sees a, b, c clockwise.
int orientation(const Point3& a, const Point3& b, const Point3& c, const Point3& d);
// The sign of the area of the triangle a, b, c in the plane z = 0: positive if counterclockwise.
int orientation(const Point3& a, const Point3& b, const Point3& c);

// Where bodies that meet cross each other at q, or a body is behind a plane.
struct Intersection {
  Point3 place;      // m
  std::string what;  // "an edge of a and a facet of b"
  int count = 1;     // of such pairs
};
std::optional<Intersection> find_intersection(const ContactBarrier& barrier, ConstVector q);

}  // namespace livens
