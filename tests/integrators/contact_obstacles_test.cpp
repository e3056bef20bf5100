// Obstacles that stand and move: the work they do is in the ledger, and nothing passes through them.
#include <cmath>

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include "integrators/impacts.hpp"

namespace livens {
namespace {

using testing::Collision;
using testing::follow;
using testing::Followed;

Assembly with_block(int dimension) {
  Assembly assembly;
  add(assembly, neo_hookean({.young = 1e5, .poisson = 0.3, .density = 1000}), "rubber");
  Solid block;
  block.mesh = dimension == 3 ? box_mesh({.size = {0.1, 0.1, 0.1}, .corner = {0, 0, 0}, .cells = {2, 2, 2}})
                              : rectangle_mesh({.size = {0.1, 0.1}, .corner = {0, 0}, .cells = {3, 3}});
  block.material = "rubber";
  add(assembly, block, "block");
  return assembly;
}

// A wall drives into a block at rest: it leaves with twice the speed of the wall less what vibrates, and energy and
// momentum are those that the wall gave.
TEST(ContactObstacles, MovingWallPushesABlock) {
  for (const int dimension : {2, 3})
    for (const double h : {1e-3, 5e-3}) {
      Assembly assembly = with_block(dimension);
      MovingObstacle wall;
      wall.shape = dimension == 3 ? box_shape({0.02, 0.3, 0.3}) : box_shape({0.02, 0.3, 0});
      wall.pose = [](double t) {
        Pose pose;
        pose.position = {-0.03 + 0.5 * t, 0.05, 0.05};
        pose.velocity = {0.5, 0, 0};
        return pose;
      };
      add(assembly, wall, "wall");
      add(assembly, ContactBodies{}, "push");
      Collision c(assembly);
      const Followed run = follow(c, h, 0.15);
      testing::table_run("wall that drives into a block, " + std::to_string(dimension) + "D, step " + std::to_string(h),
                         run);
      ASSERT_TRUE(run.converged) << dimension << " " << h << " " << run.message;
      EXPECT_LE(run.energy, 1e-10) << dimension << " " << h;
      EXPECT_LE(run.linear, 1e-12);
      EXPECT_LE(run.angular, 1e-12);
      EXPECT_EQ(run.crossings, 0);
      EXPECT_GT(run.booked, 0.01);
      const Momenta after = momenta(*c.model, c.state.q, c.state.p);
      EXPECT_GT(after.linear[0] / (dimension == 3 ? 1.0 : 10.0), 0.5);
    }
}

// A bar that turns hits a rigid box and throws it away, in space.
TEST(ContactObstacles, TurningBarThrowsABox) {
  Assembly assembly;
  add(assembly, rigid_from_shape(moved(box_shape({0.08, 0.06, 0.1}), {0.1, 0.2, 0.3}, {0.2, 0.1, 0}), 1000), "box");
  MovingObstacle bar;
  bar.shape = box_shape({0.6, 0.04, 0.2});
  bar.pose = [](double t) {
    Pose pose;
    pose.rotation = {0, 0, 4 * t};
    pose.rotation_rate = {0, 0, 4};
    return pose;
  };
  add(assembly, bar, "bar");
  ContactBodies contact;
  contact.barrier.distance = 2e-3;
  contact.barrier.pressure = 1e6;
  add(assembly, contact, "hit");
  Collision c(assembly);
  const Followed run = follow(c, 5e-3, 0.3);
  testing::table_run("bar that turns and throws a box", run);
  ASSERT_TRUE(run.converged) << run.message;
  EXPECT_LE(run.energy, 1e-10);
  EXPECT_LE(run.linear, 1e-12);
  EXPECT_LE(run.angular, 1e-12);
  EXPECT_LE(run.constraint, 1e-15);
  EXPECT_EQ(run.crossings, 0);
  EXPECT_GT(run.booked, 0.01);
}

// Soft blocks fall on a ball, a cylinder and a box that stand still.
TEST(ContactObstacles, BlocksFallOnShapes) {
  for (int k = 0; k < 3; ++k) {
    Assembly assembly = with_block(3);
    MovingObstacle thing;
    thing.shape = k == 0   ? moved(ball_shape(0.05), {}, {0.04, 0.06, -0.06})
                  : k == 1 ? moved(cylinder_shape(0.04, 0.3, 12), {M_PI / 2, 0, 0}, {0.04, 0.05, -0.05})
                           : moved(box_shape({0.06, 0.06, 0.06}), {0.6, 0.5, 0}, {0.045, 0.05, -0.06});
    add(assembly, thing, "thing");
    add(assembly, Gravity{.acceleration = {0, 0, -9.81}}, "gravity");
    add(assembly, ContactBodies{}, "rest");
    Collision c(assembly);
    const Followed run = follow(c, 2e-3, 0.12);
    ASSERT_TRUE(run.converged) << k << " " << run.message;
    EXPECT_LE(run.energy, 1e-9) << k;
    EXPECT_LE(run.linear, 1e-12) << k;
    EXPECT_EQ(run.crossings, 0) << k;
    EXPECT_GT(run.touching, 5) << k;
    EXPECT_EQ(run.booked, 0) << k;
  }
}

// A belt under a block: friction takes it along to the speed of the belt, and the belt does the work.
TEST(ContactObstacles, BeltTakesABlockAlong) {
  Assembly assembly;
  Rigid box = rigid_from_shape(moved(box_shape({0.1, 0.06, 0}), {}, {0, 0.0308, 0}), 100);
  add(assembly, box, "box");
  MovingObstacle belt;
  belt.shape = moved(box_shape({4, 0.1, 0}), {}, {0, -0.05, 0});
  belt.pose = [](double t) {
    Pose pose;
    pose.position = {0.5 * t, 0, 0};
    pose.velocity = {0.5, 0, 0};
    return pose;
  };
  add(assembly, belt, "belt");
  add(assembly, Gravity{.acceleration = {0, -9.81, 0}}, "gravity");
  ContactBodies contact;
  contact.barrier.distance = 1e-3;
  contact.barrier.pressure = 1e3;
  contact.barrier.friction = 0.3;
  contact.barrier.stick_speed = 1e-3;
  add(assembly, contact, "belt contact");
  Collision c(assembly);
  const Followed run = follow(c, 2e-3, 0.4);
  testing::table_run("belt under a box", run);
  ASSERT_TRUE(run.converged) << run.message;
  EXPECT_LE(run.energy, 1e-9);
  EXPECT_LE(run.linear, 1e-12);
  EXPECT_EQ(run.crossings, 0);
  const double mass = c.model->bodies()[0].mass;
  const double speed = momenta(*c.model, c.state.q, c.state.p).linear[0] / mass;
  EXPECT_NEAR(speed, 0.5, 0.01);
  // Friction on a belt: half of its work becomes heat while the block is slower, m V^2/2 of m V^2.
  EXPECT_NEAR(run.lost / (0.5 * mass * 0.25), 1, 0.05);
  EXPECT_NEAR(run.booked / (mass * 0.25), 1, 0.05);
}

// The same bits for any number of threads, and from the middle of a push on.
TEST(ContactObstacles, ThreadsAndRestartsHaveTheSameBits) {
  std::vector<double> ends[3];
  for (int k = 0; k < 3; ++k) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, k == 1 ? 4 : 1);
    Assembly assembly = with_block(3);
    MovingObstacle ball;
    ball.shape = ball_shape(0.04);
    ball.pose = [](double t) {
      Pose pose;
      pose.position = {-0.05 + 0.6 * t, 0.04, 0.06};
      pose.velocity = {0.6, 0, 0};
      return pose;
    };
    add(assembly, ball, "ball");
    ContactBodies contact;
    contact.barrier.friction = 0.3;
    contact.barrier.stick_speed = 0.01;
    add(assembly, contact, "push");
    Collision c(assembly);
    constexpr double h = 1.0 / 1024;  // whose multiples are exact: the obstacle is a function of t
    auto integrator = testing::stepped(h, *c.model);
    ASSERT_TRUE(integrator->advance(*c.model, c.state, 24 * h).converged);
    EXPECT_GT(c.barriers.front()->energy(c.state.q), 0) << "they touch";
    if (k == 2) integrator = testing::stepped(h, *c.model);
    ASSERT_TRUE(integrator->advance(*c.model, c.state, 48 * h).converged);
    ends[k] = c.state.q;
  }
  EXPECT_EQ(ends[1], ends[0]);
  EXPECT_EQ(ends[2], ends[0]);
}

