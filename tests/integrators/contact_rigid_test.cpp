// Rigid bodies with shapes in contact: with planes, with each other, with solids, held by joints.
#include <cmath>
#include <random>

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include "integrators/impacts.hpp"
#include "support/source_dir.hpp"

namespace livens {
namespace {

using testing::Collision;
using testing::follow;
using testing::Followed;

Rigid rigid_box(const Vec3& size, const Vec3& rotation, const Vec3& center, double density = 1000) {
  return rigid_from_shape(moved(box_shape(size), rotation, center), density);
}

ContactPlane floor_of(int dimension, double range, double pressure) {
  ContactPlane floor;
  floor.normal = dimension == 3 ? Vec3{0, 0, 1} : Vec3{0, 1, 0};
  floor.barrier = BarrierRule{};
  floor.barrier->distance = range;
  floor.barrier->pressure = pressure;
  return floor;
}

// A box that spins, falls on a plane and bounces for ever.
TEST(ContactRigid, BoxTumblesOnAPlane) {
  for (const double h : {1e-3, 5e-3, 2e-2}) {
    Assembly assembly;
    Rigid box = rigid_box({0.2, 0.12, 0.08}, {0.3, 0.5, 0.2}, {0, 0, 0.3});
    box.initial.velocity = {0.5, 0.2, 0};
    box.initial.angular_velocity = {3, 5, 2};
    add(assembly, box, "box");
    add(assembly, Gravity{.acceleration = {0, 0, -9.81}}, "gravity");
    add(assembly, floor_of(3, 2e-3, 1e5), "floor");
    Collision c(assembly);
    const Momenta before = momenta(*c.model, c.state.q, c.state.p);
    const Followed run = follow(c, h, h < 2e-3 ? 1.0 : 2.0);
    testing::table_run("rigid box on a plane, step " + std::to_string(h), run);
    ASSERT_TRUE(run.converged) << run.message;
    const Momenta after = momenta(*c.model, c.state.q, c.state.p);
    EXPECT_LE(run.energy, 1e-12);
    EXPECT_LE(run.linear, 1e-12);
    EXPECT_NEAR(after.linear[0], before.linear[0], 1e-12);
    EXPECT_NEAR(after.linear[1], before.linear[1], 1e-12);
    EXPECT_LE(run.constraint, 1e-15);
    EXPECT_EQ(run.crossings, 0);
    EXPECT_GE(run.touching, 3);
  }
}

TEST(ContactRigid, BoxTumblesInThePlane) {
  Assembly assembly;
  Rigid box = rigid_box({0.2, 0.1, 0}, {0, 0, 0.4}, {0, 0.3, 0});
  box.initial.angular_velocity = {0, 0, 4};
  add(assembly, box, "box");
  add(assembly, Gravity{.acceleration = {0, -9.81, 0}}, "gravity");
  add(assembly, floor_of(2, 2e-3, 1e4), "floor");
  Collision c(assembly);
  const Followed run = follow(c, 5e-3, 2);
  testing::table_run("rigid box on a plane, in the plane", run);
  ASSERT_TRUE(run.converged) << run.message;
  EXPECT_LE(run.energy, 1e-12);
  EXPECT_LE(run.constraint, 1e-15);
  EXPECT_EQ(run.crossings, 0);
  EXPECT_GE(run.touching, 3);
}

// Two boxes in free flight: faces, a corner on a face, crossed edges.
TEST(ContactRigid, BoxesCollideInFreeFlight) {
  const Vec3 turns[3] = {{0, 0, 0}, {0.6, 0.6, 0.1}, {0, 0.785398, 0}};
  for (const double h : {1e-3, 5e-3})
    for (int k = 0; k < 3; ++k) {
      Assembly assembly;
      Rigid left = rigid_box({0.1, 0.12, 0.08}, k == 2 ? Vec3{0, 0, 0.785398} : Vec3{}, {0, 0, 0}),
            right = rigid_box({0.08, 0.1, 0.12}, turns[k], {0.2, 0.01, 0.02}, 2000);
      left.initial.velocity = {1.5, 0, 0};
      right.initial.velocity = {-1, 0, 0};
      right.initial.angular_velocity = {1, 0.5, 2};
      add(assembly, left, "left");
      add(assembly, right, "right");
      ContactBodies contact;
      contact.barrier.distance = 2e-3;
      contact.barrier.pressure = 1e6;
      add(assembly, contact, "impact");
      Collision c(assembly);
      const Followed run = follow(c, h, 0.15);
      const char* const names[] = {"faces", "corner on face", "crossed edges"};
      testing::table_run(std::string("two rigid boxes, ") + names[k] + ", step " + std::to_string(h), run);
      ASSERT_TRUE(run.converged) << k << " " << h << " " << run.message;
      // Between edges the tangent leaves something out: solves end where the residual does, 1e-10 of the momenta.
      EXPECT_LE(run.energy, k == 2 ? 1e-9 : 1e-11) << k << " " << h;
      EXPECT_LE(run.linear, 1e-12);
      EXPECT_LE(run.angular, 1e-12);
      EXPECT_LE(run.constraint, 1e-15);
      EXPECT_EQ(run.crossings, 0);
      EXPECT_GT(c.state.v[12], 0) << "they have met";
    }
}

// Shapes of all kinds, sizes and places against each other, with spins and friction, at steps of 0.5 to 10 ms: 40 of
// them; 800 with LIVENS_LONG.
TEST(ContactRigid, RandomImpacts) {
  const unsigned long count = std::getenv("LIVENS_LONG") == nullptr ? 40 : 800;
  unsigned long touched = 0;
  Followed worst;
  for (unsigned long k = 0; k < count; ++k) {
    std::mt19937_64 engine(k);
    const auto random = [&](double size) { return std::uniform_real_distribution<double>(-size, size)(engine); };
    const auto shape = [&] {
      switch (engine() % 4) {
        case 0: return box_shape({0.08 + random(0.04), 0.08 + random(0.04), 0.08 + random(0.06)});
        case 1: return ball_shape(0.04 + random(0.02));
        case 2: return cylinder_shape(0.03 + random(0.01), 0.1 + random(0.05), 8);
        default: return capsule_shape(0.03, 0.06, 8);
      }
    };
    Assembly assembly;
    for (const double side : {0.0, 1.0}) {
      const Vec3 turn{random(2), random(2), random(2)}, place{0.22 * side, random(0.04), random(0.04)};
      Rigid body = rigid_from_shape(moved(shape(), turn, place), 1000 + random(900));
      body.initial.velocity = {1.5 - 3 * side, random(0.5), random(0.5)};
      body.initial.angular_velocity = {random(10), random(10), random(10)};
      add(assembly, body, side == 0 ? "left" : "right");
    }
    ContactBodies contact;
    contact.barrier.distance = 2e-3;
    contact.barrier.pressure = 3e5;
    contact.barrier.friction = k % 2 == 0 ? 0 : 0.3;
    contact.barrier.stick_speed = 0.02;
    add(assembly, contact, "impact");
    Collision c(assembly);
    const Followed run = follow(c, 5e-4 * std::pow(20.0, static_cast<double>(k % 11) / 10), 0.12);
    ASSERT_TRUE(run.converged) << k << " " << run.message;
    EXPECT_LE(run.energy, 1e-9) << k;
    EXPECT_LE(run.linear, 1e-12) << k;
    EXPECT_LE(run.angular, 1e-11) << k;
    EXPECT_LE(run.constraint, 1e-15) << k;
    EXPECT_EQ(run.crossings, 0) << k;
    touched += run.stored > 0 ? 1 : 0;
    worst.energy = std::max(worst.energy, run.energy);
    worst.linear = std::max(worst.linear, run.linear);
    worst.angular = std::max(worst.angular, run.angular);
    worst.constraint = std::max(worst.constraint, run.constraint);
    worst.crossings += run.crossings;
    worst.iterations += run.iterations;
    worst.steps += run.steps;
  }
  testing::table_run(std::to_string(count) + " random impacts of rigid shapes", worst);
  EXPECT_GE(touched, count * 5 / 8);
}

// A tower of four boxes stands.
TEST(ContactRigid, TowerStands) {
  Assembly assembly;
  for (int k = 0; k < 4; ++k)
    add(assembly, rigid_box({0.1, 0.1, 0.05}, {}, {0, 0, 0.0258 + 0.0508 * k}), "box" + std::to_string(k));
  add(assembly, Gravity{.acceleration = {0, 0, -9.81}}, "gravity");
  ContactBodies contact;
  contact.barrier = BarrierRule{1e-3, 2e4, {}, 0.5, 5e-3};
  add(assembly, contact, "tower");
  ContactPlane floor = floor_of(3, 1e-3, 2e4);
  floor.barrier->friction = 0.5;
  floor.barrier->stick_speed = 5e-3;
  add(assembly, floor, "floor");
  Collision c(assembly);
  const std::vector<double> start = c.state.q;
  const Followed run = follow(c, 2e-3, 0.3);
  testing::table_run("tower of four boxes", run);
  ASSERT_TRUE(run.converged) << run.message;
  EXPECT_LE(run.energy, 1e-10);
  EXPECT_EQ(run.crossings, 0);
  EXPECT_EQ(run.touching, run.steps);
  for (std::size_t i = 0; i < start.size(); ++i) EXPECT_NEAR(c.state.q[i], start[i], 1e-3);
}

// A soft block on a rigid one, in free flight.
TEST(ContactRigid, SolidMeetsRigid) {
  Assembly assembly;
  add(assembly, neo_hookean({.young = 1e5, .poisson = 0.3, .density = 1000}), "rubber");
  Solid soft;
  soft.mesh = box_mesh({.size = {0.1, 0.1, 0.1}, .corner = {-0.05, -0.05, -0.05}, .cells = {2, 2, 2}});
  soft.material = "rubber";
  soft.initial.velocity = [](const Vec3&) { return Vec3{1, 0, 0}; };
  add(assembly, soft, "soft");
  Rigid stone = rigid_box({0.06, 0.06, 0.06}, {0.3, 0.2, 0.4}, {0.13, 0.01, 0.02}, 3000);
  stone.initial.velocity = {-1, 0, 0};
  add(assembly, stone, "stone");
  add(assembly, ContactBodies{}, "impact");
  Collision c(assembly);
  const Followed run = follow(c, 2e-3, 0.08);
  testing::table_run("soft block on a rigid one", run);
  ASSERT_TRUE(run.converged) << run.message;
  EXPECT_LE(run.energy, 1e-10);
  EXPECT_LE(run.linear, 1e-12);
  EXPECT_LE(run.angular, 1e-12);
  EXPECT_LE(run.constraint, 1e-15);
  EXPECT_EQ(run.crossings, 0);
  EXPECT_GT(run.touching, 3);
}

// A pendulum of two boxes, hinged to the ground and to each other, against a box that stands free.
TEST(ContactRigid, JointsHoldWhileBodiesTouch) {
  Assembly assembly;
  add(assembly, rigid_box({0.2, 0.04, 0.04}, {}, {0.1, 0, 0}), "upper");
  add(assembly, rigid_box({0.2, 0.04, 0.04}, {}, {0.31, 0, 0}), "lower");
  add(assembly, rigid_box({0.1, 0.1, 0.1}, {}, {0.05, 0, -0.35}), "free");
  Revolute hinge;
  hinge.bodies = {"ground", "upper"};
  hinge.point = {0, 0, 0};
  hinge.axis = {0, 1, 0};
  add(assembly, hinge, "hinge");
  hinge.bodies = {"upper", "lower"};
  hinge.point = {0.205, 0, 0};
  add(assembly, hinge, "knee");
  add(assembly, Gravity{"upper", {0, 0, -9.81}}, "gravity");
  add(assembly, Gravity{"lower", {0, 0, -9.81}}, "gravity_lower");
  ContactBodies contact;
  contact.barrier.distance = 2e-3;
  contact.barrier.pressure = 1e6;
  contact.exclude = {{"upper", "lower"}};
  add(assembly, contact, "impact");
  Collision c(assembly);
  const Followed run = follow(c, 2e-3, 0.6);
  testing::table_run("two hinged boxes that hit a third", run);
  ASSERT_TRUE(run.converged) << run.message;
  EXPECT_LE(run.energy, 1e-11);
  EXPECT_LE(run.constraint, 1e-13);
  EXPECT_EQ(run.crossings, 0);
  EXPECT_GT(run.touching, 1);
}

// One coordinate of a node stays what it is.
class HeldCoordinate final : public Constraint {
 public:
  HeldCoordinate(int coordinate, double value) : Constraint("guide", 1), i_(coordinate), value_(value) {}
  void value(double, ConstVector q, Vector g) const override { g[0] = q[i_] - value_; }
  void add_jacobian(double, ConstVector, double scale, MatrixSink& sink) const override {
    const int row[1] = {0}, column[1] = {i_};
    sink.add_block(row, column, &scale);
  }
  void add_force(double, ConstVector, ConstVector lambda, double scale, Vector f) const override {
    f[i_] += scale * lambda[0];
  }
  void add_curvature(double, ConstVector, ConstVector, double, MatrixSink&) const override {}
  void rates(double, ConstVector, ConstVector v, Vector rate, Vector second) const override {
    rate[0] = v[i_];
    second[0] = 0;
  }
  void magnitude(double, ConstVector q, Vector size) const override { size[0] = std::abs(q[i_]) + 0.1; }
  bool quadratic() const override { return true; }
  std::vector<int> coordinates() const override { return {i_}; }

