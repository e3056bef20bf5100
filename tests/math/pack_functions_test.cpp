// Logarithms of packs: within one unit of the last place, near 1 in particular, and what is no number.
#include "math/pack_functions.hpp"

#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace livens {
namespace {

double units_off(double x) {
  const double got = log(broadcast(x))[2];
  const long double exact = std::log(static_cast<long double>(x));
  const auto nearest = static_cast<double>(exact);
  const double unit = std::nextafter(std::abs(nearest), 1e300) - std::abs(nearest);
  return static_cast<double>(std::abs(static_cast<long double>(got) - exact)) / unit;
}

TEST(PackFunctions, LogarithmsAreWithinOneUnitOfTheLastPlace) {
  std::mt19937 engine(1);
  std::uniform_real_distribution<double> around(0.3, 3), power(-700, 700), beside(-1e-3, 1e-3);
  double worst = 0, worst_beside_one = 0;
  for (int k = 0; k < 20000; ++k) {
    worst = std::max({worst, units_off(around(engine)), units_off(std::exp(power(engine)))});
    worst_beside_one = std::max(worst_beside_one, units_off(1 + beside(engine)));
  }
  EXPECT_LT(worst, 1);
  EXPECT_LT(worst_beside_one, 0.6);
  EXPECT_GT(worst_beside_one, 0);  // something was measured
}

TEST(PackFunctions, LogarithmsOfWhatHasNone) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Pack ends = log(Pack{0, infinity, 1, 2});
  EXPECT_EQ(ends[0], -infinity);
  EXPECT_EQ(ends[1], infinity);
  EXPECT_EQ(ends[2], 0);
  EXPECT_NEAR(ends[3], std::log(2.0), 1e-16);
  const Pack none = log(Pack{-1, std::numeric_limits<double>::quiet_NaN(), 1, 1});
  EXPECT_TRUE(std::isnan(none[0]));
  EXPECT_TRUE(std::isnan(none[1]));
  EXPECT_EQ(none[2], 0);
}

}  // namespace
}  // namespace livens
