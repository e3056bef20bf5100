// The two measures of progress of Newton's method, and where they differ.
#include "solve/merit.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "solve/newton_tuning.hpp"

namespace livens {
namespace {

// E = x^2/2 in one unknown.
class Parabola final : public MinimumProblem {
 public:
  bool residual(ConstVector x, Vector r, double& scale) override {
    r[0] = x[0];
    scale = 1;
    return true;
  }
  void jacobian(ConstVector, Vector values) override { values[0] += 1; }
  bool evaluate(ConstVector x, Vector r, double& scale, double& objective) override {
    objective = 0.5 * x[0] * x[0];
    return residual(x, r, scale);
  }
  void add_metric(double scale, Vector values) override { values[0] += scale; }
};

MeritPoint point(double norm, double value) { return {norm, 1, value, true}; }

Trial full_step(double slope) { return {1, slope, {}, {}}; }

TEST(Merit, ARootIsJudgedByItsResidualAndAMinimumByItsObjective) {
  Parabola problem;
  const ResidualMerit root(problem);
  const ObjectiveMerit minimum(problem);
  const MeritPoint at = point(0.5, 1);
  // Downhill over a place where the gradient is larger, and uphill to where it is smaller.
  const MeritPoint lower = point(0.8, 0.2), higher = point(0.2, 1.5);
  EXPECT_FALSE(root.accepts(at, lower, full_step(-1)));
  EXPECT_TRUE(minimum.accepts(at, lower, full_step(-1)));
  EXPECT_TRUE(root.accepts(at, higher, full_step(-1)));
  EXPECT_FALSE(minimum.accepts(at, higher, full_step(-1)));
}

// Within chord_region differences of the objective are rounding: the residual decides.
TEST(Merit, CloseToAMinimumTheResidualDecides) {
  Parabola problem;
  const ObjectiveMerit minimum(problem);
  const double norm = 0.5 * NewtonTuning::chord_region;
  EXPECT_TRUE(minimum.accepts(point(norm, 1), point(0.1 * norm, 1 + 1e-6), full_step(-norm)));
  EXPECT_FALSE(minimum.accepts(point(norm, 1), point(2 * norm, 1 - 1e-6), full_step(-norm)));
}

TEST(Merit, ACutGoesToTheMinimumOfTheParabola) {
  Parabola problem;
  const ResidualMerit root(problem);
  const ObjectiveMerit minimum(problem);
  // value 0, slope -1, and 2 after a full step: s (3 s - 1) is least at 1/6.
  EXPECT_DOUBLE_EQ(minimum.shorter(point(1, 0), point(1, 2), full_step(-1)), 1.0 / 6);
  EXPECT_DOUBLE_EQ(minimum.shorter(point(1, 0), point(1, 1e6), full_step(-1)), NewtonTuning::deepest_cut);
  EXPECT_DOUBLE_EQ(minimum.shorter(point(1, 0), MeritPoint{}, full_step(-1)), NewtonTuning::usual_cut);
  EXPECT_DOUBLE_EQ(root.shorter(point(1, 0), point(1, 2), full_step(0)), NewtonTuning::usual_cut);
}

TEST(Merit, AFailedSearchSaysWhy) {
  Parabola problem;
  const ResidualMerit root(problem);
  const ObjectiveMerit minimum(problem);
  EXPECT_EQ(root.search_failure(point(1, 1), 0, false), FailureCode::no_decrease);
  EXPECT_EQ(minimum.search_failure(point(1, 1), -1, false), FailureCode::inverted);
  EXPECT_EQ(minimum.search_failure(point(1, 1), -1, true), FailureCode::no_decrease);
  EXPECT_EQ(minimum.search_failure(point(1, 1), -1e-12, true), FailureCode::rounding_floor);
}

}  // namespace
}  // namespace livens
