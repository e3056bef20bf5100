// Shapes of rigid bodies and obstacles: closed, oriented outwards, with the moments of what is inside; obstacles that
// move as given.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "bodies/rotation.hpp"
#include "support/scratch.hpp"

namespace livens {
namespace {

// Every edge has two facets, with opposite directions.
void expect_closed(const BodyShape& shape) {
  std::map<std::pair<int, int>, int> sides;
  for (const auto& facet : shape.facets)
    for (std::size_t k = 0; k < 3; ++k) ++sides[{facet[k], facet[(k + 1) % 3]}];
  for (const auto& [side, count] : sides) {
    EXPECT_EQ(count, 1);
    EXPECT_EQ(sides.count({side.second, side.first}), 1u);
  }
}

TEST(Shapes, BoxHasItsMoments) {
  const Vec3 size{0.2, 0.3, 0.5};
  const BodyShape box = moved(box_shape(size), {}, {1, 2, 3});
  expect_closed(box);
  const Rigid rigid = rigid_from_shape(box, 1000);
  EXPECT_NEAR(rigid.mass, 30, 1e-12);
  const double m = rigid.mass;
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(rigid.center[c], 1.0 + static_cast<double>(c), 1e-14);
    const double a = size[(c + 1) % 3], b = size[(c + 2) % 3];
    EXPECT_NEAR(rigid.inertia[c][c], m / 12 * (a * a + b * b), 1e-12);
    EXPECT_NEAR(rigid.inertia[c][(c + 1) % 3], 0, 1e-12);
  }
}

TEST(Shapes, RoundOnesApproachTheirMoments) {
  const double r = 0.3, L = 0.8, pi = M_PI;
  const BodyShape cylinder = cylinder_shape(r, L, 200), capsule = capsule_shape(r, L, 200);
  expect_closed(cylinder);
  expect_closed(capsule);
  const Rigid of_cylinder = rigid_from_shape(cylinder, 1), of_capsule = rigid_from_shape(capsule, 1);
  EXPECT_NEAR(of_cylinder.mass / (pi * r * r * L), 1, 1e-3);
  EXPECT_NEAR(of_cylinder.inertia[2][2] / (0.5 * of_cylinder.mass * r * r), 1, 1e-3);
  EXPECT_NEAR(of_capsule.mass / (pi * r * r * L + 4.0 / 3 * pi * r * r * r), 1, 1e-3);
  const Rigid ball = rigid_from_shape(ball_shape(r), 2), disk = rigid_from_shape(ball_shape(r, 2), 2);
  EXPECT_NEAR(ball.mass, 2 * 4.0 / 3 * pi * r * r * r, 1e-14);
  EXPECT_NEAR(ball.inertia[0][0], 0.4 * ball.mass * r * r, 1e-15);
  EXPECT_NEAR(disk.inertia[2][2], 0.5 * disk.mass * r * r, 1e-15);
}

TEST(Shapes, OfAMeshIsItsBoundary) {
  for (const bool quadratic : {false, true}) {
    Mesh mesh = box_mesh({.size = {1, 2, 3}, .cells = {2, 2, 2}});
    if (quadratic) mesh = to_quadratic(mesh);
    const BodyShape shape = mesh_shape(mesh);
    expect_closed(shape);
    EXPECT_EQ(shape.facets.size(), quadratic ? 192u : 48u);
    EXPECT_NEAR(rigid_from_shape(shape, 1).mass, 6, 1e-13);
  }
  const BodyShape plane = mesh_shape(rectangle_mesh({.size = {1, 2}, .cells = {3, 2}}));
  EXPECT_EQ(plane.dimension, 2);
  EXPECT_NEAR(rigid_from_shape(plane, 1).mass, 2, 1e-14);
}

// A scene with a surface from a file, as a rigid body and as an obstacle that follows a table.
TEST(Shapes, ScenesReadSurfacesAndTables) {
  const std::filesystem::path folder = testing::scratch() / "shapes";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "wedge.obj") << "v 0 0 0\nv 2 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
  std::ofstream(folder / "scene.toml") << R"(
time       = { end = 1 }
integrator = { kind = "energy_momentum", step = 0.01 }
[[body]]
name    = "wedge"
kind    = "rigid"
density = 600
shape   = { kind = "surface", file = "wedge.obj", scale = 0.1 }
[[body]]
name  = "mover"
kind  = "obstacle"
shape = { kind = "surface", file = "wedge.obj", scale = 0.1, offset = [0, 0, -0.2] }
table = [[0, 0, 0, 0, 0, 0, 0], [0.5, 0.1, 0, 0, 0, 0, 1], [1, 0.2, 0, 0, 0, 0, 2]]
[[contact]]
kind     = "bodies"
pressure = 1e5
)";
  const Scene scene = load_scene((folder / "scene.toml").string());
  const Model model = make_model(scene);
  const State state = initial_state(scene, model);
  EXPECT_NEAR(model.bodies()[0].mass, 600 * 1e-3 / 3, 1e-12);
  // Half way along the table: (0.1, 0, 0) and a radian about z, at the slopes of the parabola through its rows.
  const Placed placed = model.placed(0.5, state.q);
  const ConstVector q = placed;
  const Body& mover = model.bodies()[1];
  const auto weights = mover.rigid->point({0.2, 0, -0.2});
  Vec3 corner{};
  for (std::size_t a = 0; a < 4; ++a)
    for (std::size_t c = 0; c < 3; ++c) corner[c] += weights[a] * q[mover.first + 3 * a + c];
  EXPECT_NEAR(corner[0], 0.1 + 0.2 * std::cos(1.0), 1e-14);
  EXPECT_NEAR(corner[1], 0.2 * std::sin(1.0), 1e-14);
  EXPECT_NEAR(corner[2], -0.2, 1e-14);
}