// A clamped face that moves, beside contact.
TEST(ContactObstacles, SupportsMoveBesideContact) {
  Assembly assembly = with_block(2);
  Solid wall;
  wall.mesh = rectangle_mesh({.size = {0.05, 0.2}, .corner = {0.105, -0.05}, .cells = {2, 5}});
  wall.material = "rubber";
  add(assembly, wall, "wall");
  add(assembly, Fixed{.selection = "wall.x_max"}, "held");
  add(assembly, Prescribed{"block.x_min", {Displacement("0.2*t*t/(0.05+t)"), Displacement(0.0)}}, "pusher");
  add(assembly, ContactBodies{}, "press");
  Collision c(assembly);
  const Followed run = follow(c, 2e-3, 0.12);
  ASSERT_TRUE(run.converged) << run.message;
  EXPECT_LE(run.energy, 1e-10);
  EXPECT_LE(run.linear, 1e-12);
  EXPECT_EQ(run.crossings, 0);
  EXPECT_GT(run.touching, 5);
  EXPECT_GT(run.booked, 0);
}

// One that is told where to stand stands: it is no support that moves, and is where the functions or rows put it.
TEST(ContactObstacles, ConstantMotionsStand) {
  const auto scene = [](const std::string& place) {
    return parse_scene(
        "time = { end = 1 }\nintegrator = { kind = 'implicit_euler', step = 0.001 }\n"
        "[[body]]\nname = 'peg'\nkind = 'obstacle'\nshape = { kind = 'box', size = [0.2, 0.1, 0.1] }\n" +
            place,
        "peg");
  };
  for (const std::string& place : {std::string("position = [0.1, 0.2, '0.3']\nrotation = [0, 0, 'pi/2']\n"),
                                   std::string("table = [[0, 0.1, 0.2, 0.3, 0, 0, 1.5707963267948966], [1, 0.1, 0.2, "
                                               "0.3, 0, 0, 1.5707963267948966]]\n")}) {
    const livens::Setup setup = make_setup(scene(place));
    EXPECT_FALSE(setup.model->has_moving_supports()) << place;
    Point3 mean;
    const std::vector<double>& q = setup.start.q;
    for (std::size_t a = 0; a < 4; ++a) mean += 0.25 * Point3{q[3 * a], q[3 * a + 1], q[3 * a + 2]};
    EXPECT_LE(length(mean - Point3{0.1, 0.2, 0.3}), 1e-15) << place;
    double widest = 0, deepest = 0;
    for (std::size_t a = 0; a < 4; ++a) {
      widest = std::max(widest, std::abs(q[3 * a] - mean.x));
      deepest = std::max(deepest, std::abs(q[3 * a + 1] - mean.y));
    }
    EXPECT_NEAR(deepest / widest, 2, 1e-9) << "turned by a quarter";
  }
  EXPECT_TRUE(make_setup(scene("position = ['0.1*t', 0, 0]\n")).model->has_moving_supports());
}

}  // namespace
}  // namespace livens
