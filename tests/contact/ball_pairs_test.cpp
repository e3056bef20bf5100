// Things with a thickness: their barrier, its discrete gradient, free paths, pairs by trees, and intersections.
#include "contact/ball_pairs.hpp"

#include <random>

#include <gtest/gtest.h>

#include "contact/contact_set.hpp"
#include "contact/crossing.hpp"
#include "contact/free_path.hpp"
#include "contact/intersections.hpp"
#include "contact/shapes.hpp"

namespace livens {
namespace {

using testing::random_number;

Point3 random_point(std::mt19937_64& engine, double size, int dimension = 3) {
  return {random_number(engine, size), random_number(engine, size), dimension == 3 ? random_number(engine, size) : 0};
}

// The force at half the range is weight times pressure, whatever the thickness is.
TEST(BallPairs, PressureIsThatOfHalfTheRange) {
  for (const double thickness : {0.0, 1e-3, 1.0, 1e3}) {
    const ScaledSquare scaled{0.01, thickness};
    const double half = thickness + 0.005, d = 1e-9 * (1 + thickness), k = scaled.strength(2, 30);
    const auto energy = [&](double r) { return k * rational_barrier::value(scaled.u(r * r)); };
    EXPECT_NEAR(-(energy(half + d) - energy(half - d)) / (2 * d) / 60, 1, 2e-5) << thickness;
    EXPECT_EQ(scaled.u(thickness * thickness), 0);
    EXPECT_NEAR(scaled.u((thickness + 0.01) * (thickness + 0.01)), 1, 1e-10);
  }
}

TEST(BallPairs, DiscreteGradientGivesTheDifference) {
  std::mt19937_64 engine(1);
  for (int k = 0; k < 20000; ++k) {
    const BallPair pair{0, 1, {0.1, 0.3}, 2.0};
    std::vector<Point3> x0 = {random_point(engine, 0.4), {}}, x1 = {x0[0] + random_point(engine, 0.1), {}};
    if (square(x0[0]) < 0.0901 || square(x1[0]) < 0.0901) continue;
    Contact contact;
    const bool any = ball_pair_contact(pair, x0, x1, contact);
    const double change = ball_pair_energy(pair, x1) - ball_pair_energy(pair, x0);
    if (!any) {
      EXPECT_EQ(change, 0);
      continue;
    }
    std::vector<Point3> forces(2);
    add_forces(contact, 1, forces.data());
    const double largest = std::max({ball_pair_energy(pair, x0), ball_pair_energy(pair, x1), 0.1});
    EXPECT_NEAR(dot(forces[0], x1[0] - x0[0]), change, 1e-12 * largest);
    EXPECT_EQ(length(forces[0] + forces[1]), 0);
    EXPECT_LE(length(cross(forces[0], x0[0] + x1[0])), 1e-13 * length(forces[0]));
  }
}

// Two balls on straight lines: no part beyond the exact first contact is called free, and most of it is.
TEST(BallPairs, FreePathEndsAtTheSurface) {
  std::mt19937_64 engine(2);
  int hits = 0;
  for (int k = 0; k < 20000; ++k) {
    const double thickness = 0.2;
    const MovingPoint p{random_point(engine, 1), random_point(engine, 2)}, a{random_point(engine, 1), {}};
    const Point3 r = p.x - a.x;
    const double rr = square(r) - thickness * thickness, rd = dot(r, p.dx), dd = square(p.dx);
    if (rr < 1e-3) continue;
    const double root = rd * rd - dd * rr;
    const double exact = root > 0 && rd < 0 ? rr / (-rd + std::sqrt(root)) : 2;
    const double free = free_fraction_point_point(p, a, thickness);
    if (exact > 1) {
      EXPECT_LE(free, 1);
      continue;
    }
    ++hits;
    EXPECT_LE(free, exact);
    EXPECT_GE(free, 0.5 * exact);
    EXPECT_EQ(free_fraction_point_point(p, a, 0) >= free, true);
  }
  EXPECT_GT(hits, 200);
}

ContactSurface with_balls(int dimension, int count, double radius, std::vector<double>& q, std::mt19937_64& engine) {
  ContactSurface surface(dimension);
  testing::add_shape(surface, 1, {});
  q = testing::coordinates(surface);
  ContactSurface::NewBody balls;
  balls.name = "balls";
  balls.radius = radius;
  for (int k = 0; k < count; ++k) {
    balls.points.push_back({{static_cast<int>(q.size()), 1}});
    const Point3 p = random_point(engine, 2, dimension);
    q.insert(q.end(), {p.x, p.y});
    if (dimension == 3) q.push_back(p.z);
  }
  balls.reference.resize(balls.points.size());
  surface.add_body(balls);
  return surface;
}

// Pairs by trees are those of all, and the energy is the sum over all of them.
TEST(BallPairs, TreesFindAllPairs) {
  std::mt19937_64 engine(3);
  for (const int dimension : {2, 3}) {
    constexpr double radius = 0.1, range = 0.15;
    std::vector<double> q;
    const ContactSurface surface = with_balls(dimension, 80, radius, q, engine);
    std::vector<BarrierPair> pairs(4, {true, range, 10.0});
    pairs[0].meets = false;
    const ContactBarrier barrier(surface, pairs, {});
    ContactSet set(barrier);
    const std::vector<double> rest(q.size(), 0.0);
    set.begin(q, rest, 0);
    std::vector<Point3> x;
    surface.positions(q, x);
    std::vector<std::pair<int, int>> all, found;
    const auto& balls = surface.bodies()[1];
    for (int p = 0; p < surface.points(); ++p)
      for (int b = balls.points_begin; b < balls.points_end; ++b) {
        const double xi = radius + surface.radius(p);
        if (p != b && length(x[p] - x[b]) < xi + range) all.push_back({p, b});
      }
    for (const BallPair& pair : set.ball_pairs())
      if (length(x[pair.point] - x[pair.ball]) < pair.square.thickness + range)
        found.push_back({pair.point, pair.ball});
    EXPECT_EQ(found, all);
    EXPECT_GT(all.size(), 20u);
  }
}

// Exact counts of overlapping balls against the independent test.
TEST(BallPairs, OverlapsAreFound) {
  std::mt19937_64 engine(4);
  for (const int dimension : {2, 3})
    for (int k = 0; k < 20; ++k) {
      std::vector<double> q;
      const ContactSurface surface = with_balls(dimension, 6, 0.2, q, engine);
      std::vector<BarrierPair> pairs(4, {true, 0.1, 10.0});
      pairs[0].meets = false;
      const ContactBarrier barrier(surface, pairs, {});
      std::vector<Point3> x;
      surface.positions(q, x);
      const int expected = testing::overlapping_balls(barrier, x);
      const auto found = find_intersection(barrier, q);
      if (expected > 0) {
        ASSERT_TRUE(found);
        EXPECT_EQ(found->count, expected);
        const std::string obj = intersection_obj(barrier, q, *found);
        EXPECT_NE(obj.find("o intersecting\n"), std::string::npos);
      } else if (found) {
        EXPECT_NE(found->what.find("inside"), std::string::npos);
      }
    }
}

// Points that are sums of nodes: positions, forces that go back, and the same energy as of plain nodes.
TEST(BallPairs, PointsAreSumsOfNodes) {
  ContactSurface surface(3);
  ContactSurface::NewBody body;
  const testing::Shape cube = testing::shape(3, 1);
  body.name = "cube";
  body.facets = cube.facets;
  body.reference = cube.points;
  // Nodes at the origin and one unit along each axis.
  for (const Point3& p : cube.points) body.points.push_back({{0, 1 - p.x - p.y - p.z}, {3, p.x}, {6, p.y}, {9, p.z}});
  surface.add_body(body);
  const std::vector<double> q = {0.5, 0, 0, 1.5, 0.1, 0, 0.4, 1, 0, 0.5, 0, 2};
  std::vector<Point3> x;
  surface.positions(q, x);
  const Point3 ends[4] = {{0.5, 0, 0}, {1.5, 0.1, 0}, {0.4, 1, 0}, {0.5, 0, 2}};
  for (std::size_t a = 0; a < x.size(); ++a) {
    const Point3& p = cube.points[a];
    const Point3 expected = (1 - p.x - p.y - p.z) * ends[0] + p.x * ends[1] + p.y * ends[2] + p.z * ends[3];
    EXPECT_LE(length(x[a] - expected), 1e-15);
  }
  // The power of forces is the same in points and in coordinates.
  std::mt19937_64 engine(5);
  std::vector<Point3> forces(x.size()), v;
  std::vector<double> rate(12), back(12, 0.0);
  for (Point3& f : forces) f = random_point(engine, 1);
  for (double& r : rate) r = random_number(engine, 1);
  surface.positions(rate, v);
  surface.add_back(forces, 1, back);
  double of_points = 0, of_nodes = 0;
  for (std::size_t a = 0; a < x.size(); ++a) of_points += dot(forces[a], v[a]);
  for (std::size_t i = 0; i < 12; ++i) of_nodes += back[i] * rate[i];
  EXPECT_NEAR(of_points, of_nodes, 1e-14);
}

}  // namespace
}  // namespace livens
