#include "contact/mean_closest.hpp"

namespace livens {
namespace {

// phi = A theta^2 + B theta + at_0, with phi(1) = at_1: the root at which phi falls.
double falling_root(double A, double B, double at_0, double at_1) {
  const bool above = at_0 > 0, below = at_1 < 0;
  if (!above && !below) return 0.5;  // closest points that stay where they are, up to rounding
  if (!above) return 0;
  if (!below) return 1;
  const double root = std::sqrt(std::max(0.0, B * B - 4 * A * at_0));
  const double theta = B <= 0 ? 2 * at_0 / (root - B) : (B + root) / (-2 * A);
  return std::clamp(theta, 0.0, 1.0);
}

}  // namespace

MeanClosest mean_closest(const Coefficients& c0, const Coefficients& c1, const Point3* x0, const Point3* x1,
                         int count) {
  // r_k0 = C0 q_k, g_k = (C1 - C0) q_k. Coefficients sum to 0, so that any origin serves: from the first point vectors
  // are as short as the pair, and rounding does not turn r, which may be much shorter than positions are large.
  Point3 r00, r10, g0, g1;
  for (int i = 1; i < count; ++i) {
    const double change = c1[i] - c0[i];
    const Point3 at0 = x0[i] - x0[0], at1 = x1[i] - x1[0];
    r00 += c0[i] * at0;
    r10 += c0[i] * at1;
    g0 += change * at0;
    g1 += change * at1;
  }
  const double gg0 = square(g0), gg1 = square(g1), rg0 = dot(r00, g0), rg1 = dot(r10, g1);
  MeanClosest mean;
  mean.theta = falling_root(gg1 - gg0, 2 * (rg1 - rg0), -(2 * rg1 + gg1), -(2 * rg0 + gg0));
  for (int i = 0; i < count; ++i) mean.c[i] = c0[i] + mean.theta * (c1[i] - c0[i]);
  mean.r0 = r00 + mean.theta * g0;
  mean.r1 = r10 + mean.theta * g1;
  return mean;
}

}  // namespace livens
