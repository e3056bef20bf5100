// Which way is up: the same answer from the text of a scene and from the forces of its model.
#include "draw/up.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace livens {
namespace {

using Eigen::Vector3d;

constexpr double rounding = 1e-12;

Scene scene_with(const std::string& forces) {
  return parse_scene("time = { end = 1 }\nintegrator = { kind = 'stormer_verlet', step = 0.1 }\n" + forces +
                         "\nbody = [{ name = 'dust', kind = 'particles', mass = 2,"
                         " layout = { kind = 'points', points = [[0, 0, 0], [1, 2, 3], [4, 0, 1]] } }]\n",
                     "scene");
}

std::vector<double> reference_of(const Model& model) { return model.bodies().front().reference; }

TEST(Up, IsAgainstGravityByTheSceneAndByTheModel) {
  for (const Vector3d& a : {Vector3d(0, 0, -9.81), Vector3d(0, -1.6, 0), Vector3d(3, -2, 0.5)}) {
    const Scene scene =
        scene_with(fmt::format("force = [{{ kind = 'gravity', acceleration = [{}, {}, {}] }}]", a[0], a[1], a[2]));
    const Model model = make_model(scene);
    const auto by_scene = against_gravity(scene), by_model = against_gravity(model, reference_of(model));
    ASSERT_TRUE(by_scene && by_model);
    EXPECT_LT((*by_scene + a.normalized()).norm(), rounding);
    EXPECT_LT((*by_model - *by_scene).norm(), rounding);
  }
}

// Forces between the bodies point in all directions.
TEST(Up, IsNotTakenFromOtherForces) {
  const Scene scene = scene_with("force = [{ kind = 'pairwise_gravity', constant = 1 }]");
  const Model model = make_model(scene);
  EXPECT_FALSE(against_gravity(scene));
  EXPECT_FALSE(against_gravity(model, reference_of(model)));
}

TEST(Up, IsAwayFromTheFirstPlaneWithoutGravity) {
  Obstacle ball, wall, other;
  ball.kind = Obstacle::Kind::sphere;
  wall.normal[0] = 1, wall.normal[2] = 0;
  other.normal[1] = 1, other.normal[2] = 0;
  EXPECT_EQ(up_direction(3, std::nullopt, {ball, wall, other}), Vector3d::UnitX());
  EXPECT_EQ(up_direction(3, Vector3d(0, 1, 0), {wall}), Vector3d::UnitY());
  EXPECT_EQ(up_direction(3, std::nullopt, {ball}), Vector3d::UnitZ());
  EXPECT_EQ(up_direction(2, std::nullopt, {wall}), Vector3d::UnitY());
}

}  // namespace
}  // namespace livens
