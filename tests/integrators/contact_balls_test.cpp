// Balls and particles in contact: with each other, with surfaces, with planes.
#include <cmath>

#include <gtest/gtest.h>

#include "integrators/impacts.hpp"

namespace livens {
namespace {

using testing::Collision;
using testing::follow;
using testing::Followed;

Particles particles(const std::vector<double>& positions, const std::vector<double>& velocities, double mass,
                    int dimension) {
  Particles made;
  made.layout.dimension = dimension;
  made.layout.positions = positions;
  made.mass = {mass};
  made.initial.velocities = velocities;
  return made;
}

ContactBodies balls(double radius, double range, double pressure) {
  ContactBodies contact;
  contact.barrier.radius = radius;
  contact.barrier.distance = range;
  contact.barrier.pressure = pressure;
  return contact;
}

// Two equal particles head on exchange their velocities, at any step.
TEST(ContactBalls, ParticlesExchangeTheirVelocities) {
  for (const double ratio : {0.02, 0.5, 5.0}) {
    constexpr double range = 1e-3, speed = 2;
    Assembly assembly;
    add(assembly, particles({0, 0, 0, 0.03, 0, 0}, {speed, 0, 0, 0, 0, 0}, 0.1, 3), "balls");
    add(assembly, balls(0.01, range, 1e6), "impact");
    Collision c(assembly);
    const Followed run = follow(c, ratio * range / speed, 0.02);
    ASSERT_TRUE(run.converged) << run.message;
    EXPECT_NEAR(c.state.v[0], 0, 1e-10) << ratio;
    EXPECT_NEAR(c.state.v[3], speed, 1e-10) << ratio;
    EXPECT_LE(run.energy, 1e-11);
    EXPECT_LE(run.linear, 1e-15);
    EXPECT_EQ(run.crossings, 0);
  }
}

// The force at half the range is the pressure on pi r^2, shared by both halves of the pair.
TEST(ContactBalls, PressureAtHalfTheRange) {
  constexpr double radius = 0.01, range = 1e-3, pressure = 1e5;
  Assembly assembly;
  add(assembly, particles({0, 0, 2 * radius + 0.5 * range, 0}, {0, 0, 0, 0}, 0.1, 2), "balls");
  add(assembly, balls(radius, range, pressure), "impact");
  const Collision c(assembly);
  std::vector<double> g(4, 0.0);
  c.barriers.front()->add_gradient(c.state.q, 1, g);
  EXPECT_NEAR(g[0] / (M_PI * radius * radius * pressure), 1, 1e-12);
  EXPECT_NEAR(g[2], -g[0], 1e-15 * g[0]);
}

// Five rigid balls in a row, three ranges apart: the last one leaves, the others stay.
TEST(ContactBalls, RowHandsTheVelocityOn) {
  constexpr double radius = 0.02, range = 4e-4, speed = 0.5;
  Assembly assembly;
  for (int k = 0; k < 5; ++k) {
    Rigid ball = rigid_from_shape(moved(ball_shape(radius), {}, {k * (2 * radius + 3 * range), 0, 0}), 7800);
    if (k == 0) ball.initial.velocity = {speed, 0, 0};
    add(assembly, ball, "ball" + std::to_string(k));
  }
  ContactBodies contact = balls(radius, range, 1e7);
  contact.barrier.radius = {};
  add(assembly, contact, "cradle");
  Collision c(assembly);
  const Followed run = follow(c, 0.25 * range / speed, 0.02);
  ASSERT_TRUE(run.converged) << run.message;
  const auto velocity = [&](int k) {
    double sum = 0;
    for (int a = 0; a < 4; ++a) sum += c.state.v[12 * k + 3 * a] / 4;
    return sum;
  };
  for (int k = 0; k < 4; ++k) EXPECT_LE(std::abs(velocity(k)), 1e-3 * speed) << k;
  EXPECT_GE(velocity(4), 0.999 * speed);
  EXPECT_LE(run.energy, 1e-10);
  EXPECT_LE(run.linear, 1e-12);
  EXPECT_LE(run.angular, 1e-12);
  EXPECT_LE(run.constraint, 1e-15);
  EXPECT_EQ(run.crossings, 0);
}

// A particle and a rigid ball against boxes and soft blocks, off centre.
TEST(ContactBalls, BallsMeetSurfaces) {
  for (const bool soft : {false, true})
    for (const bool particle : {false, true}) {
      Assembly assembly;
      add(assembly, neo_hookean({.young = 1e5, .poisson = 0.3, .density = 1000}), "rubber");
      Solid block;
      block.mesh = box_mesh({.size = {0.1, 0.1, 0.1}, .corner = {-0.05, -0.05, -0.05}, .cells = {2, 2, 2}});
      block.material = "rubber";
      if (soft)
        add(assembly, block, "block");
      else
        add(assembly, rigid_from_shape(box_shape({0.1, 0.1, 0.1}), 1000), "block");
      if (particle) {
        add(assembly, particles({0.09, 0.03, 0.02}, {-2, 0, 0.1}, 0.3, 3), "ball");
      } else {
        Rigid ball = rigid_from_shape(moved(ball_shape(0.02), {}, {0.09, 0.03, 0.02}), 8000);
        ball.initial.velocity = {-2, 0, 0.1};
        ball.initial.angular_velocity = {0, 5, 0};
        add(assembly, ball, "ball");
      }
      ContactBodies contact = balls(0.02, 2e-3, 1e5);
      add(assembly, contact, "impact");
      Collision c(assembly);
      const Followed run = follow(c, 1e-3, 0.06);
      ASSERT_TRUE(run.converged) << soft << particle << run.message;
      EXPECT_LE(run.energy, 1e-10) << soft << particle;
      EXPECT_LE(run.linear, 1e-12) << soft << particle;
      EXPECT_LE(run.angular, 1e-12) << soft << particle;
      EXPECT_EQ(run.crossings, 0);
      EXPECT_GT(run.touching, 1);
    }
}

// Fifty particles in a box of planes, in the plane: none leaves, none overlaps.
TEST(ContactBalls, ParticlesInABox) {
  Assembly assembly;
  std::vector<double> x, v;
  for (int i = 0; i < 7; ++i)
    for (int j = 0; j < 7; ++j) {
      x.insert(x.end(), {0.05 + 0.1 * i, 0.05 + 0.1 * j});
      v.insert(v.end(), {std::sin(7.0 * i + 3 * j), std::cos(5.0 * i - 2 * j)});
    }
  add(assembly, particles(x, v, 0.2, 2), "gas");
  add(assembly, balls(0.02, 4e-3, 1e5), "gas contact");
  const Vec3 points[4] = {{0, 0, 0}, {0.7, 0, 0}, {0, 0, 0}, {0, 0.7, 0}};
  const Vec3 normals[4] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
  for (int k = 0; k < 4; ++k) {
    ContactPlane wall;
    wall.point = points[k];
    wall.normal = normals[k];
    wall.barrier = BarrierRule{4e-3, 1e5, 0.02};
    add(assembly, wall, "wall" + std::to_string(k));
  }
  Collision c(assembly);
  const Followed run = follow(c, 5e-3, 0.5);
  ASSERT_TRUE(run.converged) << run.message;
  EXPECT_LE(run.energy, 1e-10);
  EXPECT_EQ(run.crossings, 0);
  EXPECT_GT(run.touching, 50);
}

}  // namespace
}  // namespace livens
