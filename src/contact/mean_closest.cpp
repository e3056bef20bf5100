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

// (C1 - C0) q of the points of one side, whose coefficients have the same sum at both ends: seen from the one that has
// most of them, whose own, one less the others, has their rounding.
Point3 slide_of_side(const Coefficients& c0, const Coefficients& c1, const Point3* x, int begin, int end) {
  int base = begin;
  const auto share = [&](int i) { return std::abs(c0[i]) + std::abs(c1[i]); };
  for (int i = begin + 1; i < end; ++i)
    if (share(i) > share(base)) base = i;
  Point3 sum;
  for (int i = begin; i < end; ++i) sum += (c1[i] - c0[i]) * (x[i] - x[base]);
  return sum;
}

}  // namespace

Point3 slide(const Coefficients& c0, const Coefficients& c1, const Point3* x, int own, int count) {
  return slide_of_side(c0, c1, x, 0, own) + slide_of_side(c0, c1, x, own, count);
}

MeanClosest mean_closest(const ClosestEnd& at0, const ClosestEnd& at1, int own, int count) {
  const Point3 g0 = slide(at0.c, at1.c, at0.x, own, count), g1 = slide(at0.c, at1.c, at1.x, own, count);
  const Point3 &r00 = at0.r, &r11 = at1.r;
  const double gg0 = square(g0), gg1 = square(g1), rg0 = dot(r00, g0), rg1 = dot(r11, g1);
  MeanClosest mean;
  mean.theta = falling_root(gg1 - gg0, 2 * (rg1 - rg0 - gg1), gg1 - 2 * rg1, -(2 * rg0 + gg0));
  for (int i = 0; i < count; ++i) mean.c[i] = at0.c[i] + mean.theta * (at1.c[i] - at0.c[i]);
  mean.r0 = r00 + mean.theta * g0;
  mean.r1 = r11 - (1 - mean.theta) * g1;
  return mean;
}

}  // namespace livens
