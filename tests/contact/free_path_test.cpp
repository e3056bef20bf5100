// Continuous collision detection against exact truth: all points lie on a grid, and whether they meet is decided in
// whole numbers (exact_collision.hpp).
#include "contact/free_path.hpp"

#include <cmath>
#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

#include "contact/distance.hpp"
#include "contact/exact_collision.hpp"
#include "support/table_file.hpp"

namespace livens {
namespace {

enum class Kind { point_edge, point_triangle, edges };
constexpr Kind kinds[] = {Kind::point_edge, Kind::point_triangle, Kind::edges};

// Numbers in units of 2^-12: 64ths of the time, times two weights in eighths, on a grid of whole numbers.
using Whole = std::int64_t;
constexpr Whole unit = 1 << 12;
using GridPoint = testing::WholeMoving;
using Query = std::array<GridPoint, 4>;

MovingPoint moving(const GridPoint& p) {
  const auto number = [](Whole w) { return static_cast<double>(w) / static_cast<double>(unit); };
  return {{number(p.x[0]), number(p.x[1]), number(p.x[2])}, {number(p.dx[0]), number(p.dx[1]), number(p.dx[2])}};
}

double fraction(Kind kind, const Query& q) {
  const MovingPoint a = moving(q[0]), b = moving(q[1]), c = moving(q[2]), d = moving(q[3]);
  if (kind == Kind::point_edge) return free_fraction_point_edge(a, b, c);
  return kind == Kind::edges ? free_fraction_edge_edge(a, b, c, d) : free_fraction_point_triangle(a, b, c, d);
}

double distance_at(Kind kind, const Query& q, double t) {
  Point3 x[4];
  for (std::size_t i = 0; i < 4; ++i) x[i] = moving(q[i]).x + t * moving(q[i]).dx;
  const Closest found = kind == Kind::point_edge ? point_edge(x[0], x[1], x[2])
                        : kind == Kind::edges    ? edge_edge(x[0], x[1], x[2], x[3])
                                                 : point_triangle(x[0], x[1], x[2], x[3]);
  return std::sqrt(found.s);
}

class Generator {
 public:
  explicit Generator(unsigned seed) : engine_(seed) {}
  Whole whole(Whole from, Whole to) { return std::uniform_int_distribution<Whole>(from, to)(engine_); }

  // Random, and degenerate in every second one: in one plane, along one line, with parts that coincide or rest.
  Query query(Kind kind, Whole size, int number) {
    Query q;
    for (GridPoint& p : q)
      for (std::size_t c = 0; c < 3; ++c) {
        p.x[c] = unit * whole(-size, size);
        p.dx[c] = unit * whole(-size, size);
      }
    switch (number % 12) {
      case 1:
        for (GridPoint& p : q) p.x[2] = p.dx[2] = 0;
        break;
      case 3: q[1].dx = q[2].dx = q[3].dx = {}; break;
      case 5: q[0].dx = {}; break;
      case 7:  // collinear triangle, parallel edges
        for (std::size_t c = 0; c < 3; ++c)
          q[3].x[c] = kind == Kind::edges ? q[2].x[c] + (q[1].x[c] - q[0].x[c]) : 2 * q[2].x[c] - q[1].x[c];
        break;
      case 9: q[3] = q[2]; break;  // no length
      case 11:
        for (GridPoint& p : q) p.dx = q[0].dx;  // moves as one
        break;
      default: break;
    }
    return q;
  }

