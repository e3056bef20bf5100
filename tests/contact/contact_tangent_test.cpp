// The derivative of the discrete gradient of contact by the end of the step: exact, at the borders of regions too.
#include <cmath>

#include <gtest/gtest.h>

#include "contact/contact.hpp"
#include "contact/contact_products.hpp"
#include "contact/contact_set.hpp"
#include "contact/edge_pairs.hpp"
#include "contact/shapes.hpp"

namespace livens {
namespace {

using testing::random_number;

constexpr double range = 0.4, pressure = 5;

// A step of two bodies, the second above the first, whose points are shaken and move by `moved`.
struct Step {
  Step(int dimension, int first, int second, unsigned seed, double moved) : engine(seed) {
    ContactSurface surface(dimension);
    testing::add_shape(surface, first, {});
    const Point3 up = dimension == 3 ? Point3{0.2, 0.3, 1.25} : Point3{0.2, 1.25, 0};
    testing::add_shape(surface, second, second == 0 ? up : up + Point3{-0.4, 0.1, 0});
    q0 = testing::coordinates(surface);
    for (double& value : q0) value += random_number(engine, seed % 5 == 0 ? 0.005 : 0.1);
    q1 = q0;
    for (double& value : q1) value += random_number(engine, moved);
    std::vector<BarrierPair> pairs(4);
    pairs[1] = pairs[2] = {true, range, pressure};
    barrier = std::make_unique<ContactBarrier>(std::move(surface), pairs, std::vector<BarrierPlane>{});
    set = std::make_unique<ContactSet>(*barrier);
    std::vector<double> way = q1;
    for (std::size_t i = 0; i < way.size(); ++i) way[i] -= q0[i];
    set->begin(q0, way, 0.05);
  }
  std::vector<double> direction() {
    std::vector<double> result(q0.size());
    for (double& value : result) value = random_number(engine, 1);
    return result;
  }
  // DB at q1 + part * d
  std::vector<double> gradient(const std::vector<double>& d, double part) {
    std::vector<double> q = q1, sum(q1.size(), 0.0);
    for (std::size_t i = 0; i < q.size(); ++i) q[i] += part * d[i];
    set->end_at(q);
    set->add_gradient(1, sum);
    return sum;
  }
  // By the tangents of the contacts.
  std::vector<double> change(const std::vector<double>& d, bool symmetric = false) {
    const ContactSurface& surface = barrier->surface();
    const int n = surface.dimension();
    std::vector<double> sum(q1.size(), 0.0);
    set->end_at(q1);
    double matrix[9 * most_contact_points * most_contact_points];
    for (const Contact& contact : set->contacts()) {
      if (!set->tangent(contact, symmetric, matrix)) continue;
      for (int i = 0; i < contact.count; ++i)
        for (int j = 0; j < contact.count; ++j)
          for (int a = 0; a < n; ++a)
            for (int b = 0; b < n; ++b)
              sum[contact.point[i] * n + a] +=
                  matrix[(3 * i + a) * 3 * contact.count + 3 * j + b] * d[contact.point[j] * n + b];
    }
    return sum;
  }
  std::mt19937_64 engine;
  std::vector<double> q0, q1;
  std::unique_ptr<ContactBarrier> barrier;
  std::unique_ptr<ContactSet> set;
};

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

double norm(const std::vector<double>& a) { return distance(a, std::vector<double>(a.size(), 0.0)); }

// Of fourth order in the step.
std::vector<double> difference(Step& step, const std::vector<double>& d, double h) {
  const auto far_back = step.gradient(d, -2 * h), back = step.gradient(d, -h), on = step.gradient(d, h),
             far_on = step.gradient(d, 2 * h);
  std::vector<double> result(on.size());
  for (std::size_t i = 0; i < on.size(); ++i)
    result[i] = (8 * (on[i] - back[i]) - (far_on[i] - far_back[i])) / (12 * h);
  return result;
}

// Both forms, and without what a support would hold.
TEST(ContactTangent, ProductsAreThoseOfTheMatrices) {
  std::size_t contacts = 0;
  for (const int dimension : {2, 3})
    for (int kind = 0; kind < 9; ++kind)
      for (unsigned seed = 0; seed < 20; ++seed) {
        Step step(dimension, kind / 3, kind % 3, seed, 0.05);
        const auto d = step.direction();
        for (const bool symmetric : {false, true}) {
          auto expected = step.change(d, symmetric);
          expected[1] = 0;
          ContactProducts products;
          products.take(*step.set, symmetric);
          std::vector<double> image(d.size(), 0.0);
          products.add_product(step.barrier->surface(), d, 1, image, [](int coordinate) { return coordinate == 1; });
          contacts += step.set->contacts().size();
          ASSERT_LE(distance(image, expected), 1e-12 * norm(expected)) << dimension << kind << " " << seed;
        }
      }
  EXPECT_GT(contacts, 2000u);
}

// Small and large steps, over several facets, single features and several, edges that cross and that are parallel.
TEST(ContactTangent, MatchesDifferences) {
  int compared = 0, missed = 0, kinks = 0, tracked = 0, edges = 0, bent = 0;
  for (const int dimension : {2, 3})
    for (int kind = 0; kind < 9; ++kind)
      for (unsigned seed = 0; seed < 40; ++seed) {
        Step step(dimension, kind / 3, kind % 3, seed, seed % 4 == 0 ? 1e-4 : seed % 4 == 1 ? 0.01 : 0.25);
        if (step.barrier->energy(step.q0) > 1e3 || step.barrier->energy(step.q1) > 1e3) continue;  // gaps too small
        const auto d = step.direction();
        const auto exact = step.change(d);
        for (const Contact& contact : step.set->contacts()) {
          tracked += contact.count > dimension + 1 ? 1 : 0;
          edges += contact.edges ? 1 : 0;
          bent += contact.bent ? 1 : 0;
        }
        const double size = norm(exact) + pressure * range;
        constexpr double h = 1e-5;
        const auto coarse = difference(step, d, h), fine = difference(step, d, 0.5 * h);
        if (distance(coarse, fine) > 1e-7 * size) {
          ++kinks;  // between regions the derivative jumps
          continue;
        }
        // Where closest points over a face hardly move, theta depends on which way they do.
        missed += distance(fine, exact) > 1e-7 * size ? 1 : 0;
        EXPECT_LE(distance(fine, exact), 1e-5 * size) << dimension << kind << " " << seed;
        ++compared;
      }
  EXPECT_GT(compared, 400);
  EXPECT_LE(missed, compared / 100);
  EXPECT_LT(kinks, compared / 10);
  EXPECT_GT(tracked, 30);
  EXPECT_GT(edges, 100);
  EXPECT_GT(bent, 10);
}

// A point over an edge and over a corner of a cube, exactly: the derivative is that of one of the two sides.
TEST(ContactTangent, AtBordersItIsThatOfOneSide) {
  for (const Point3 end : {Point3{0, 0.4, 1.2}, Point3{0, 0, 1.2}, Point3{0.5, 0.5, 1.15}, Point3{1, 1, 1.1}}) {
    ContactSurface surface(3);
    testing::add_shape(surface, 1, {});
    const int first[1] = {surface.points() * 3};
    const Point3 reference[1] = {end};
    surface.add_body("particle", first, reference, {}, 1, 2.0);
    const std::vector<double> q1 = testing::coordinates(surface);
    std::vector<BarrierPair> pairs(4);
    pairs[1] = pairs[2] = {true, range, pressure};
    const ContactBarrier barrier(std::move(surface), pairs, {});
    std::vector<double> q0 = q1, way(q1.size(), 0.0);
    const std::size_t at = q1.size() - 3;
    q0[at] += 0.2, q0[at + 1] += 0.1, q0[at + 2] += 0.1;
    ContactSet set(barrier);
    set.begin(q0, way, 0.5);
    const auto force = [&](int c, double moved) {
      std::vector<double> q = q1, g(q1.size(), 0.0);
      q[at + c] += moved;
      set.end_at(q);
      set.add_gradient(1, g);
      return Point3{g[at], g[at + 1], g[at + 2]};
    };
    for (int c = 0; c < 3; ++c) {
      constexpr double h = 1e-5;
      const Point3 here = force(c, 0);
      const Contact contact = set.contacts().front();
      ASSERT_EQ(set.contacts().size(), 1u);
      double matrix[9 * most_contact_points * most_contact_points];
      ASSERT_TRUE(set.tangent(contact, false, matrix));
      const int width = 3 * contact.count;
      const Point3 exact{matrix[c], matrix[width + c], matrix[2 * width + c]};
      const auto side = [&](double s) {  // of second order, from one side
        const Point3 one = force(c, s * h), two = force(c, 2 * s * h);
        return (s / (2 * h)) * (4.0 * one - two - 3.0 * here);
      };
      const double off = std::min(length(side(1) - exact), length(side(-1) - exact));
      EXPECT_LE(off, 1e-7 * std::max(length(exact), 100.0)) << c << " " << end.x;
    }
  }
}

}  // namespace
}  // namespace livens
