// The discrete derivative of a squared distance s over a step from q0 to q1 (M. Gonzalez's condition, in closest
// points).
//
// c0 and c1 are the coefficients of closest points at q0 and q1, c(theta) = c0 + theta (c1 - c0), r_k = C(theta) q_k.
//
//   phi(theta) = |r_1|^2 - |r_0|^2 - (s1 - s0)
//
// has phi(0) >= 0 >= phi(1), for c1 minimises |C q1| and c0 minimises |C q0| over the same set. At its root
//
//   Ds = C'(r_0 + r_1),   Ds.(q1 - q0) = |r_1|^2 - |r_0|^2 = s1 - s0
//
// whatever the step is, and since Ds acts at one point of each side along C (q0 + q1), it has neither force nor moment
// about the middle of the step. It is symmetric in q0 and q1, and the gradient to second order.
//
// With g_k = (C1 - C0) q_k these are r_0 = C0 q0 + theta g_0 and r_1 = C1 q1 - (1 - theta) g_1. Closest points may move
// by much less than a gap: g is then summed over differences of coordinates, and C_k q_k are the vectors r whose s is
// least, or theta would be all rounding, and with it the direction of the force to |g| / |r|.
#pragma once

#include <array>

#include "contact/point3.hpp"

namespace livens {

// Points of a contact: one that meets a surface over two facets has the most, 1 + 2 * 3.
inline constexpr int most_contact_points = 7;
using Coefficients = std::array<double, most_contact_points>;

struct MeanClosest {
  double theta = 0.5;
  Coefficients c{};
  Point3 r0, r1;  // C q0, C q1
};

// One end of the step: coefficients of closest points, r = C q, and the points themselves.
struct ClosestEnd {
  const Coefficients& c;
  const Point3& r;
  const Point3* x;
};

// `own` of the `count` points are the first side.
MeanClosest mean_closest(const ClosestEnd& at0, const ClosestEnd& at1, int own, int count);
// (C1 - C0) q
Point3 slide(const Coefficients& c0, const Coefficients& c1, const Point3* x, int own, int count);

}  // namespace livens