 private:
  std::mt19937_64 engine_;
};

// Moves the first point (of edges: the whole first edge) so that both sides meet at the time t/64, with weights in
// eighths.
void make_hit(Kind kind, Query& q, Whole t, Whole u, Whole v) {
  for (std::size_t c = 0; c < 3; ++c) {
    const auto at = [&](std::size_t i) { return q[i].x[c] + q[i].dx[c] / 64 * t; };  // exact: dx is a multiple of unit
    Whole there = at(1) + (at(2) - at(1)) / 8 * u;
    if (kind == Kind::point_triangle) there += (at(3) - at(2)) / 64 * u * v;
    Whole here = at(0);
    if (kind == Kind::edges) {
      there = at(2) + (at(3) - at(2)) / 8 * u;
      here += (at(1) - at(0)) / 8 * v;
    }
    q[0].x[c] += there - here;
    if (kind == Kind::edges) q[1].x[c] += there - here;
  }
}

// Whether the two sides meet in [0, t]: t is a double, and so a whole number over a power of two.
bool meets(Kind kind, const Query& q, double t) {
  int exponent = 0;
  const double mantissa = std::frexp(t, &exponent);  // in [1/2, 1)
  const testing::ExactCollision exact(
      t == 1 ? testing::Dyadic{1, 0} : testing::Dyadic{static_cast<Whole>(std::ldexp(mantissa, 53)), 53 - exponent});
  if (kind == Kind::point_edge) return exact.point_edge(q[0], q[1], q[2]);
  return kind == Kind::edges ? exact.edges(q[0], q[1], q[2], q[3]) : exact.point_triangle(q[0], q[1], q[2], q[3]);
}

// Known cases, so that truth itself is tested: hits and misses that are built, and by one unit of the grid.
TEST(FreePath, TruthIsExact) {
  for (const Kind kind : kinds) {
    Generator random(31 + static_cast<unsigned>(kind));
    int past = 0;
    for (int k = 0; k < 300; ++k) {
      Query q = random.query(kind, 4, k);
      const Whole t = random.whole(1, 64);
      make_hit(kind, q, t, random.whole(1, 7), random.whole(1, 7));
      EXPECT_TRUE(meets(kind, q, static_cast<double>(t) / 64)) << k;
    }
    // Square on: meets at 1/2, not before, and not a unit beside the border.
    const GridPoint a{{0, 0, 0}, {}}, b{{8 * unit, 0, 0}, {}}, g{{0, 8 * unit, 0}, {}};
    for (Whole beside : {0, 1}) {
      GridPoint p{{2 * unit, -beside, unit}, {0, 0, -2 * unit}};
      Query q{p, a, b, g};
      if (kind == Kind::point_edge) q[0].x[1] = beside;
      if (kind == Kind::edges) q = {p, GridPoint{{2 * unit, -beside - unit, unit}, {0, 0, -2 * unit}}, a, b};
      EXPECT_EQ(meets(kind, q, 0.5), beside == 0);
      EXPECT_EQ(meets(kind, q, 1), beside == 0);
      EXPECT_FALSE(meets(kind, q, std::nextafter(0.5, 0)));
      ++past;
    }
    EXPECT_EQ(past, 2);
  }
}

// What is called free is free, to the last digit, and what never meets is called free but for a few: random ways, such
// that hit, and such that pass by a unit of the grid, degenerate ones among all of them.
TEST(FreePath, FindsEveryCollisionOfTheTruth) {
  const int each = std::getenv("LIVENS_LONG") == nullptr ? 4000 : 400000;
  for (const Kind kind : kinds) {
    Generator random(41 + static_cast<unsigned>(kind));
    int hits = 0, near = 0, alarms = 0, grazing = 0, grazing_alarms = 0, looked = 0, longer = 0;
    for (int k = 0; k < each; ++k) {
      Query q = random.query(kind, k % 2 == 0 ? 3 : 12, k / 3);
      const bool built = k % 3 != 0;
      if (built) make_hit(kind, q, k % 7 == 0 ? 64 : random.whole(1, 64), random.whole(0, 8), random.whole(0, 8));
      if (k % 3 == 2) q[0].x[random.whole(0, 2)] += random.whole(-1, 1);
      if (distance_at(kind, q, 0) == 0) continue;
      const double found = fraction(kind, q);
      ASSERT_FALSE(found > 0 && meets(kind, q, found)) << "query " << k << " of kind " << static_cast<int>(kind);
      if (found == 1) {
        ++(built ? grazing : near);
      } else if (meets(kind, q, 1)) {
        if (++hits % 8 != 0) continue;
        ++looked;  // a fifth more is not free: the detector of this test fires
        longer += meets(kind, q, std::min(1.0, 1.2 * found)) ? 1 : 0;
      } else {
        ++(built ? grazing : near);
        ++(built ? grazing_alarms : alarms);
      }
    }
    const char* names[] = {"point and edge", "point and triangle", "two edges"};
    table_number("contact", std::string("ways of ") + names[static_cast<int>(kind)], "collisions", hits);
    table_number("contact", std::string("ways of ") + names[static_cast<int>(kind)], "false alarms of random ways",
                 static_cast<double>(alarms) / near);
    table_number("contact", std::string("ways of ") + names[static_cast<int>(kind)],
                 "false alarms of ways that pass by 2.4e-4", static_cast<double>(grazing_alarms) / grazing);
    EXPECT_GT(hits, each / 3);
    EXPECT_GT(longer, looked / 2);
    EXPECT_GT(near, each / 6);
    EXPECT_LT(alarms, near / 10);
  }
}

// Balls: |r| <= xi is a quadratic.
TEST(FreePath, FindsEveryCollisionOfBalls) {
  Generator random(51);
  int hits = 0, near = 0, alarms = 0;
  for (int k = 0; k < 6000; ++k) {
    Query q = random.query(Kind::point_edge, 5, 2 * k);
    for (std::size_t c = 0; c < 3 && k % 2 == 0; ++c)  // towards the other, and beside it
      q[0].dx[c] = q[1].dx[c] + q[1].x[c] - q[0].x[c] + random.whole(-3 * unit, 3 * unit);
    const Whole reach = random.whole(1, 3) * unit;
    const double thickness = static_cast<double>(reach) / static_cast<double>(unit);
    const double found = free_fraction_point_point(moving(q[0]), moving(q[1]), thickness);
    const testing::ExactCollision whole(testing::Dyadic{1, 0});
    if (found == 0) continue;  // they touch at the start
    int exponent = 0;
    const double mantissa = std::frexp(found, &exponent);
    const testing::ExactCollision part({static_cast<Whole>(std::ldexp(mantissa, 53)), 53 - exponent});
    ASSERT_FALSE(found < 1 && part.balls(q[0], q[1], reach)) << k;
    const bool truth = whole.balls(q[0], q[1], reach);
    ASSERT_FALSE(truth && found == 1) << k;
    hits += truth ? 1 : 0;
    if (truth || k % 2 == 0) continue;
    ++near;
    alarms += found < 1 ? 1 : 0;
  }
  EXPECT_GT(hits, 500);
  EXPECT_GT(near, 1000);
  EXPECT_LT(alarms, near / 10);
}

// Touching at the start, resting, moving as one, flying apart.
TEST(FreePath, SimpleWays) {
  const MovingPoint a{{0, 0, 0}, {}}, b{{1, 0, 0}, {}}, g{{0, 1, 0}, {}};
  const Point3 above{0.25, 0.25, 1}, down{0, 0, -4};
  EXPECT_EQ(free_fraction_point_triangle({above, {}}, a, b, g), 1);
  EXPECT_EQ(free_fraction_point_triangle({above, -1.0 * down}, a, b, g), 1);
  EXPECT_EQ(free_fraction_point_triangle({{0.25, 0.25, 0}, down}, a, b, g), 0);
  EXPECT_EQ(free_fraction_point_triangle({above, down}, {a.x, down}, {b.x, down}, {g.x, down}), 1);
  const double found = free_fraction_point_triangle({above, down}, a, b, g);
  EXPECT_LT(found, 0.25);
  EXPECT_GT(found, 0.9 * 0.2);
  EXPECT_EQ(free_fraction_line(1, -0.5), 1);
  EXPECT_DOUBLE_EQ(free_fraction_line(1, -4), 0.25);
  EXPECT_EQ(free_fraction_line(0, 1), 0);
}

// A detector that looks at the ends alone misses them: the queries above are not harmless.
TEST(FreePath, EndsAloneMissCollisions) {
  Generator random(21);
  int passed = 0;
  for (int k = 0; k < 1000; ++k) {
    Query q = random.query(Kind::point_triangle, 4, 2 * k);
    make_hit(Kind::point_triangle, q, 32, 4, 4);
    passed += distance_at(Kind::point_triangle, q, 0) > 0.5 && distance_at(Kind::point_triangle, q, 1) > 0.5 ? 1 : 0;
  }
  EXPECT_GT(passed, 500);
}

}  // namespace
}  // namespace livens
