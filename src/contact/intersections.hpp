// Whether surfaces pass through each other, decided exactly: by signs of volumes that rounding cannot change.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "contact/contact_barrier.hpp"

namespace livens {

// The sign of the volume of the tetrahedron a, b, c, d: positive if d sees a, b, c clockwise.
int orientation(const Point3& a, const Point3& b, const Point3& c, const Point3& d);
// The sign of the area of the triangle a, b, c in the plane z = 0: positive if counterclockwise.
int orientation(const Point3& a, const Point3& b, const Point3& c);

// Where bodies that meet cross each other at q, or one is inside another, or behind a plane, or where balls overlap.
struct Intersection {
  Point3 place;      // m
  std::string what;  // "an edge of a and a facet of b"
  int count = 1;     // of such pairs
  // All of them: facets, and the points of edges (second -1: a point alone), with the bodies they belong to.
  struct Pair {
    int body, other;  // other -1: a plane
    int facet;        // of other; -1: none
    std::array<int, 2> points;
  };
  std::vector<Pair> pairs;
};
std::optional<Intersection> find_intersection(const ContactBarrier& barrier, ConstVector q);
// The same between two bodies alone.
bool bodies_intersect(const ContactBarrier& barrier, int a, int b, ConstVector q);

// All surfaces as they are at q, and what intersects as objects of their own: a file in the format OBJ.
std::string intersection_obj(const ContactBarrier& barrier, ConstVector q, const Intersection& found);

}  // namespace livens
