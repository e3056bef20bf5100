// The barrier and its divided difference against arithmetic of 34 digits.
#include "contact/rational_barrier.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace livens {
namespace {

__extension__ using Long = __float128;

constexpr double few_roundings = 2e-15;  // relative; the sums have about ten operations

Long barrier(Long u) { return u < 1 ? (1 - u) * (1 - u) * (1 - u) / u : Long(0); }
Long barrier_slope(Long u) { return u < 1 ? -(1 - u) * (1 - u) * (1 + 2 * u) / (u * u) : Long(0); }

double off(double value, Long exact) {
  const Long difference = Long(value) - exact, size = exact < 0 ? -exact : exact;
  if (size == 0) return value == 0 ? 0 : 1;
  return std::abs(static_cast<double>(difference / size));
}

TEST(RationalBarrier, ValuesAndDerivatives) {
  std::mt19937_64 engine(1);
  std::uniform_real_distribution<double> exponent(-12, 0.08);
  for (int k = 0; k < 20000; ++k) {
    const double u = std::pow(10, exponent(engine));
    const Long v = u;
    EXPECT_LE(off(rational_barrier::value(u), barrier(v)), few_roundings) << u;
    EXPECT_LE(off(rational_barrier::first(u), barrier_slope(v)), few_roundings) << u;
    EXPECT_LE(off(rational_barrier::second(u), v < 1 ? 2 / (v * v * v) - 2 : Long(0)), few_roundings) << u;
  }
}

// u0 from 1e-12 to 1.2; u1 at distances of 1e-15 of it up to a hundred times as large.
TEST(RationalBarrier, DividedDifferenceLosesNothing) {
  std::mt19937_64 engine(2);
  std::uniform_real_distribution<double> exponent(-12, 0.08), step(-15, 2), sign(-1, 1);
  double worst = 0, worst_slope = 0;
  int close = 0, across = 0;
  for (int k = 0; k < 100000; ++k) {
    const double u0 = std::pow(10, exponent(engine)), part = std::pow(10, step(engine));
    const double u1 = sign(engine) > 0 ? u0 * (1 + part) : u0 / (1 + part);
    if (u0 == u1) continue;
    const Long a = u0, b = u1, exact = (barrier(b) - barrier(a)) / (b - a);
    // d/du1 of the divided difference: (b'(u1) - b[u0, u1]) / (u1 - u0), which loses twice the digits of the distance
    const Long exact_slope = (barrier_slope(b) - exact) / (b - a);
    const auto found = rational_barrier::difference(u0, u1);
    worst = std::max(worst, off(found.slope, exact));
    if (part > 1e-6) worst_slope = std::max(worst_slope, off(found.by_u1, exact_slope));
    close += part < 1e-10 ? 1 : 0;
    across += (u0 < 1) != (u1 < 1) ? 1 : 0;
  }
  EXPECT_LE(worst, few_roundings);
  EXPECT_LE(worst_slope, few_roundings);
  EXPECT_GT(close, 10000);
  EXPECT_GT(across, 100);
}

// At equal ends it is the derivative, and half the second one.
TEST(RationalBarrier, LimitsOfTheDividedDifference) {
  for (const double u : {1e-9, 1e-3, 0.2, 0.9, 0.999}) {
    const auto at = rational_barrier::difference(u, u);
    EXPECT_NEAR(at.slope / rational_barrier::first(u), 1, few_roundings);
    EXPECT_NEAR(at.by_u1 / (0.5 * rational_barrier::second(u)), 1, few_roundings);
  }
}

// Pressure kappa at half the range: dB/dd = kappa w there, and 22/3 kappa/range is its slope.
TEST(RationalBarrier, PressureAtHalfTheRange) {
  const double weight = 3, pressure = 7, range = 0.2, k = 2.0 / 27 * weight * pressure * range, u = 0.25;
  const double force = -k * rational_barrier::first(u) * 2 * 0.5 / range;
  EXPECT_NEAR(force, weight * pressure, 1e-13);
  const double stiffness = k * (rational_barrier::second(u) * 4 * u + 2 * rational_barrier::first(u)) / (range * range);
  EXPECT_NEAR(stiffness, 22.0 / 3 * weight * pressure / range, 1e-11);
}

}  // namespace
}  // namespace livens
