// Rigid bodies that touch are drawn with the shape that touches, by whichever rule; others with the box of their
// inertia.
#include "draw/contact_shapes.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "draw/obstacle_json.hpp"
#include "files/fields.hpp"

namespace livens {
namespace {

constexpr double radius = 0.03, center = 0.2;  // m

Model ball_above_a_plane(const std::string& contact, const std::string& kind) {
  return make_model(parse_scene("time = { end = 1 }\nintegrator = { kind = '" + kind + "', step = 0.001 }\n" +
                                    "body = [{ name = 'ball', kind = 'rigid', mass = 1, center = [0, 0, 0.2], "
                                    "shape = { kind = 'sphere', radius = 0.03 } }]\n" +
                                    contact,
                                "shapes"));
}

std::string plane(const std::string& rule) {
  return "contact = [{ name = 'floor', kind = 'plane', point = [0, 0, 0], normal = [0, 0, 1], " + rule + " }]\n";
}

TEST(ContactShapes, BallsThatTouchAreDrawnRound) {
  for (const auto& [rule, kind] :
       {std::pair{"rule = 'impact'", "rattle"}, std::pair{"rule = 'barrier', pressure = 1e4", "energy_momentum"}}) {
    const Model model = ball_above_a_plane(plane(rule), kind);
    const Body& ball = model.bodies().front();
    const auto shape = contact_shape(model, ball);
    ASSERT_TRUE(shape.has_value()) << rule;
    EXPECT_GT(shape->vertices.size(), 100u) << rule;
    for (const DrawnVertex& vertex : shape->vertices) {
      double x[3] = {0, 0, -center};
      for (std::size_t k = 0; k < 4; ++k)
        for (int c = 0; c < 3; ++c) {
          const auto i = static_cast<std::size_t>(vertex.node[k] + c);
          x[c] += vertex.weight[k] * ball.reference[i];
        }
      EXPECT_NEAR(std::hypot(x[0], x[1], x[2]), radius, 1e-12) << rule;
    }
  }
}

Model block_and(const std::string& contact, bool plane = false) {
  return make_model(parse_scene(
      std::string("time = { end = 1 }\nintegrator = { kind = 'energy_momentum', step = 0.001 }\n"
                  "material = [{ name = 'm', kind = 'neo_hookean', young = 1e5, poisson = 0.3, density = 1000 }]\n"
                  "body = [{ name = 'b', kind = 'solid', material = 'm', mesh = ") +
          (plane ? "{ kind = 'rectangle', size = [0.1, 0.1], cells = [1, 1] } }]\n"
                 : "{ kind = 'box', size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }]\n") +
          "contact = [{ name = 'c', " + contact + " }]\n",
      "shapes"));
}

// Their faces have no lines across, which only triangles have.
TEST(ContactShapes, BoxesAndCylindersOfContactsAreObstaclesWithTheirEdges) {
  const auto lines = [](const Drawable& drawable) {
    int count = 0;
    for (const unsigned edges : drawable.edges)
      count += static_cast<int>((edges & 1) + (edges >> 1 & 1) + (edges >> 2));
    return count;
  };
  const Drawing box = draw(block_and("kind = 'box', point = [0, 0, -0.2], size = [1, 0.5, 0.2]"));
  ASSERT_EQ(box.drawables.size(), 2u);
  EXPECT_FALSE(box.drawables[0].obstacle);
  EXPECT_EQ(box.drawables[1].name, "c");
  EXPECT_TRUE(box.drawables[1].obstacle);
  EXPECT_FALSE(box.drawables[1].room);
  EXPECT_EQ(box.drawables[1].edges.size(), 12u);
  EXPECT_EQ(lines(box.drawables[1]), 24) << "twelve edges, each of two triangles";
  const Drawing cylinder =
      draw(block_and("kind = 'cylinder', point = [0, 0, -0.2], radius = 0.1, length = 0.2, segments = 12"));
  EXPECT_TRUE(cylinder.drawables[1].obstacle);
  EXPECT_EQ(lines(cylinder.drawables[1]), 2 * (12 + 2 * 12));
}

TEST(ContactShapes, RoomsSayThatTheyAre) {
  const std::string around = "inside = true, point = [0.05, 0.05, 0.05], size = [1, 1, 1]";
  const Drawing room = draw(block_and("kind = 'box', " + around));
  EXPECT_TRUE(room.drawables[1].room);
  const Drawing plane = draw(block_and("kind = 'box', inside = true, point = [0.05, 0.05], size = [1, 1]", true));
  EXPECT_TRUE(plane.drawables[1].room);
  EXPECT_EQ(plane.drawables[1].edges.size(), 8u) << "a band about it";
  EXPECT_FALSE(draw(block_and("kind = 'box', point = [0.05, -0.2], size = [1, 0.1]", true)).drawables[1].room);
  const auto ball = [](const std::string& keys) {
    const Model model = block_and("kind = 'sphere', rule = 'barrier', " + keys);
    return obstacles_json(obstacles_of(model), draw(model))[0]["room"].get<bool>();
  };
  EXPECT_TRUE(ball("inside = true, point = [0, 0, 0], radius = 0.5"));
  EXPECT_FALSE(ball("point = [0, 0, -1], radius = 0.8"));
}

TEST(ContactShapes, WhatTouchesNothingHasNone) {
  const Model model = ball_above_a_plane("", "rattle");
  EXPECT_FALSE(contact_shape(model, model.bodies().front()).has_value());
}

}  // namespace
}  // namespace livens
