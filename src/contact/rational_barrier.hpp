// The barrier of contact as a function of u = (distance / range)^2,
//
//   b(u) = (1 - u)^3 / u   for u < 1, 0 beyond;   b' = -(1 - u)^2 (1 + 2u) / u^2,   b'' = 2/u^3 - 2,
//
// twice continuously differentiable at u = 1, and its divided difference b[u0, u1] = (b(u1) - b(u0)) / (u1 - u0). With
// v = 1 - u and both below 1, b(u1) - b(u0) = (u0 v1^3 - u1 v0^3) / (u0 u1). The numerator is symmetrised,
//
//   u0 v1^3 - u1 v0^3 = 1/2 (u0 + u1) (v1^3 - v0^3) - 1/2 (u1 - u0) (v0^3 + v1^3),
//
// so that the factor u1 - u0 = v0 - v1 goes out of both parts:
//
//   b[u0, u1] = -1/2 { (v0^3 + v1^3) / (u0 u1) + (v0^2 + v0 v1 + v1^2) (1/u0 + 1/u1) },
//
// a sum of terms of one sign: nothing cancels, however close the two are.
#pragma once

namespace livens::rational_barrier {

inline double value(double u) {
  if (!(u < 1)) return 0;
  const double v = 1 - u;
  return v * v * v / u;
}

inline double first(double u) {
  if (!(u < 1)) return 0;
  const double v = 1 - u;
  return -v * v * (1 + 2 * u) / (u * u);
}

// b'' = 2 (1 - u^3) / u^3, by its factors: no difference of large numbers near u = 1.
inline double second(double u) {
  if (!(u < 1)) return 0;
  return 2 * (1 - u) * (1 + u + u * u) / (u * u * u);
}

struct Difference {
  double slope = 0;  // b[u0, u1]
  double by_u1 = 0;  // its derivative by u1, not negative: b is convex
};

inline Difference difference(double u0, double u1) {
  if (u0 < 1 && u1 < 1) {
    const double v0 = 1 - u0, v1 = 1 - u1, i0 = 1 / u0, i1 = 1 / u1;
    const double cubes = v0 * v0 * v0 + v1 * v1 * v1, squares = v0 * v0 + v0 * v1 + v1 * v1;
    return {-0.5 * (cubes * i0 * i1 + squares * (i0 + i1)), 1.5 * v1 * v1 * i0 * i1 + 0.5 * cubes * i0 * i1 * i1 +
                                                                0.5 * (v0 + 2 * v1) * (i0 + i1) +
                                                                0.5 * squares * i1 * i1};
  }
  if (u0 < 1) {
    const double slope = -value(u0) / (u1 - u0);
    return {slope, -slope / (u1 - u0)};
  }
  if (u1 < 1) {
    // -b'(u1)/D - b(u1)/D^2 with D = u0 - u1 >= v: b'(u1) D + b(u1) = -v^2/u^2 { (1 + 2u) D - u v } has one sign.
    const double v = 1 - u1, D = u0 - u1;
    const double steep = (1 + 2 * u1) * D - u1 * v;
    return {-value(u1) / D, v * v * steep / (u1 * u1 * D * D)};
  }
  return {};
}

}  // namespace livens::rational_barrier
