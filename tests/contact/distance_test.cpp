// Closest points, their derivatives, and the discrete derivative of the distance.
#include "contact/distance.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "contact/edge_pairs.hpp"
#include "contact/mean_closest.hpp"
#include "contact/rational_barrier.hpp"

namespace livens {
namespace {

enum class Kind { points, point_edge, point_triangle, edges };
constexpr Kind kinds[] = {Kind::points, Kind::point_edge, Kind::point_triangle, Kind::edges};

int points_of(Kind kind) { return kind == Kind::points ? 2 : kind == Kind::point_edge ? 3 : 4; }

Closest closest(Kind kind, const Point3* x) {
  if (kind == Kind::point_edge) return point_edge(x[0], x[1], x[2]);
  if (kind == Kind::point_triangle) return point_triangle(x[0], x[1], x[2], x[3]);
  if (kind == Kind::edges) return edge_edge(x[0], x[1], x[2], x[3]);
  Closest found;
  found.r = x[0] - x[1];
  found.s = square(found.r);
  found.c = {1, -1, 0, 0};
  return found;
}

ParameterDerivatives derivatives(Kind kind, const Closest& at) {
  if (kind == Kind::point_triangle) return point_triangle_derivatives(at);
  if (kind == Kind::edges) return edge_edge_derivatives(at);
  return point_edge_derivatives();
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double number(double size = 1) { return std::uniform_real_distribution<double>(-size, size)(engine_); }
  Point3 point(double size = 1) { return {number(size), number(size), number(size)}; }
  double power(double from, double to) {
    return std::pow(10, std::uniform_real_distribution<double>(from, to)(engine_));
  }

 private:
  std::mt19937_64 engine_;
};

// The least squared distance over a grid of parameters: an upper bound that comes close.
double by_grid(Kind kind, const Point3* x) {
  constexpr int n = 60;
  double least = 1e300;
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n; ++j) {
      const double s = static_cast<double>(i) / n, t = static_cast<double>(j) / n;
      if (kind == Kind::edges)
        least = std::min(least, square(x[0] + s * (x[1] - x[0]) - x[2] - t * (x[3] - x[2])));
      else if (kind == Kind::point_edge)
        least = std::min(least, square(x[0] - x[1] - s * (x[2] - x[1])));
      else if (s + t <= 1)
        least = std::min(least, square(x[0] - x[1] - s * (x[2] - x[1]) - t * (x[3] - x[1])));
    }
  return least;
}

TEST(Distance, IsTheLeastOfAll) {
  Random random(1);
  for (const Kind kind : {Kind::point_edge, Kind::point_triangle, Kind::edges})
    for (int k = 0; k < 300; ++k) {
      Point3 x[4];
      for (Point3& p : x) p = random.point();
      const Closest found = closest(kind, x);
      const double grid = by_grid(kind, x);
      EXPECT_LE(found.s, grid * (1 + 1e-14));
      EXPECT_GE(std::sqrt(found.s), std::sqrt(grid) - 0.06);
      Point3 r;
      double sum = 0;
      for (int i = 0; i < points_of(kind); ++i) r += found.c[i] * x[i], sum += found.c[i];
      EXPECT_NEAR(length(r - found.r), 0, 1e-14);
      EXPECT_NEAR(sum, 0, 1e-15);
    }
}

// Shapes that have no inside: flat triangles, edges of no length, parallel and collinear edges.
TEST(Distance, DegenerateShapes) {
  const Point3 o{0, 0, 0}, x{1, 0, 0}, x2{2, 0, 0}, up{0.5, 0, 3};
  EXPECT_DOUBLE_EQ(point_triangle(up, o, x, x2).s, 9);
  EXPECT_DOUBLE_EQ(point_triangle(up, o, o, o).s, 9.25);
  EXPECT_DOUBLE_EQ(point_edge(up, o, o).s, 9.25);
  EXPECT_DOUBLE_EQ(edge_edge(o, x, {0.25, 2, 0}, {3, 2, 0}).s, 4);  // parallel, side by side
  EXPECT_DOUBLE_EQ(edge_edge(o, x, {3, 0, 0}, {4, 0, 0}).s, 4);     // one behind the other
  EXPECT_DOUBLE_EQ(edge_edge(o, o, {0, 1, 0}, {0, 2, 0}).s, 1);
  EXPECT_DOUBLE_EQ(edge_edge(o, x, {0.5, -1, 0}, {0.5, 1, 0}).s, 0);  // crossing
}

// ds/dx = 2 c_i r, and second derivatives, against differences; near borders of regions, too, where s is C1.
TEST(Distance, DerivativesMatchDifferences) {
  Random random(2);
  constexpr double step = 1e-6;
  for (const Kind kind : kinds)
    for (int k = 0; k < 400; ++k) {
      Point3 x[4];
      for (Point3& p : x) p = random.point();
      const int count = points_of(kind), n = 3 * count;
      if (k % 4 == 0 && kind == Kind::point_triangle)  // above an edge
        x[0] = x[1] + 0.3 * (x[2] - x[1]) + cross(x[2] - x[1], x[3] - x[1]);
      if (k % 4 == 1 && kind == Kind::point_edge) x[0] = x[1] + cross(x[2] - x[1], random.point());  // beside an end
      const Closest at = closest(kind, x);
      if (kind == Kind::edges && square(cross(x[1] - x[0], x[3] - x[2])) < 0.05) continue;
      std::vector<double> hessian(n * n);
      second_derivatives(at, derivatives(kind, at), x, count, hessian.data());
      double* coordinate[12];
      for (int i = 0; i < count; ++i) {
        coordinate[3 * i] = &x[i].x;
        coordinate[3 * i + 1] = &x[i].y;
        coordinate[3 * i + 2] = &x[i].z;
      }
      const double r[3] = {at.r.x, at.r.y, at.r.z};
      for (int i = 0; i < n; ++i) {
        const double kept = *coordinate[i];
        *coordinate[i] = kept + step;
        const Closest above = closest(kind, x);
        *coordinate[i] = kept - step;
        const Closest below = closest(kind, x);
        *coordinate[i] = kept;
        const double gradient = 2 * at.c[i / 3] * r[i % 3];
        EXPECT_NEAR((above.s - below.s) / (2 * step), gradient, 1e-5) << "s is C1";
        const bool same =
            above.inside == at.inside && below.inside == at.inside && above.part == at.part && below.part == at.part;
        if (!same) continue;  // second derivatives jump at borders
        for (int j = 0; j < n; ++j) {
          const double up[3] = {above.r.x, above.r.y, above.r.z}, down[3] = {below.r.x, below.r.y, below.r.z};
          const double difference = (2 * above.c[j / 3] * up[j % 3] - 2 * below.c[j / 3] * down[j % 3]) / (2 * step);
          EXPECT_NEAR(difference, hessian[i * n + j], 1e-6 * (1 + std::abs(hessian[i * n + j])));
        }
      }
    }
}

// A discrete gradient and what it should have given.
struct Discrete {
  std::vector<Point3> gradient;
  double energy0 = 0, energy1 = 0, steepest = 0;  // J, J; largest |dB/d distance| of both ends
};

constexpr double range = 0.7, strength = 2.0 / 27 * range;  // w kappa = 1

double steepness(double s) {
  const double u = s / (range * range);
  return u < 1 ? 2 * strength / range * std::sqrt(u) * -rational_barrier::first(u) : 0;
}

Discrete discrete_gradient(Kind kind, const Point3* x0, const Point3* x1) {
  const int count = points_of(kind);
  Discrete result;
  result.gradient.resize(4);
  const double square_range = range * range;
  const Closest at0 = closest(kind, x0), at1 = closest(kind, x1);
  result.steepest = std::max(steepness(at0.s), steepness(at1.s));
  if (kind == Kind::edges) {
    const EdgePair pair{0, 1, {0, 1, 2, 3}, range, strength, 1e-3};
    const std::vector<Point3> a(x0, x0 + 4), b(x1, x1 + 4);
    const EdgePairState before = edge_pair_state(pair, a), after = edge_pair_state(pair, b);
    Contact contact;
    if (edge_pair_contact(pair, before, after, a, b, contact)) add_forces(contact, 1, result.gradient.data());
    result.energy0 = edge_pair_energy(pair, before);
    result.energy1 = edge_pair_energy(pair, after);
    return result;
  }
  Coefficients c0{}, c1{};
  for (int i = 0; i < count; ++i) c0[i] = at0.c[i], c1[i] = at1.c[i];
  const MeanClosest mean = mean_closest({c0, at0.r, x0}, {c1, at1.r, x1}, 1, count);
  const double u0 = at0.s / square_range, u1 = at1.s / square_range;
  const double force = strength / square_range * rational_barrier::difference(u0, u1).slope;
  for (int i = 0; i < count; ++i) result.gradient[i] = (force * mean.c[i]) * (mean.r0 + mean.r1);
  result.energy0 = strength * rational_barrier::value(u0);
  result.energy1 = strength * rational_barrier::value(u1);
  return result;
}

// Coordinates of 2^-30, so that moving all by 4096 is exact: rounding of large coordinates must not turn the force of a
// small gap.
TEST(DiscreteGradient, IsTheSameFarFromTheOrigin) {
  const auto on_grid = [](Point3 p) {
    constexpr double grid = 1 << 30;
    return Point3{std::round(p.x * grid) / grid, std::round(p.y * grid) / grid, std::round(p.z * grid) / grid};
  };
  const Point3 far{4096, -4096, 4096};
  for (const Kind kind : kinds) {
    Random random(11 + static_cast<unsigned>(kind));
    double worst = 0;
    int acting = 0;
    for (int k = 0; k < 20000; ++k) {
      Point3 x0[4], x1[4], far0[4], far1[4];
      for (int i = 0; i < 4; ++i) {
        x0[i] = on_grid(random.point(0.6));
        x1[i] = on_grid(x0[i] + random.point(0.01));
        far0[i] = x0[i] + far;
        far1[i] = x1[i] + far;
      }
      const Discrete near = discrete_gradient(kind, x0, x1), moved = discrete_gradient(kind, far0, far1);
      const double size = length(near.gradient[0]);
      if (size == 0) continue;
      ++acting;
      for (std::size_t i = 0; i < 4; ++i)
        worst = std::max(worst, length(near.gradient[i] - moved.gradient[i]) / std::max(size, near.steepest));
    }
    EXPECT_GT(acting, 100);
    EXPECT_LT(worst, 1e-13);
  }
}

// DB.z = B1 - B0; no force, no moment about the middle; the same from both ends. 10^5 pairs of every kind,
// displacements from 1e-6 to 1, with nearly parallel edges among them. The energy is as exact as B itself: distances
// have the rounding of coordinates of size 1, which a gap of 1e-5 makes 1e-11 of B; what is left beyond that is
// compared with w kappa range.
TEST(DiscreteGradient, IsExactAndBalanced) {
  constexpr double roundings = 30 * 2.2e-16;  // of a coordinate
  for (const Kind kind : kinds) {
    Random random(3 + static_cast<unsigned>(kind));
    double energy = 0, force = 0, moment = 0, symmetry = 0;
    int acting = 0, deep = 0;
    for (int k = 0; k < 100000; ++k) {
      Point3 x0[4], x1[4];
      const double moved = random.power(-6, 0);
      for (Point3& p : x0) p = random.point(0.6);
      if (kind == Kind::edges && k % 3 == 0) x0[3] = x0[2] + (x0[1] - x0[0]) + random.point(0.02);
      for (int i = 0; i < 4; ++i) x1[i] = x0[i] + random.point(moved);
      const Discrete there = discrete_gradient(kind, x0, x1), back = discrete_gradient(kind, x1, x0);
      const double size = std::max({there.energy0, there.energy1, range});
      double work = 0, largest = 0, difference = 0, arm = 0;
      Point3 sum, torque;
      for (int i = 0; i < points_of(kind); ++i) {
        const Point3 middle = 0.5 * (x0[i] + x1[i]);
        work += dot(there.gradient[i], x1[i] - x0[i]);
        sum += there.gradient[i];
        torque += cross(middle, there.gradient[i]);
        largest = std::max(largest, length(there.gradient[i]));
        arm = std::max(arm, length(middle));
        difference = std::max(difference, length(there.gradient[i] - back.gradient[i]));
      }
      const double error = std::abs(work - (there.energy1 - there.energy0));
      energy = std::max(energy, (error - roundings * std::max(there.steepest, largest)) / size);
      if (largest == 0) continue;
      ++acting;
      deep += size > 10 * range ? 1 : 0;
      force = std::max(force, length(sum) / largest);
      moment = std::max(moment, length(torque) / (largest * arm));
      symmetry = std::max(symmetry, difference / largest);
    }
    EXPECT_GT(acting, 20000);
    EXPECT_GT(deep, 10);
    EXPECT_LE(energy, 1e-14) << static_cast<int>(kind);
    EXPECT_LE(force, 1e-15) << static_cast<int>(kind);
    EXPECT_LE(moment, kind == Kind::edges ? 1e-12 : 1e-14) << static_cast<int>(kind);  // edges: of Dc, the larger
    EXPECT_LE(symmetry, 1e-10) << static_cast<int>(kind);
  }
}

// Where closest points hardly move, r_0 + r_1 changes by no more than the rounding of the coordinates makes of gaps.
TEST(DiscreteGradient, HasNoNoiseWhereClosestPointsHardlyMove) {
  constexpr double last_digit = 1e-16, rounding = 1e-14;  // of coordinates of size 1
  Random random(11);
  double worst = 0;
  for (int k = 0; k < 20000; ++k) {
    const Kind kind = k % 2 == 0 ? Kind::point_edge : Kind::point_triangle;
    const Point3 a = random.point(), e = {0.01, 0, 0}, f = {0, 0.01, 0};
    const double slide = random.power(-13, -5);
    Point3 before[4] = {a + 0.3 * (e + f) + random.point(1e-3), a, a + e + random.point(3e-3),
                        a + f + random.point(3e-3)};
    Point3 after[4], rounded[4];
    for (int i = 0; i < 4; ++i) {
      after[i] = before[i] + random.point(i == 0 ? slide : 0);
      rounded[i] = after[i] + random.point(last_digit);
    }
    const auto mean = [&](const Point3* x1) {
      const Closest at0 = closest(kind, before), at1 = closest(kind, x1);
      Coefficients c0{}, c1{};
      for (int i = 0; i < points_of(kind); ++i) c0[i] = at0.c[i], c1[i] = at1.c[i];
      const MeanClosest found = mean_closest({c0, at0.r, before}, {c1, at1.r, x1}, 1, points_of(kind));
      return found.r0 + found.r1;
    };
    worst = std::max(worst, length(mean(after) - mean(rounded)));
  }
  EXPECT_LE(worst, rounding);
}

// Negative control: closest points of one end only.
TEST(DiscreteGradient, ClosestPointsOfOneEndAreNotExact) {
  Random random(9);
  double worst = 0;
  for (int k = 0; k < 1000; ++k) {
    Point3 x0[4], x1[4];
    for (Point3& p : x0) p = random.point(0.6);
    for (int i = 0; i < 4; ++i) x1[i] = x0[i] + random.point(0.3);
    const Closest at0 = closest(Kind::point_triangle, x0), at1 = closest(Kind::point_triangle, x1);
    Point3 r0, r1;
    for (int i = 0; i < 4; ++i) r0 += at0.c[i] * x0[i], r1 += at0.c[i] * x1[i];
    worst = std::max(worst, std::abs(square(r1) - square(r0) - (at1.s - at0.s)));
  }
  EXPECT_GT(worst, 0.01);
}

}  // namespace
}  // namespace livens
