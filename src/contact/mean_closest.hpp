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

// x0 and x1: `count` points at both ends of the step.
MeanClosest mean_closest(const Coefficients& c0, const Coefficients& c1, const Point3* x0, const Point3* x1, int count);

}  // namespace livens
