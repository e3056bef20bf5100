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

// A ball that is thrown along a plane slides until it rolls, with 5/7 of its speed in space, 2/3 in the plane.
TEST(ContactBalls, SlidingBallBeginsToRoll) {
  for (const int dimension : {2, 3}) {
    constexpr double radius = 0.05, speed = 1;
    Assembly assembly;
    Rigid ball = rigid_from_shape(
        moved(ball_shape(radius, dimension), {}, dimension == 3 ? Vec3{0, 0, 0.0503} : Vec3{0, 0.0503, 0}), 1000);
    ball.initial.velocity = {speed, 0, 0};
    add(assembly, ball, "ball");
    add(assembly, Gravity{.acceleration = dimension == 3 ? Vec3{0, 0, -9.81} : Vec3{0, -9.81, 0}}, "gravity");
    ContactPlane floor;
    floor.normal = dimension == 3 ? Vec3{0, 0, 1} : Vec3{0, 1, 0};
    floor.barrier = BarrierRule{1e-3, dimension == 3 ? 5e3 : 5e4, {}, 0.3, 1e-3};
    add(assembly, floor, "floor");
    Collision c(assembly);
    const Followed run = follow(c, 2e-3, 0.4);
    ASSERT_TRUE(run.converged) << dimension << run.message;
    double rolling = 0;
    for (int a = 0; a <= dimension; ++a) rolling += c.state.v[a * dimension] / (dimension + 1);
    EXPECT_NEAR(rolling, dimension == 3 ? 5.0 / 7 : 2.0 / 3, 1e-3) << dimension;
    EXPECT_LE(run.energy, 1e-9) << dimension;
    EXPECT_EQ(run.crossings, 0);
    EXPECT_NEAR(run.lost / (0.5 * ball.mass * speed * speed), dimension == 3 ? 2.0 / 7 : 1.0 / 3, 1e-2);
  }
}

// Balls that rub on each other and on a box in free flight: friction has neither force nor moment.
TEST(ContactBalls, FrictionKeepsMomenta) {
  for (int k = 0; k < 3; ++k) {
    Assembly assembly;
    Rigid left = rigid_from_shape(ball_shape(0.03), 2000);
    left.initial.velocity = {1, 0, 0};
    left.initial.angular_velocity = {0, 0, 40};
    add(assembly, left, "left");
    const Vec3 place{0.08, 0.015, 0.01};
    if (k == 0) add(assembly, rigid_from_shape(moved(ball_shape(0.03), {}, place), 1000), "right");
    if (k == 1) add(assembly, rigid_from_shape(moved(box_shape({0.05, 0.1, 0.1}), {}, place), 1000), "right");
    if (k == 2) add(assembly, particles({place[0], place[1], place[2]}, {0, 0, 0}, 0.1, 3), "right");
    ContactBodies contact = balls(0.03, 1e-3, 1e6);
    contact.barrier.friction = 0.4;
    contact.barrier.stick_speed = 1e-2;
    add(assembly, contact, "impact");
    Collision c(assembly);
    const Followed run = follow(c, 5e-4, 0.05);
    ASSERT_TRUE(run.converged) << k << run.message;
    EXPECT_LE(run.energy, 1e-10) << k;
    EXPECT_LE(run.linear, 1e-12) << k;
    EXPECT_LE(run.angular, 1e-12) << k;
    EXPECT_EQ(run.crossings, 0);
    EXPECT_GT(run.lost, 1e-3) << k;
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
