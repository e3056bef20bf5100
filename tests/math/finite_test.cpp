// Checks for numbers that are not finite, at every place of vectors of all lengths around a pack.
#include "math/finite.hpp"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace livens {
namespace {

using Limits = std::numeric_limits<double>;

TEST(Finite, TellsNumbersFromOthers) {
  for (const double x : {0.0, -0.0, 1.0, -1e-300, Limits::denorm_min(), Limits::max(), Limits::lowest()}) {
    EXPECT_TRUE(is_finite(x)) << x;
    EXPECT_EQ(zero_if_finite(x), 0) << x;
  }
  for (const double x : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()}) EXPECT_FALSE(is_finite(x)) << x;
}

TEST(Finite, FindsOneAtAnyPlace) {
  for (std::size_t n = 0; n <= 9; ++n) {
    std::vector<double> values(n, Limits::max());
    EXPECT_TRUE(all_finite(values)) << n;
    for (std::size_t i = 0; i < n; ++i)
      for (const double x : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()}) {
        values[i] = x;
        EXPECT_FALSE(all_finite(values)) << x << " at " << i << " of " << n;
        values[i] = Limits::lowest();
      }
  }
}

}  // namespace
}  // namespace livens