TEST(Shapes, WrongOnesAreRefused) {
  EXPECT_THROW(box_shape({1, 0, 1}), AssemblyError);
  EXPECT_THROW(ball_shape(-1), AssemblyError);
  EXPECT_THROW(cylinder_shape(1, 1, 2), AssemblyError);
  EXPECT_THROW(polygon_shape({{0, 0, 0}, {0, 1, 0}, {1, 0, 0}}), AssemblyError);  // clockwise
}

// Lengths are kept, half a turn is one, and velocities are those of differences, at small angles too.
TEST(Shapes, RotationsAndTheirVelocities) {
  const Vec3 x{0.3, -0.7, 0.5};
  for (const double size : {0.0, 1e-6, 9.9e-3, 1.01e-2, 1.0, 3.0, 10.0}) {
    const Vec3 w{0.6 * size, 0, 0.8 * size}, rate{0.3, -0.2, 0.9};
    const Vec3 y = Rotation(w).of(x), v = Rotation(w).velocity_of(x, rate);
    EXPECT_NEAR(std::hypot(y[0], y[1], y[2]), std::hypot(x[0], x[1], x[2]), 1e-14);
    constexpr double step = 1e-6;
    Vec3 before = w, after = w;
    for (std::size_t c = 0; c < 3; ++c) before[c] -= step * rate[c], after[c] += step * rate[c];
    const Vec3 a = Rotation(before).of(x), b = Rotation(after).of(x);
    for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR((b[c] - a[c]) / (2 * step), v[c], 1e-8) << size;
  }
  const Vec3 half = Rotation({0, 0, M_PI}).of({1, 2, 3});
  EXPECT_NEAR(half[0], -1, 1e-15);
  EXPECT_NEAR(half[1], -2, 1e-15);
  EXPECT_EQ(half[2], 3);
}

// Points of an obstacle are where its pose puts them, at every time.
TEST(Shapes, ObstaclesMoveAsGiven) {
  Assembly assembly;
  MovingObstacle obstacle;
  obstacle.shape = moved(box_shape({0.2, 0.4, 0.6}), {}, {0.1, 0.2, 0.3});
  obstacle.pose = [](double t) {
    Pose pose;
    pose.position = {t, t * t, 0};
    pose.velocity = {1, 2 * t, 0};
    pose.rotation = {0.2, 3 * t, 0.1};
    pose.rotation_rate = {0, 3, 0};
    return pose;
  };
  assembly.t_begin = 0.5;
  add(assembly, obstacle, "thing");
  const Model model = assembly.model();
  const Body& body = model.bodies()[0];
  const BodyShape& start = *assembly.shapes.at("thing");
  for (const double t : {0.5, 0.8}) {
    const Placed placed = model.placed(t, assembly.q);
    const ConstVector q = placed;
    const Pose pose = obstacle.pose(t);
    const Rotation turn(pose.rotation);
    for (std::size_t k = 0; k < start.points.size(); ++k) {
      const auto weights = body.rigid->point(start.points[k]);
      const Vec3 expected = turn.of(obstacle.shape.points[k]);
      for (std::size_t c = 0; c < 3; ++c) {
        double x = 0;
        for (std::size_t a = 0; a < 4; ++a) x += weights[a] * q[3 * a + c];
        EXPECT_NEAR(x, expected[c] + pose.position[c], 1e-14);
      }
    }
  }
}

}  // namespace
}  // namespace livens
