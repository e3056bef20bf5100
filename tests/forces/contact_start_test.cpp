// Starts of contact: what intersects is refused, shown and repaired; pairs that are left out; keys that are needed.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "contact/crossing.hpp"
#include "contact/intersections.hpp"
#include "support/scratch.hpp"

namespace livens {
namespace {

void add_box(Assembly& assembly, const Vec3& size, const Vec3& place, const std::string& name) {
  add(assembly, rigid_from_shape(moved(box_shape(size), {}, place), 1000), name);
}

ContactBodies rigid_contact() {
  ContactBodies contact;
  contact.barrier.distance = 1e-3;
  contact.barrier.pressure = 1e5;
  return contact;
}

// The message of the error that a contact gives; "" if it gives none.
template <class Contact>
std::string refusal(Assembly& assembly, const Contact& contact, std::string* key = nullptr) {
  try {
    add(assembly, contact, "contact");
  } catch (const AssemblyError& error) {
    if (key != nullptr) *key = error.key;
    return error.what();
  }
  return "";
}

TEST(ContactStart, IntersectionsAreShownInAFile) {
  Assembly assembly;
  add_box(assembly, {0.1, 0.1, 0.1}, {0, 0, 0}, "left");
  add_box(assembly, {0.1, 0.1, 0.1}, {0.09, 0.02, 0.01}, "right");
  const std::filesystem::path file = testing::scratch() / "shown.obj";
  ContactBodies contact = rigid_contact();
  contact.barrier.shown_in = file.string();
  const std::string message = refusal(assembly, contact);
  EXPECT_NE(message.find("left"), std::string::npos) << message;
  EXPECT_NE(message.find(file.string()), std::string::npos) << message;
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  const std::string obj = text.str();
  EXPECT_NE(obj.find("o left\n"), std::string::npos);
  EXPECT_NE(obj.find("o right\n"), std::string::npos);
  const std::size_t shown = obj.find("o intersecting\n");
  ASSERT_NE(shown, std::string::npos);
  EXPECT_NE(obj.find("\nf ", shown), std::string::npos);
  EXPECT_NE(obj.find("\nl ", shown), std::string::npos);
}

// A heap of boxes, balls and particles that overlap, on a plane: pushed apart, none turned, the held one where it was.
TEST(ContactStart, RepairPushesApart) {
  Assembly assembly;
  add_box(assembly, {0.1, 0.1, 0.1}, {0, 0, 0.04}, "one");
  add_box(assembly, {0.1, 0.1, 0.1}, {0.03, 0.08, 0.05}, "two");
  add(assembly, rigid_from_shape(moved(ball_shape(0.04), {}, {0.05, 0.03, 0.1}), 1000), "ball");
  MovingObstacle post;
  post.shape = moved(box_shape({0.05, 0.05, 0.3}), {}, {-0.06, 0, 0.1});
  add(assembly, post, "post");
  const std::vector<double> before = assembly.q;
  ContactBodies contact = rigid_contact();
  EXPECT_NE(refusal(assembly, contact), "");
  EXPECT_EQ(assembly.q, before);
  contact.barrier.repair = true;
  EXPECT_EQ(refusal(assembly, contact), "");
  const Model model = assembly.model();
  const State state = assembly.start(model);
  for (const auto& term : model.parts().terms)
    EXPECT_EQ(term->barrier() == nullptr ? 0 : testing::crossings(*term->barrier(), state.q), 0);
  for (std::size_t body = 0; body < 3; ++body)  // each moved as a whole
    for (std::size_t i = 0; i < 12; ++i)
      EXPECT_NEAR(assembly.q[12 * body + i] - before[12 * body + i],
                  assembly.q[12 * body + i % 3] - before[12 * body + i % 3], 1e-15);
  for (std::size_t i = 36; i < 48; ++i) EXPECT_EQ(assembly.q[i], before[i]);
  EXPECT_FALSE(assembly.parts.notes.empty());
}

TEST(ContactStart, RepairLiftsOffPlanesAndSeparatesParticles) {
  Assembly assembly;
  Particles heap;
  heap.layout.dimension = 2;
  heap.layout.positions = {0, 0.005, 0.001, 0.006, 0.002, 0.03};
  heap.mass = {1};
  add(assembly, heap, "heap");
  ContactBodies contact;
  contact.barrier = BarrierRule{1e-3, 1e5, 0.01};
  contact.barrier.repair = true;
  EXPECT_EQ(refusal(assembly, contact), "");
  ContactPlane floor;
  floor.normal = {0, 1, 0};
  floor.barrier = contact.barrier;
  add(assembly, floor, "floor");
  for (const auto& term : assembly.parts.terms) EXPECT_EQ(testing::crossings(*term->barrier(), assembly.q), 0);
}

// Off a ball that stands still, and into a room.
TEST(ContactStart, RepairLiftsOffSpheres) {
  for (const bool inside : {false, true}) {
    SCOPED_TRACE(inside);
    Assembly assembly;
    add_box(assembly, {0.1, 0.1, 0.1}, {inside ? 0.93 : 0.01, 0.02, inside ? 0.3 : -0.06}, "box");
    add(assembly, rigid_from_shape(moved(ball_shape(0.04), {}, {inside ? 0.5 : 0.2, 0, inside ? -0.9 : 0}), 1000),
        "ball");
    ContactSphere sphere;
    sphere.radius = inside ? 1 : 0.08;
    if (!inside) sphere.point = {0.01, 0.02, 0};
    sphere.inside = inside;
    sphere.barrier = BarrierRule{1e-3, 1e5};
    const std::vector<double> before = assembly.q;
    EXPECT_NE(refusal(assembly, sphere), "");
    EXPECT_EQ(assembly.q, before);
    sphere.barrier->repair = true;
    ASSERT_NO_THROW(add(assembly, sphere, "room"));
    EXPECT_NE(assembly.q, before);
    for (const auto& term : assembly.parts.terms)
      if (term->barrier() != nullptr) {
        EXPECT_FALSE(find_intersection(*term->barrier(), assembly.q).has_value());
        EXPECT_TRUE(std::isfinite(term->energy(0, assembly.q)));
      }
    for (std::size_t i = 0; i < 12; ++i)
      EXPECT_NEAR(assembly.q[i] - before[i], assembly.q[i % 3] - before[i % 3], 1e-15) << "as a whole";
  }
}

// What is held by a joint or a support is not moved.
TEST(ContactStart, RepairLeavesWhatIsHeld) {
  Assembly assembly;
  add_box(assembly, {0.1, 0.1, 0.1}, {0, 0, 0}, "left");
  add_box(assembly, {0.1, 0.1, 0.1}, {0.09, 0, 0}, "right");
  Spherical joint;
  joint.bodies = {"left", "right"};
  joint.point = {0.045, 0, 0};
  add(assembly, joint, "joint");
  const std::vector<double> before = assembly.q;
  ContactBodies contact = rigid_contact();
  contact.barrier.repair = true;
  EXPECT_NE(refusal(assembly, contact).find("exclude"), std::string::npos);
  EXPECT_EQ(assembly.q, before);
  contact.exclude = {{"left", "right"}};
  std::string key;
  EXPECT_NE(refusal(assembly, contact, &key), "") << "nothing is left to touch";
  EXPECT_EQ(key, "bodies");
}

TEST(ContactStart, ExcludedPairsPassThroughEachOther) {
  Assembly assembly;
  add_box(assembly, {0.1, 0.1, 0.1}, {0, 0, 0}, "a");
  add_box(assembly, {0.1, 0.1, 0.1}, {0.05, 0, 0}, "b");
  add_box(assembly, {0.1, 0.1, 0.1}, {0.5, 0, 0}, "c");
  ContactBodies contact = rigid_contact();
  contact.exclude = {{"b", "a"}};
  EXPECT_EQ(refusal(assembly, contact), "");
  contact.exclude = {{"a", "d"}};
  std::string key;
  EXPECT_NE(refusal(assembly, contact, &key).find("'d'"), std::string::npos);
  EXPECT_EQ(key, "exclude");
}

TEST(ContactStart, WhatIsNeededIsAskedFor) {
  std::string key;
  {
    Assembly assembly;
    add_box(assembly, {0.1, 0.1, 0.1}, {0, 0, 0}, "a");
    add_box(assembly, {0.1, 0.1, 0.1}, {0.5, 0, 0}, "b");
    const std::string message = refusal(assembly, ContactBodies{}, &key);
    EXPECT_EQ(key, "pressure");
    EXPECT_NE(message.find("'a' and 'b'"), std::string::npos) << message;
  }
  {
    Assembly assembly;
    Particles two;
    two.layout.dimension = 3;
    two.layout.positions = {0, 0, 0, 1, 0, 0};
    two.mass = {1};
    add(assembly, two, "two");
    ContactBodies contact = rigid_contact();
    contact.bodies = {"two"};
    EXPECT_NE(refusal(assembly, contact, &key), "");
    EXPECT_EQ(key, "radius");
    contact.barrier.radius = 0.1;
    contact.barrier.friction = 0.2;
    EXPECT_NE(refusal(assembly, contact, &key), "");
    EXPECT_EQ(key, "friction");
    contact.barrier.friction = 0;
    EXPECT_EQ(refusal(assembly, contact, &key), "");
  }
  {
    Assembly assembly;
    Rigid bare = rigid_from_shape(box_shape({0.1, 0.1, 0.1}), 1000);
    bare.shape.reset();
    add(assembly, bare, "bare");
    ContactPlane floor;
    floor.point = {0, 0, -1};
    floor.normal = {0, 0, 1};
    floor.barrier = BarrierRule{1e-3, 1e5};
    EXPECT_NE(refusal(assembly, floor).find("shape"), std::string::npos);
  }
}

}  // namespace
}  // namespace livens
