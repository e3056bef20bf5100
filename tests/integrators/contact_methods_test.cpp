// Methods other than energy_momentum with surfaces that are kept apart: the midpoint rule with the discrete gradient of
// contact, and implicit Euler and Newmark with the barrier at the end of the step.
#include <cmath>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "integrators/impacts.hpp"

namespace livens {
namespace {

using testing::Ball, testing::Course, testing::Impact, testing::follow, testing::stepping, testing::two_blocks;

constexpr double range = 1e-3, speed = 2;

struct Rebound {
  double least = 1e9, most = 0, lowest = 1;  // speeds over that of the impact; gap
};

// 16 phases of a step of `ratio` ranges.
Rebound rebound(const std::string& keys, double ratio) {
  Rebound found;
  for (int phase = 0; phase < 16; ++phase) {
    const double h = ratio * range / speed;
    Ball ball(range, range + (0.01 + phase / 16.0) * speed * h, speed);
    auto integrator = stepping(keys, h, *ball.model);
    bool met = false;
    const auto report = integrator->advance(*ball.model, ball.state, 1e9, [&](const State& state, const StepReport&) {
      found.lowest = std::min(found.lowest, state.q[1] - 0.01);
      met = met || state.v[1] > -0.999 * speed;
      return !(met && (state.q[1] > 0.01 + 1.5 * range || std::abs(state.v[1]) < 1e-6 * speed));
    });
    EXPECT_TRUE(report.converged) << report.message;
    found.least = std::min(found.least, ball.state.v[1] / speed);
    found.most = std::max(found.most, ball.state.v[1] / speed);
  }
  return found;
}

// With one particle everything but contact is exact, so that the midpoint rule is the discrete gradient.
TEST(ContactMethods, MidpointReboundDoesNotDependOnTheStep) {
  for (const char* keys : {"kind = 'hamilton_pontryagin', alpha = 0.5", "kind = 'implicit_midpoint'"})
    for (const double ratio : {0.01, 0.5, 5.0, 100.0}) {
      const Rebound found = rebound(keys, ratio);
      EXPECT_NEAR(found.least, 1, 1e-11) << ratio;
      EXPECT_NEAR(found.most, 1, 1e-11) << ratio;
      EXPECT_GT(found.lowest, 0);
    }
}

// The barrier at the end: nothing passes, and the rebound is that of the step.
TEST(ContactMethods, BarrierAtTheEndReboundsWithTheStep) {
  const double lowest[4] = {0.88, 0.4, 0.03, -0.01}, highest[4] = {0.97, 0.75, 0.35, 0.05},
               ratios[4] = {0.01, 0.1, 1, 20};
  for (int k = 0; k < 4; ++k) {
    const Rebound found = rebound("kind = 'implicit_euler'", ratios[k]);
    EXPECT_GT(found.least, lowest[k]) << ratios[k];
    EXPECT_LT(found.most, highest[k]) << ratios[k];
    EXPECT_GT(found.lowest, 0);
  }
  const Rebound fine = rebound("kind = 'newmark'", 0.01), coarse = rebound("kind = 'newmark'", 5);
  EXPECT_NEAR(fine.least, 1, 1e-3);
  EXPECT_GT(fine.lowest, 0);
  EXPECT_GT(coarse.lowest, 0);
  EXPECT_GT(coarse.most, 2) << "what the discrete gradient is for";
}

TEST(ContactMethods, MidpointKeepsMomentaAndABandOfEnergy) {
  for (const double h : {2.5e-4, 1e-3}) {
    Impact impact = two_blocks(0.023, 1.0);
    const Course course = follow(impact, h, 0.04, "kind = 'hamilton_pontryagin', alpha = 0.5");
    ASSERT_TRUE(course.converged) << course.message;
    EXPECT_LE(course.energy, h < 5e-4 ? 5e-4 : 1e-2);
    EXPECT_GT(course.energy, 1e-9) << "elasticity has the error of the midpoint rule";
    EXPECT_LE(course.linear, 1e-12);
    EXPECT_LE(course.angular, 1e-12);
    EXPECT_EQ(course.crossings, 0);
    EXPECT_GT(course.contacts, 0);
  }
}

TEST(ContactMethods, EndsAreFreeOfIntersections) {
  for (const char* keys : {"kind = 'implicit_euler'", "kind = 'newmark'"})
    for (const double h : {5e-4, 5e-3}) {
      Impact impact = two_blocks(0.023, 1.0);
      const Course course = follow(impact, h, 0.04, keys);
      ASSERT_TRUE(course.converged) << keys << ": " << course.message;
      EXPECT_LE(course.linear, 1e-12);
      EXPECT_EQ(course.crossings, 0);
      EXPECT_GT(course.contacts, 0);
    }
}

TEST(ContactMethods, RefusalsSayWhy) {
  const auto refusal = [](const Model& model, const std::string& keys) -> std::string {
    try {
      make_integrator(keys + ", step = 0.001", model);
    } catch (const SceneError& error) {
      return error.what();
    }
    return "";
  };
  const auto says = [](const std::string& text, const char* what) { return text.find(what) != std::string::npos; };
  const Impact impact = two_blocks(0.01, 1);
  EXPECT_TRUE(says(refusal(*impact.model, "kind = 'hamilton_pontryagin', alpha = 0.3"), "alpha = 0.5 only"));
  EXPECT_TRUE(says(refusal(*impact.model, "kind = 'generalized_midpoint', start = 'second_order'"), "momentum"));
  EXPECT_TRUE(says(refusal(*impact.model, "kind = 'newmark', beta = 0"), "beta > 0"));
  EXPECT_TRUE(says(refusal(*impact.model, "kind = 'stormer_verlet'"), "energy_momentum"));
  Assembly assembly = testing::with_rubber();
  Solid solid;
  solid.mesh = rectangle_mesh({.size = {0.1, 0.1}, .cells = {2, 2}});
  solid.material = "rubber";
  add(assembly, solid, "block");
  ContactPlane floor;
  floor.point = {0, -0.01, 0};
  floor.normal = {0, 1, 0};
  floor.barrier = BarrierRule{};
  floor.barrier->friction = 0.3;
  add(assembly, floor, "floor");
  const Model rubbing = assembly.model();
  EXPECT_TRUE(says(refusal(rubbing, "kind = 'implicit_euler'"), "friction"));
  EXPECT_EQ(refusal(rubbing, "kind = 'implicit_midpoint'"), "");
}

}  // namespace
}  // namespace livens
