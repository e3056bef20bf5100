// On which part of an edge or a triangle the closest point to another point lies: what all distances have in common, so
// that they agree to the bit about who has it.
#pragma once

#include <limits>

#include "contact/point3.hpp"

namespace livens {

// Weights below it belong to the border: points that stand exactly above an edge or a corner, as those of meshes on one
// grid do, then do so whatever rounding says. Distances change by less than their rounding.
inline constexpr double closest_border = 1e-12;

enum class EdgePart { first, second, inside };  // an end, or the edge itself

// t = (p - a).e / |e|^2 of the edge e = b - a, if it is inside; from: p - a.
inline EdgePart part_of_edge(const Point3& from, const Point3& e, double& t) {
  const double along = dot(from, e), ee = square(e);
  if (!(along > closest_border * ee)) return EdgePart::first;
  if (along >= (1 - closest_border) * ee) return EdgePart::second;
  t = along / ee;
  return EdgePart::inside;
}

// [e1.e1 e1.e2; e1.e2 e2.e2] (alpha, beta) = (e1.from, e2.from). False if the closest point is not inside the triangle
// a, a + e1, a + e2, or if that is too thin to say so; from: p - a.
inline bool inside_face(const Point3& from, const Point3& e1, const Point3& e2, double& alpha, double& beta) {
  const double a11 = square(e1), a12 = dot(e1, e2), a22 = square(e2), b1 = dot(e1, from), b2 = dot(e2, from);
  const double det = a11 * a22 - a12 * a12;
  if (!(det > std::numeric_limits<double>::epsilon() * a11 * a22)) return false;
  alpha = (a22 * b1 - a12 * b2) / det;
  beta = (a11 * b2 - a12 * b1) / det;
  return alpha > closest_border && beta > closest_border && alpha + beta < 1 - closest_border;
}

}  // namespace livens
