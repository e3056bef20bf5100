// Points inside facets that push beside their corners: what steps promise holds with them, too.
#include <cmath>

#include <gtest/gtest.h>

#include "integrators/impacts.hpp"

namespace livens {
namespace {

using testing::Collision, testing::follow, testing::Followed, testing::with_rubber;

Assembly two_that_meet(int dimension, int samples, double friction) {
  Assembly assembly = with_rubber();
  const auto add_body = [&](const Vec3& corner, int cells, double velocity, const char* name) {
    Solid solid;
    if (dimension == 2)
      solid.mesh = rectangle_mesh({.size = {0.1, 0.1}, .corner = {corner[0], corner[1]}, .cells = {cells, cells}});
    else
      solid.mesh = box_mesh({.size = {0.1, 0.1, 0.1}, .corner = corner, .cells = {cells, cells, cells}});
    solid.material = "rubber";
    solid.initial.velocity = [=](const Vec3&) { return Vec3{velocity, 0.3 * velocity, 0}; };
    add(assembly, solid, name);
  };
  add_body({0, 0, 0}, 2, 1, "left");
  add_body({0.105, 0.023, 0.031}, 3, -1, "right");
  ContactBodies contact;
  contact.barrier.samples = samples;
  contact.barrier.friction = friction;
  contact.barrier.stick_speed = 0.01;
  add(assembly, contact, "contact");
  return assembly;
}

TEST(ContactSamples, StepsKeepEnergyAndMomenta) {
  for (const int dimension : {2, 3})
    for (const double friction : {0.0, 0.3})
      for (const int samples : {1, 3}) {
        if (dimension == 3 && samples == 3) continue;
        Collision c(two_that_meet(dimension, samples, friction));
        const Followed run = follow(c, 2e-3, 0.03);
        ASSERT_TRUE(run.converged) << dimension << " " << samples << " " << run.message;
        EXPECT_LE(run.energy, 1e-9) << dimension << " " << samples << " " << friction;
        EXPECT_LE(run.linear, 1e-12) << dimension << " " << samples << " " << friction;
        EXPECT_LE(run.angular, 1e-12) << dimension << " " << samples << " " << friction;
        EXPECT_EQ(run.crossings, 0);
        EXPECT_GT(run.touching, 3);
        EXPECT_EQ(run.lost > 0, friction > 0);
      }
}

// A strip that is folded touches itself; samples of facets beside each other do not.
TEST(ContactSamples, RestShapesStayFreeOfForce) {
  for (const int dimension : {2, 3}) {
    Assembly assembly = with_rubber();
    Solid solid;
    if (dimension == 2)
      solid.mesh = rectangle_mesh({.size = {0.3, 0.02}, .cells = {30, 2}});
    else
      solid.mesh = box_mesh({.size = {0.1, 0.1, 0.02}, .cells = {4, 3, 1}});
    solid.material = "rubber";
    add(assembly, solid, "strip");
    ContactBodies contact;
    contact.self = true;
    contact.barrier.distance = 0.05;
    contact.barrier.samples = 2;
    add(assembly, contact, "self");
    const Collision c(assembly);
    EXPECT_EQ(c.barriers.front()->energy(c.state.q), 0);
  }
}

// A rigid box on a peg that is smaller than its faces: between the corners of a face nothing but samples pushes evenly,
// and the force of gravity is the sum of theirs.
TEST(ContactSamples, OfRigidBodies) {
  Assembly assembly;
  add(assembly, rigid_from_shape(moved(box_shape({0.1, 0.1, 0.05}), {}, {0, 0, 0.0258}), 1000), "box");
  add(assembly, Gravity{.acceleration = {0, 0, -9.81}}, "gravity");
  ContactPlane floor;
  floor.normal = {0, 0, 1};
  floor.barrier = BarrierRule{};
  floor.barrier->distance = 1e-3;
  floor.barrier->pressure = 5e3;
  floor.barrier->samples = 2;
  add(assembly, floor, "floor");
  Collision c(assembly);
  const Followed run = follow(c, 1e-3, 0.1);
  ASSERT_TRUE(run.converged) << run.message;
  EXPECT_LE(run.energy, 1e-9);
  EXPECT_LE(run.constraint, 1e-14);
  EXPECT_GT(run.touching, 50);
  EXPECT_EQ(run.crossings, 0);
}

TEST(ContactSamples, LayersRefuseThem) {
  const auto run = [](const std::string& method, int samples) {
    return "time = { end = 0.01 }\nintegrator = { kind = '" + method + "', step = 1e-5 }\n" +
           "[[material]]\nname = 'rubber'\nkind = 'neo_hookean'\nyoung = 1e5\npoisson = 0.3\ndensity = 1000\n"
           "[[body]]\nname = 'block'\nkind = 'solid'\nmaterial = 'rubber'\n"
           "mesh = { kind = 'rectangle', size = [0.1, 0.1], cells = [2, 2] }\n"
           "[[contact]]\nname = 'floor'\nkind = 'plane'\nrule = 'barrier'\npoint = [0, -0.01]\nnormal = [0, 1]\n"
           "samples = " +
           std::to_string(samples) + "\n";
  };
  EXPECT_NO_THROW(make_setup(parse_scene(run("stormer_verlet", 0), "layers")));
  EXPECT_NO_THROW(make_setup(parse_scene(run("energy_momentum", 2), "steps")));
  try {
    make_setup(parse_scene(run("stormer_verlet", 2), "layers"));
    FAIL() << "samples in layers";
  } catch (const SceneError& error) {
    EXPECT_NE(std::string(error.what()).find("samples belong to the step of energy_momentum"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace livens
