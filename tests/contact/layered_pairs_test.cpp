// Layers of contact: their law, and the pairs of surfaces that they act between.
#include "contact/layered_pairs.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "contact/shapes.hpp"

namespace livens {
namespace {

TEST(LayerLaw, HasItsPressureAtHalfTheRange) {
  const LayerLaw law = LayerLaw::make(0.3, 2e5, 1e-3, 0);
  EXPECT_NEAR(law.all(0.5e-3).push, 0.3 * 2e5, 1e-9 * 0.3 * 2e5);
  EXPECT_EQ(law.all(1e-3).push, 0);
  EXPECT_GT(law.all(0.999e-3).push, 0);
}

TEST(LayerLaw, PushesWithTheSlopeOfItsEnergy) {
  const LayerLaw law = LayerLaw::make(0.3, 2e5, 1e-3, 0);
  for (double y = 0.003; y < 1.05; y *= 1.07) {
    const double d = y * 1e-3, e = 1e-6 * d;
    const double slope = (law.all(d - e).energy - law.all(d + e).energy) / (2 * e);
    EXPECT_NEAR(slope, law.all(d).push, 1e-7 * law.all(d).push + 1e-9) << y;
  }
  // Halving the gap has four times the energy, in the mean: two more layers.
  EXPECT_NEAR(law.all(1e-7).energy / law.all(4e-7).energy, 16, 0.2);
}

}  // namespace
}  // namespace livens
