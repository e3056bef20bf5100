// Trends over the last half of a series, and its memory.
#include "diagnostics/statistics.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "files/memory.hpp"

namespace livens {
namespace {

Series sampled(int n, double slope, double periods) {
  Series series;
  for (int k = 0; k <= n; ++k) {
    const double t = 10.0 * k / n;
    series.add(t, slope * t + std::sin(2 * 3.14159265358979 * periods * t / 10.0 + 0.7));
  }
  return series;
}

TEST(Trend, OfALineIsItsSlope) {
  Series series;
  for (int k = 0; k < 5000; ++k) series.add(1e6 + k, 3 + 2e-3 * k);
  const Trend trend = series.late_trend();
  EXPECT_NEAR(trend.slope, 2e-3, 1e-12);
  EXPECT_LT(trend.slope_error, 1e-9);
  EXPECT_NEAR(trend.duration, 2500, 60);
}

TEST(Trend, OfOscillationsStaysWithinThreeErrors) {
  for (const int n : {100, 1000, 30000})
    for (const double periods : {3.3, 7.0, 20.5, 400.0}) {
      if (periods * 4 > n) continue;
      const Trend trend = sampled(n, 0, periods).late_trend();
      EXPECT_LT(std::abs(trend.slope), 3 * trend.slope_error) << n << " samples, " << periods << " periods";
    }
}

TEST(Trend, BelowOscillationsIsFound) {
  const Trend trend = sampled(30000, 0.5, 40).late_trend();
  EXPECT_NEAR(trend.slope, 0.5, 0.05);
  EXPECT_GT(trend.slope, 3 * trend.slope_error);
}

TEST(Trend, IsUndefinedOfFewSamples) { EXPECT_TRUE(std::isnan(sampled(4, 1, 1).late_trend().slope)); }

TEST(Series, GoesOnFromItsMemory) {
  Series whole = sampled(3000, 0.1, 11), part;
  for (int k = 0; k <= 3000; ++k) {
    const double t = 10.0 * k / 3000;
    part.add(t, 0.1 * t + std::sin(2 * 3.14159265358979 * 11 * t / 10.0 + 0.7));
    if (k != 1234) continue;
    MemoryWriter writer;
    part.visit_memory(writer);
    part = Series();
    MemoryReader reader(writer.bytes());
    part.visit_memory(reader);
  }
  EXPECT_EQ(part.late_trend().slope, whole.late_trend().slope);
  EXPECT_EQ(part.late_trend().slope_error, whole.late_trend().slope_error);
  EXPECT_EQ(part.min(), whole.min());
  EXPECT_EQ(part.largest_drift(), whole.largest_drift());
}

// An instability that begins in the second half.
TEST(Trend, ThatBeginsLateMovesBeyondTheEarlyRange) {
  Series series;
  for (int k = 0; k < 4000; ++k) series.add(k, std::sin(0.1 * k) + (k > 2500 ? 0.01 * (k - 2500) : 0.0));
  const Trend trend = series.late_trend();
  EXPECT_FALSE(trend.steady);
  EXPECT_GT(trend.slope, 3 * trend.slope_error);
  EXPECT_GT(trend.slope * trend.duration, 2 * trend.early_range);
}

}  // namespace
}  // namespace livens