 private:
  int i_;
  double value_;
};

// An equation of one coordinate alone: the columns of its node are of different lengths.
TEST(ContactRigid, ConstraintsOfOneCoordinate) {
  Assembly assembly;
  Rigid box = rigid_box({0.1, 0.12, 0.08}, {}, {0, 0, 0.0412});
  box.initial.velocity = {0.3, 0, 0};
  add(assembly, box, "box");
  const int y = assembly.parts.bodies.front().first + 1;
  add(assembly, std::make_shared<HeldCoordinate>(y, assembly.parts.bodies.front().reference[1]), Enforcement{});
  add(assembly, Gravity{"box", {0, 0, -9.81}}, "gravity");
  ContactPlane floor;
  floor.normal = {0, 0, 1};
  floor.barrier = BarrierRule{2e-3, 1e5};
  add(assembly, floor, "floor");
  Collision c(assembly);
  const Followed run = follow(c, 2e-3, 1);
  ASSERT_TRUE(run.converged) << run.message;
  EXPECT_LE(run.energy, 1e-10);
  EXPECT_LE(run.constraint, 1e-12);
  EXPECT_GT(run.touching, 1);
  EXPECT_LE(static_cast<double>(run.iterations) / run.steps, 3);  // 2.7; 3.6 with entries in the wrong columns
}

TEST(ContactRigid, ThreadsAndRestartsHaveTheSameBits) {
  std::vector<double> ends[3];
  for (int k = 0; k < 3; ++k) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, k == 1 ? 4 : 1);
    Assembly assembly;
    Rigid left = rigid_box({0.1, 0.12, 0.08}, {}, {0, 0, 0}),
          right = rigid_box({0.08, 0.1, 0.12}, {}, {0.1, 0.01, 0.02});
    left.initial.velocity = {1.5, 0, 0};
    left.initial.angular_velocity = {0, 1, 0.3};
    add(assembly, left, "left");
    add(assembly, right, "right");
    ContactBodies contact;
    contact.barrier.pressure = 1e5;
    contact.barrier.friction = 0.3;
    add(assembly, contact, "impact");
    Collision c(assembly);
    auto integrator = testing::stepped(1e-3, *c.model);
    bool touched = false;
    for (int step = 0; step < 30 && !touched; ++step) {
      ASSERT_TRUE(integrator->advance(*c.model, c.state, (step + 1) * 1e-3).converged);
      touched = c.barriers.front()->energy(c.state.q) > 0;
    }
    EXPECT_TRUE(touched);
    if (k == 2) integrator = testing::stepped(1e-3, *c.model);
    ASSERT_TRUE(integrator->advance(*c.model, c.state, 0.04).converged);
    ends[k] = c.state.q;
  }
  EXPECT_EQ(ends[1], ends[0]);
  EXPECT_EQ(ends[2], ends[0]);
}

