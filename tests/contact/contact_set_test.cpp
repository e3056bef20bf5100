// The potential of contact between surfaces, its gradient, its discrete gradient over a step, and how far a step is
// free.
#include "contact/contact_set.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "contact/rational_barrier.hpp"
#include "contact/shapes.hpp"

namespace livens {
namespace {

using testing::random_number;

constexpr double range = 0.4, pressure = 5;

// Two shapes whose points are shaken, the second above the first.
struct TwoBodies {
  TwoBodies(int dimension, int first, int second, unsigned seed, double shaken) : engine(seed) {
    ContactSurface surface(dimension);
    testing::add_shape(surface, first, {});
    const Point3 up = dimension == 3 ? Point3{0.2, 0.3, 1.2} : Point3{0.2, 1.2, 0};
    testing::add_shape(surface, second, second == 0 ? up : up + Point3{-0.4, 0.1, 0});
    q = testing::coordinates(surface);
    for (double& value : q) value += random_number(engine, shaken);
    std::vector<BarrierPair> pairs(4);
    pairs[1] = pairs[2] = {true, range, pressure};
    barrier = std::make_unique<ContactBarrier>(std::move(surface), pairs, std::vector<BarrierPlane>{});
  }
  std::vector<double> moved(double size) {
    std::vector<double> result = q;
    for (double& value : result) value += random_number(engine, size);
    return result;
  }
  std::mt19937_64 engine;
  std::vector<double> q;
  std::unique_ptr<ContactBarrier> barrier;
};

double term(double s, double reach, double weight) {
  return barrier_strength(weight, pressure, reach) * rational_barrier::value(s / (reach * reach));
}

// Facets less inner edges plus inner vertices, and pairs of edges, feature by feature; nothing merged, no trees.
double by_all_features(const ContactBarrier& barrier, const std::vector<double>& q) {
  const ContactSurface& surface = barrier.surface();
  std::vector<Point3> x;
  surface.positions(q, x);
  double sum = 0;
  for (int a = 0; a < surface.points(); ++a) {
    const int own = surface.body_of_point(a), other = 1 - own;
    const auto& body = surface.bodies()[other];
    const double w = barrier.weight(a, other);
    for (int f = body.facets_begin; f < body.facets_end; ++f) {
      const auto& t = surface.facets()[f];
      sum += term(surface.dimension() == 3 ? point_triangle(x[a], x[t[0]], x[t[1]], x[t[2]]).s
                                           : point_edge(x[a], x[t[0]], x[t[1]]).s,
                  range, w);
    }
    for (int e = body.edges_begin; e < body.edges_end; ++e)
      sum -= term(point_edge(x[a], x[surface.edges()[e][0]], x[surface.edges()[e][1]]).s, range, w);
    for (int v = body.points_begin; v < body.points_end; ++v)
      sum += (surface.dimension() == 3 ? 1 : -1) * term(square(x[a] - x[v]), range, w);
  }
  const auto &one = surface.bodies()[0], &two = surface.bodies()[1];
  for (int e = one.edges_begin; e < one.edges_end; ++e)
    for (int f = two.edges_begin; f < two.edges_end; ++f) {
      const auto &a = surface.edges()[e], &b = surface.edges()[f];
      const double w = 0.5 * std::min(surface.edge_area(e), surface.edge_area(f));
      const double cx = 1e-3 * std::pow(surface.edge_length(e) * surface.edge_length(f), 2);
      const double c = square(cross(x[a[1]] - x[a[0]], x[b[1]] - x[b[0]]));
      sum +=
          (c < cx ? c / cx * (2 - c / cx) : 1) * term(edge_edge(x[a[0]], x[a[1]], x[b[0]], x[b[1]]).s, 0.5 * range, w);
    }
  return sum;
}

TEST(ContactSet, EnergyIsTheSumOverAllFeatures) {
  for (const int dimension : {2, 3})
    for (int first = 0; first < 3; ++first)
      for (int second = 0; second < 3; ++second)
        for (unsigned seed = 0; seed < 40; ++seed) {
          const TwoBodies two(dimension, first, second, seed, 0.3);
          const double expected = by_all_features(*two.barrier, two.q);
          EXPECT_NEAR(two.barrier->energy(two.q), expected, 1e-11 * std::max(1.0, expected))
              << dimension << first << second << seed;
        }
}

// Above a flat face one term is left, of the nearest point: also above its inner edge, to the bit.
TEST(ContactSet, NeighboursDoNotCountTwice) {
  ContactSurface surface(3);
  testing::add_shape(surface, 1, {});
  const int first[1] = {surface.points() * 3};
  const Point3 reference[1] = {{0.5, 0.5, 1.2}};
  surface.add_body("particle", first, reference, {}, 1, 2.0);
  std::vector<double> q = testing::coordinates(surface);
  std::vector<BarrierPair> pairs(4);
  pairs[1] = pairs[2] = {true, range, pressure};
  const ContactBarrier barrier(std::move(surface), pairs, {});
  for (const double x : {0.5, 0.3, 0.0, 1.0, 0.7}) {
    q[q.size() - 3] = x;
    EXPECT_NEAR(barrier.energy(q), term(0.04, range, 2.0), 1e-14) << x;
  }
}

TEST(ContactSet, GradientMatchesDifferences) {
  for (const int dimension : {2, 3})
    for (int kind = 0; kind < 3; ++kind)
      for (unsigned seed = 0; seed < 10; ++seed) {
        const TwoBodies two(dimension, 2 - kind, kind, seed, 0.2);
        if (two.barrier->energy(two.q) > 1e3) continue;  // gaps of the size of the differences
        std::vector<double> gradient(two.q.size(), 0.0), q = two.q;
        two.barrier->add_gradient(q, 1, gradient);
        const double size = *std::max_element(gradient.begin(), gradient.end());
        for (std::size_t i = 0; i < q.size(); ++i) {
          constexpr double step = 1e-6;
          q[i] = two.q[i] + step;
          const double above = two.barrier->energy(q);
          q[i] = two.q[i] - step;
          const double below = two.barrier->energy(q);
          q[i] = two.q[i];
          EXPECT_NEAR((above - below) / (2 * step), gradient[i], 1e-5 * std::max(1.0, size));
        }
      }
}

struct Sums {
  double work = 0, largest = 0;
  Point3 force, moment;
};

Sums sums_of(const ContactSurface& surface, const std::vector<double>& gradient, const std::vector<double>& q0,
             const std::vector<double>& q1) {
  Sums sums;
  const int d = surface.dimension();
  for (int a = 0; a < surface.points(); ++a) {
    const auto vector = [&](const std::vector<double>& v) {
      return Point3{v[a * d], v[a * d + 1], d == 3 ? v[a * d + 2] : 0};
    };
    const Point3 g = vector(gradient), x0 = vector(q0), x1 = vector(q1);
    sums.work += dot(g, x1 - x0);
    sums.force += g;
    sums.moment += cross(0.5 * (x0 + x1), g);
    sums.largest = std::max(sums.largest, length(g));
  }
  return sums;
}

// Small steps and large ones, in which points slide over several facets; convex bodies and such with concave edges.
TEST(ContactSet, DiscreteGradientIsExactAndBalanced) {
  int tracked = 0, one_by_one = 0;
  for (const int dimension : {2, 3})
    for (int first = 0; first < 3; ++first)
      for (unsigned seed = 0; seed < 150; ++seed) {
        TwoBodies two(dimension, first, static_cast<int>(seed) % 3, seed, 0.15);
        const std::vector<double> q1 = two.moved(seed % 3 == 0 ? 0.01 : seed % 3 == 1 ? 0.1 : 0.5);
        std::vector<double> gradient(q1.size(), 0.0), way = q1;
        for (std::size_t i = 0; i < way.size(); ++i) way[i] -= two.q[i];
        ContactSet set(*two.barrier);
        set.begin(two.q, way, 0.01);
        EXPECT_TRUE(set.holds(q1));
        set.end_at(q1);
        set.add_gradient(1, gradient);
        for (const Contact& contact : set.contacts())
          (contact.count > dimension + 1 ? tracked : one_by_one) += contact.edges ? 0 : 1;
        const double before = two.barrier->energy(two.q), after = two.barrier->energy(q1);
        const Sums sums = sums_of(two.barrier->surface(), gradient, two.q, q1);
        const double size = std::max({before, after, pressure * range}), gap = 1e-3;
        EXPECT_NEAR(sums.work, after - before, 1e-12 * std::max(size, gap * sums.largest))
            << dimension << first << seed;
        EXPECT_LE(length(sums.force), 1e-14 * std::max(1.0, sums.largest));
        EXPECT_LE(length(sums.moment), 1e-13 * std::max(1.0, sums.largest));
      }
  EXPECT_GT(tracked, 100) << "points that changed their facets";
  EXPECT_GT(one_by_one, 100);
}

// The set does not depend on how large its boxes are, where one set of facets stays one.
TEST(ContactSet, WiderBoxesChangeNoEnergy) {
  TwoBodies two(3, 1, 0, 3, 0.1);
  const std::vector<double> q1 = two.moved(0.05);
  const std::vector<double> none(two.q.size(), 0.0);
  ContactSet set(*two.barrier);
  set.begin(two.q, none, 0.06);
  const double energy = set.energy();
  EXPECT_TRUE(set.holds(q1));
  set.widen();
  EXPECT_DOUBLE_EQ(set.energy(), energy);
  EXPECT_FALSE(set.holds(two.moved(5)));
}

// The second body falls onto the first: the way ends before they meet, and inside the boxes.
TEST(ContactSet, WaysEndBeforeBodiesMeet) {
  for (const int dimension : {2, 3}) {
    TwoBodies two(dimension, 1, 1, 1, 0.0);
    std::vector<double> way(two.q.size(), 0.0);
    const auto& upper = two.barrier->surface().bodies()[1];
    for (int a = upper.points_begin; a < upper.points_end; ++a) way[a * dimension + dimension - 1] = -1;
    ContactSet set(*two.barrier);
    set.begin(two.q, way, 0.1);
    const auto found = set.way(two.q, way);
    const double gap = dimension == 3 ? 0.2 : 0.3;
    EXPECT_EQ(found.inside, 1);
    EXPECT_LT(found.free, gap);
    EXPECT_GT(found.free, 0.8 * gap);
    for (double& value : way) value *= 4;
    EXPECT_LT(set.way(two.q, way).inside, 0.3);
  }
}

TEST(ContactSet, RestShapesAreFreeOfTheirOwnForces) {
  for (const double own_range : {0.1, 0.4, 2.0}) {  // also longer than the body is wide
    ContactSurface surface(3);
    testing::add_shape(surface, 2, {});
    const std::vector<double> q = testing::coordinates(surface);
    const ContactBarrier barrier(std::move(surface), {{true, own_range, pressure}}, {});
    EXPECT_EQ(barrier.energy(q), 0);
    std::vector<double> folded = q;  // the top of the L comes down to the step: 4 is its inner corner of the outline
    for (double& value : folded) value *= 0.9;
    EXPECT_EQ(barrier.energy(folded), 0) << "uniform shrinking by a tenth leaves half of every distance";
  }
}

TEST(ContactSet, PlanesAreExactToo) {
  ContactSurface surface(3);
  testing::add_shape(surface, 1, {});
  const std::vector<double> q0 = testing::coordinates(surface);
  const double h = std::sqrt(0.5);
  const BarrierPlane plane{0, {0, 0, -0.1}, {0, h, h}, range, pressure, 0};
  const ContactBarrier barrier(std::move(surface), {BarrierPair{}}, {plane});
  std::vector<double> q1 = q0, way(q0.size(), 0.0);
  for (std::size_t i = 2; i < q1.size(); i += 3) q1[i] -= 0.05;
  ContactSet set(barrier);
  set.begin(q0, way, 0.1);
  set.end_at(q1);
  std::vector<double> gradient(q0.size(), 0.0), slope(q0.size(), 0.0);
  set.add_gradient(1, gradient);
  double work = 0;
  for (std::size_t i = 0; i < q0.size(); ++i) work += gradient[i] * (q1[i] - q0[i]);
  EXPECT_NEAR(work, barrier.energy(q1) - barrier.energy(q0), 1e-13);
  EXPECT_GT(work, 0.01);
  barrier.add_gradient(q1, 1, slope);
  const Point3 force = barrier.plane_force(q1);
  double total = 0;
  for (std::size_t i = 2; i < slope.size(); i += 3) total -= slope[i];
  EXPECT_NEAR(total, force.z, 1e-12);
  EXPECT_GT(force.z, 0);
}

// A flat surface stands for its area; a sharp edge does not count its faces twice.
TEST(ContactSurface, AreasOfPoints) {
  ContactSurface surface(3);
  testing::add_shape(surface, 1, {});
  for (int a = 0; a < 8; ++a) {
    // A corner of the cube: of three faces of area 1, each cut into two triangles, it has one or two; the most of one.
    EXPECT_TRUE(std::abs(surface.area(a) - 0.5 / 3) < 1e-14 || std::abs(surface.area(a) - 1.0 / 3) < 1e-14) << a;
  }
  EXPECT_NEAR(surface.bodies()[0].edge, (12 + 6 * std::sqrt(2.0)) / 18, 1e-14);
  for (std::size_t e = 0; e < surface.edges().size(); ++e) EXPECT_TRUE(surface.inner_edge(static_cast<int>(e)));
}

// What a flat body sees: rims have their own half of a face, not more for what is around the corner; points of smooth
// surfaces have all.
TEST(ContactSurface, RimsHaveNoMoreThanTheirFace) {
  ContactSurface surface(2);
  const auto add = [&](const std::vector<Point3>& points) {
    std::vector<int> first;
    std::vector<ContactSurface::Facet> facets;
    const int count = static_cast<int>(points.size());
    for (int k = 0; k < count; ++k) {
      first.push_back(2 * (surface.points() + k));
      facets.push_back({k, (k + 1) % count, -1});
    }
    surface.add_body("body", first, points, facets, 2);
  };
  add({{0, 0, 0}, {0.5, 0, 0}, {1, 0, 0}, {1, 0.2, 0}, {0.5, 0.2, 0}, {0, 0.2, 0}});
  for (int a = 0; a < 6; ++a) EXPECT_NEAR(surface.area(a), a % 3 == 1 ? 1.0 : 0.5, 1e-14) << a;
  std::vector<Point3> circle;
  for (int k = 0; k < 24; ++k) circle.push_back({std::cos(k * M_PI / 12), std::sin(k * M_PI / 12), 0});
  add(circle);
  for (int a = 6; a < 30; ++a) EXPECT_NEAR(surface.area(a) / (2 * 2 * std::sin(M_PI / 24)), 1, 0.02);
}

// Corners and samples of a facet integrate polynomials of degree 2 over it; of a closed surface they have all of its
// area, but for corners at rims.
TEST(ContactSurface, SamplesIntegrateOverFacets) {
  for (const int dimension : {2, 3})
    for (const int each : {1, 2, 3, 5}) {
      ContactSurface surface(dimension);
      testing::add_shape(surface, 0, {});
      const double plain = surface.area(0);
      surface.add_samples(each);
      testing::add_shape(surface, 1, {});
      const auto& body = surface.bodies()[0];
      const int facets = dimension == 3 ? 4 : 3;
      EXPECT_EQ(body.samples_end - body.points_end, facets * (dimension == 3 ? each * each : each));
      EXPECT_EQ(surface.pushing_area(body.samples_end), surface.area(body.samples_end)) << "of another body";
      EXPECT_EQ(surface.area(0), plain);
      const double nu = 1.0 / (dimension * each * each + 1);
      EXPECT_NEAR(surface.pushing_area(0), nu * plain, 1e-15);
      // The facet of the plane x + y + z = 1 or x + y = 1, all of whose corners have 0 and 1.
      const auto f = [](const Point3& x) { return 2 + x.x - 3 * x.y + 5 * x.x * x.x + 7 * x.x * x.y; };
      const double A = dimension == 3 ? std::sqrt(3.0) / 2 : std::sqrt(2.0);
      double sum = 0, area = 0;
      for (int a = body.points_begin; a < body.samples_end; ++a) {
        const Point3& x = surface.reference(a);
        if (std::abs(x.x + x.y + x.z - 1) > 1e-12) continue;
        const double w = surface.is_sample(a) ? surface.pushing_area(a) : nu * A / dimension;
        sum += w * f(x);
        area += w;
      }
      EXPECT_NEAR(area, A, 1e-14);
      // Means over the facet: x 1/3, y 1/3, x^2 1/6, xy 1/12; over the segment 1/2, 1/2, 1/3, 1/6.
      const double mean = dimension == 3 ? 2 + 1.0 / 3 - 1 + 5.0 / 6 + 7.0 / 12 : 2 + 0.5 - 1.5 + 5.0 / 3 + 7.0 / 6;
      EXPECT_NEAR(sum / A, mean, 1e-13) << dimension << " " << each;
    }
}

// Where a sample is, and where a force on it goes: to the corners, with the same moment.
TEST(ContactSurface, SamplesAreCarriedByCorners) {
  ContactSurface surface(3);
  testing::add_shape(surface, 2, {});
  const std::vector<double> q = testing::coordinates(surface);
  surface.add_samples(2);
  std::vector<Point3> x, forces;
  surface.positions(q, x);
  Point3 force, moment;
  for (int a = 0; a < surface.points(); ++a) {
    EXPECT_LE(length(x[a] - surface.reference(a)), 1e-15);
    forces.push_back(surface.is_sample(a) ? Point3{0.1 * a, 1, -0.2 * a} : Point3{});
    force += forces.back();
    moment += cross(x[a], forces.back());
  }
  surface.take_to_corners(forces);
  for (int a = 0; a < surface.points(); ++a) {
    EXPECT_TRUE(!surface.is_sample(a) || length(forces[a]) == 0);
    force -= forces[a];
    moment -= cross(x[a], forces[a]);
  }
  EXPECT_LE(length(force), 1e-10);
  EXPECT_LE(length(moment), 1e-10);
}

}  // namespace
}  // namespace livens
