// Rigid bodies that touch are drawn with the shape that touches, by whichever rule; others with the box of their
// inertia.
#include "draw/contact_shapes.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

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

TEST(ContactShapes, WhatTouchesNothingHasNone) {
  const Model model = ball_above_a_plane("", "rattle");
  EXPECT_FALSE(contact_shape(model, model.bodies().front()).has_value());
}

}  // namespace
}  // namespace livens
