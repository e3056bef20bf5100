// Continuous collision detection against truth that is exact: all points lie on a grid, so that places and times of
// collisions that are built in are numbers of few bits, and misses are proven by bounds in integers.
#include "contact/free_path.hpp"

#include <array>
#include <cstdint>
#include <random>

#include <gtest/gtest.h>

#include "contact/distance.hpp"
#include "support/table_file.hpp"

namespace livens {
namespace {

enum class Kind { point_edge, point_triangle, edges };
constexpr Kind kinds[] = {Kind::point_edge, Kind::point_triangle, Kind::edges};

// Numbers in units of 2^-12: 64ths of the time, times two weights in eighths, on a grid of whole numbers.
using Whole = std::int64_t;
constexpr Whole unit = 1 << 12;
struct GridPoint {
  std::array<Whole, 3> x{}, dx{};
};
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

// Whether the two sides are apart at all times, by dividing the box of time and weights: the difference of the sides is
// linear in each of the three, so that it lies between its values in the corners. Undecided if that needs too many
// boxes.
class Proof {
 public:
  enum class Verdict { apart, undecided };
  Proof(Kind kind, const Query& q) : kind_(kind), q_(q) {}
  Verdict apart() { return divide(0, 0, 0, 0) ? Verdict::apart : Verdict::undecided; }

 private:
  static constexpr int deepest = 9;
  static constexpr int most = 20000;

  // Component c of the difference at (t, u, v) / 2^depth, times 8^depth / unit.
  Whole value(std::size_t c, Whole t, Whole u, Whole v, int depth) const {
    const Whole one = Whole(1) << depth;
    const auto at = [&](std::size_t i) { return (q_[i].x[c] * one + q_[i].dx[c] * t) / unit; };
    if (kind_ == Kind::edges)
      return (at(0) * one + (at(1) - at(0)) * u) * one - (at(2) * one + (at(3) - at(2)) * v) * one;
    Whole there = (at(1) * one + (at(2) - at(1)) * u) * one;
    if (kind_ == Kind::point_triangle) there += (at(3) - at(2)) * u * v;
    return at(0) * one * one - there;
  }
  bool divide(Whole t, Whole u, Whole v, int depth) {
    if (++boxes_ > most) return false;
    for (std::size_t c = 0; c < 3; ++c) {
      Whole low = INT64_MAX, high = INT64_MIN;
      for (Whole k = 0; k < 8; ++k) {
        const Whole w = value(c, t + (k & 1), u + (k >> 1 & 1), v + (k >> 2), depth);
        low = std::min(low, w);
        high = std::max(high, w);
      }
      if (low > 0 || high < 0) return true;
    }
    if (depth == deepest) return false;
    for (Whole k = 0; k < 8; ++k)
      if (!divide(2 * t + (k & 1), 2 * u + (k >> 1 & 1), 2 * v + (k >> 2), depth + 1)) return false;
    return true;
  }

  Kind kind_;
  const Query& q_;
  int boxes_ = 0;
};

TEST(FreePath, MissesNoCollision) {
  for (const Kind kind : kinds) {
    Generator random(1 + static_cast<unsigned>(kind));
    int built = 0, at_end = 0;
    for (int k = 0; k < 20000; ++k) {
      Query q = random.query(kind, k % 2 == 0 ? 4 : 500, k);
      const Whole t = k % 7 == 0 ? 64 : random.whole(1, 64);
      make_hit(kind, q, t, random.whole(0, 8), random.whole(0, 8));
      if (distance_at(kind, q, 0) == 0) continue;
      ++built;
      at_end += t == 64 ? 1 : 0;
      const double found = fraction(kind, q);
      ASSERT_LT(found, static_cast<double>(t) / 64) << "query " << k << " of kind " << static_cast<int>(kind);
      ASSERT_GT(distance_at(kind, q, found), 0);
    }
    EXPECT_GT(built, 14000);
    EXPECT_GT(at_end, 2000);
  }
}

TEST(FreePath, FewFalseAlarms) {
  int near = 0, alarms = 0;
  for (const Kind kind : kinds) {
    Generator random(11 + static_cast<unsigned>(kind));
    for (int k = 0; k < 3000; ++k) {
      const Query q = random.query(kind, 8, 2 * k);
      if (Proof(kind, q).apart() == Proof::Verdict::undecided) continue;
      ++near;
      alarms += fraction(kind, q) < 1 ? 1 : 0;
    }
  }
  table_number("contact", "ways that stay apart", "false alarms", static_cast<double>(alarms) / near);
  EXPECT_GT(near, 5000);
  EXPECT_LT(alarms, near / 10) << near;
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