// The published scenes at small size: energy with what friction took and obstacles gave, joints, and what should
// happen.
TEST(ContactRigid, PublishedScenesRun) {
  const auto run = [](const char* name, double end, State& state) {
    const Scene scene = load_scene(source_dir() + "/scenes/" + name);
    auto model = std::make_unique<Model>(make_model(scene));
    state = initial_state(scene, *model);
    const double start = energy(*model, state).total;
    auto integrator = make_integrator(scene, *model);
    const StepReport report = integrator->advance(*model, state, end);
    EXPECT_TRUE(report.converged) << name << report.message;
    double lost = 0, largest = 0;
    for (const double out : integrator->ledger().energy_out) lost += out;
    largest = std::max({1e-3, std::abs(start), lost});
    EXPECT_NEAR(energy(*model, state).total + lost - integrator->ledger().time_work, start, 1e-9 * largest) << name;
    std::vector<double> g(static_cast<std::size_t>(model->constraint_count()));
    model->constraint_values(state.t, state.q, g);
    for (const double value : g) EXPECT_LE(std::abs(value), 1e-14) << name;
    for (const auto& term : model->parts().terms)
      EXPECT_EQ(term->barrier() == nullptr ? 0 : testing::crossings(*term->barrier(), state.q), 0) << name;
    return model;
  };
  State state;
  run("contact_rigid_box.toml", 0.6, state);
  // The first ball falls, and the last one leaves with its velocity: sqrt(2 g L (1 - cos 0.5)).
  auto model = run("contact_cradle.toml", 0.24, state);
  double first = 0, last = 0;
  for (std::size_t a = 0; a < 4; ++a) first += state.v[3 * a] / 4, last += state.v[48 + 3 * a] / 4;
  const double speed = std::sqrt(2 * 9.81 * 0.2 * (1 - std::cos(0.5)));
  EXPECT_LE(std::abs(first), 0.01 * speed);
  EXPECT_NEAR(last, speed, 0.02 * speed);
  // The first domino reaches the second, which leans.
  model = run("contact_dominoes.toml", 0.12, state);
  const Body& second = model->bodies()[1];
  double top = 0;
  const auto weights = second.rigid->point({0.03, 0, 0.08});
  for (std::size_t a = 0; a < 4; ++a) top += weights[a] * state.q[second.first + 3 * a];
  EXPECT_GT(top, 0.031);
  // The plate has taken the block along.
  model = run("contact_pusher.toml", 0.3, state);
  EXPECT_GT(momenta(*model, state.q, state.p).linear[0], 0.1);
}

}  // namespace
}  // namespace livens
