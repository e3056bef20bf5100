// Crossing surfaces: exact signs, edges through facets, bodies inside others.
#include "contact/intersections.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "contact/crossing.hpp"
#include "contact/shapes.hpp"

namespace livens {
namespace {

// Points on a grid of 2^-50 around 1: volumes of 2^-150 and smaller, where rounding has the last word otherwise.
TEST(Intersections, SignsAreExact) {
  std::mt19937_64 engine(1);
  const double tiny = std::ldexp(1.0, -50);
  const auto number = [&] { return 1 + tiny * static_cast<double>(static_cast<int>(engine() % 7) - 3); };
  int zeros = 0, hard = 0;
  for (int k = 0; k < 5000; ++k) {
    Point3 p[4];
    for (Point3& q : p) q = {number(), number(), number()};
    const testing::Long volume = testing::volume(p[0], p[1], p[2], p[3]);  // exact: three bits each
    const int expected = volume > 0 ? 1 : volume < 0 ? -1 : 0;
    EXPECT_EQ(orientation(p[0], p[1], p[2], p[3]), expected);
    zeros += expected == 0 ? 1 : 0;
    // Far from the origin of differences: the same shape on a long needle.
    p[3] = p[0] + 1e6 * (p[1] - p[0]) + Point3{0, 0, tiny};
    const testing::Long needle = testing::volume(p[0], p[1], p[2], p[3]);
    EXPECT_EQ(orientation(p[0], p[1], p[2], p[3]), needle > 0 ? 1 : needle < 0 ? -1 : 0);
    hard += needle != 0 ? 1 : 0;
  }
  EXPECT_GT(zeros, 100);
  EXPECT_GT(hard, 1000);
}

ContactBarrier two(int dimension, int kind, const Point3& place) {
  ContactSurface surface(dimension);
  testing::add_shape(surface, kind, {});
  testing::add_shape(surface, 1, place);
  std::vector<BarrierPair> pairs(4);
  pairs[1] = pairs[2] = {true, 0.1, 1};
  return ContactBarrier(std::move(surface), pairs, {});
}

TEST(Intersections, AgreeWithLongArithmetic) {
  std::mt19937_64 engine(2);
  int crossing = 0, apart = 0;
  for (const int dimension : {2, 3})
    for (int k = 0; k < 300; ++k) {
      const ContactBarrier barrier = two(dimension, k % 3, {});
      std::vector<double> q = testing::coordinates(barrier.surface());
      const std::size_t half = static_cast<std::size_t>(barrier.surface().bodies()[1].points_begin * dimension);
      const double shift[3] = {testing::random_number(engine, 1.6), testing::random_number(engine, 1.6),
                               testing::random_number(engine, 1.6)};
      for (int i = static_cast<int>(half); i < static_cast<int>(q.size()); ++i) q[i] += shift[i % dimension];
      for (double& value : q) value += testing::random_number(engine, 0.05);
      const bool crosses = testing::crossings(barrier, q) > 0;
      EXPECT_EQ(find_intersection(barrier, q).has_value(), crosses);
      ++(crosses ? crossing : apart);
    }
  EXPECT_GT(crossing, 100);
  EXPECT_GT(apart, 50);
}

TEST(Intersections, BodiesInsideOthersAndBehindPlanes) {
  for (const int dimension : {2, 3}) {
    const ContactBarrier barrier = two(dimension, 1, {});
    std::vector<double> q = testing::coordinates(barrier.surface());
    const std::size_t half = q.size() / 2;
    for (std::size_t i = half; i < q.size(); ++i) q[i] = 0.3 + 0.4 * q[i];
    const auto found = find_intersection(barrier, q);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->what, "body 1 inside body 0");
    for (std::size_t i = half; i < q.size(); ++i) q[i] += 2;
    EXPECT_FALSE(find_intersection(barrier, q).has_value());
  }
  ContactSurface surface(3);
  testing::add_shape(surface, 1, {});
  const std::vector<double> q = testing::coordinates(surface);
  const ContactBarrier floor(std::move(surface), {BarrierPair{}}, {{0, {0, 0, 0.5}, {0, 0, 1}, 0.1, 1, 0}});
  EXPECT_EQ(find_intersection(floor, q)->count, 4);
}

}  // namespace
}  // namespace livens
