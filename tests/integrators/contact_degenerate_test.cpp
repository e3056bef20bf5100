// Contact where normals are not defined or jump: tips on ridges, on tips and on faces, edges that cross and edges that
// are parallel to the last digit, starts of all kinds, random impacts. After every step surfaces are compared by exact
// signs.
#include <cmath>
#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

#include "integrators/impacts.hpp"
#include "support/table_file.hpp"

namespace livens {
namespace {

using testing::Collision;
using testing::follow;
using testing::Followed;
using Corners = std::array<Vec3, 4>;

constexpr double L = 0.1;  // m, of all bodies

double volume_of(const Corners& x) {
  const auto edge = [&](int k, int c) { return x[k][c] - x[0][c]; };
  return edge(1, 0) * (edge(2, 1) * edge(3, 2) - edge(2, 2) * edge(3, 1)) +
         edge(1, 1) * (edge(2, 2) * edge(3, 0) - edge(2, 0) * edge(3, 2)) +
         edge(1, 2) * (edge(2, 0) * edge(3, 1) - edge(2, 1) * edge(3, 0));
}

// A tetrahedron of rubber, or a rigid one.
struct Tetrahedron {
  Corners x;
  Vec3 velocity{};
  Vec3 spin{};  // rad/s, about its middle
  bool soft = false;
};

BodyShape shape_of(const Corners& x) {
  BodyShape shape;
  shape.points.assign(x.begin(), x.end());
  shape.facets = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
  return shape;
}

void add_tetrahedron(Assembly& assembly, Tetrahedron body, const std::string& name) {
  if (volume_of(body.x) < 0) std::swap(body.x[2], body.x[3]);
  if (!body.soft) {
    Rigid rigid = rigid_from_shape(shape_of(body.x), 1000);
    rigid.initial.velocity = body.velocity;
    rigid.initial.angular_velocity = body.spin;
    add(assembly, rigid, name);
    return;
  }
  Solid solid;
  solid.mesh.kind = ElementKind::tet4;
  Vec3 middle{};
  for (const Vec3& p : body.x)
    for (int c = 0; c < 3; ++c) {
      solid.mesh.X.push_back(p[c]);
      middle[c] += 0.25 * p[c];
    }
  solid.mesh.connectivity = {0, 1, 2, 3};
  solid.mesh.region = {0};
  solid.mesh.regions = {"all"};
  solid.material = "rubber";
  solid.initial.velocity = [middle, w = body.spin, v = body.velocity](const Vec3& X) {
    const double y[3] = {X[0] - middle[0], X[1] - middle[1], X[2] - middle[2]};
    return Vec3{v[0] + w[1] * y[2] - w[2] * y[1], v[1] + w[2] * y[0] - w[0] * y[2], v[2] + w[0] * y[1] - w[1] * y[0]};
  };
  add(assembly, solid, name);
}

ContactBodies touching(double friction) {
  ContactBodies contact;
  contact.barrier.distance = 2e-3;
  contact.barrier.pressure = 3e4;
  contact.barrier.friction = friction;
  contact.barrier.stick_speed = 0.02;
  return contact;
}

void expect_kept(const Followed& run) {
  ASSERT_TRUE(run.converged) << run.message;
  EXPECT_EQ(run.crossings, 0);
  EXPECT_LE(run.energy, 1e-8);
  EXPECT_LE(run.linear, 1e-13);
  EXPECT_LE(run.angular, 1e-12);
  EXPECT_LE(run.constraint, 2e-14);  // m; a thousand roundings of 0.1 m: flat tetrahedra have long weights
}

// The lower body below z = 0 and the upper one above z = gap, which comes down. All coordinates are exact.
struct Pair {
  const char* name;
  Corners lower, upper;
};
std::vector<Pair> pairs() {
  constexpr double gap = 0.005, top = gap + L;
  const Corners ridge_x = {{{-L, 0, 0}, {L, 0, 0}, {0, -L, -L}, {0, L, -L}}};
  const Corners tip = {{{0, 0, 0}, {L, 0, -L}, {-L, L, -L}, {-L, -L, -L}}};
  const Corners face = {{{-L, -L, 0}, {L, -L, 0}, {0, L, 0}, {0, 0, -L}}};
  const Corners tip_down = {{{0, 0, gap}, {L, 0, top}, {-L, L, top}, {-L, -L, top}}};
  const Corners ridge_down_x = {{{-L, 0, gap}, {L, 0, gap}, {0, -L, top}, {0, L, top}}};
  const Corners ridge_down_y = {{{0, -L, gap}, {0, L, gap}, {-L, 0, top}, {L, 0, top}}};
  const Corners ridge_beside = {{{0, 0, gap}, {2 * L, 0, gap}, {L, -L, top}, {L, L, top}}};
  const Corners tip_on_end = {{{L, 0, gap}, {2 * L, 0, top}, {0, L, top}, {0, -L, top}}};
  const Corners face_down = {{{-L, -L, gap}, {L, -L, gap}, {0, L, gap}, {0, 0, top}}};
  return {{"tip on ridge", ridge_x, tip_down},
          {"tip on tip", tip, tip_down},
          {"tip on face", face, tip_down},
          {"tip on the end of a ridge", ridge_x, tip_on_end},
          {"crossed ridges", ridge_x, ridge_down_y},
          {"parallel ridges", ridge_x, ridge_down_x},
          {"parallel ridges, one beside the other", ridge_x, ridge_beside},
          {"ridge on face", face, ridge_down_x},
          {"ridge on tip", tip, ridge_down_y},
          {"equal faces", face, face_down}};
}

TEST(ContactDegenerate, TipsRidgesAndFacesMeetSquareOn) {
  for (const Pair& pair : pairs())
    for (const bool soft : {false, true})
      for (const double h : {1e-3, 5e-3}) {
        SCOPED_TRACE(std::string(pair.name) + (soft ? ", soft, " : ", rigid, ") + std::to_string(h));
        Assembly assembly = testing::with_rubber();
        add_tetrahedron(assembly, {pair.lower, {}, {}, soft}, "lower");
        add_tetrahedron(assembly, {pair.upper, {0, 0, -1}, {}, soft}, "upper");
        add(assembly, touching(0), "contact");
        Collision c(assembly);
        const Followed run = follow(c, h, 0.05);
        testing::table_run("tetrahedra square on, step " + std::to_string(h), run);
        expect_kept(run);
        EXPECT_GT(run.stored, 0) << "they touch";
        EXPECT_GT(momenta(*c.model, c.state.q, c.state.p).linear[2], -1) << "finite";
      }
}

// Beams that cross without a corner inside the other; bodies that touch to the last digit; one inside the other.
TEST(ContactDegenerate, StartsThatCrossOrTouchAreRefused) {
  const auto refused = [](const BodyShape& one, const BodyShape& two) {
    Assembly assembly;
    add(assembly, rigid_from_shape(one, 1000), "one");
    add(assembly, rigid_from_shape(two, 1000), "two");
    try {
      add(assembly, touching(0), "contact");
    } catch (const AssemblyError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("one"), std::string::npos) << text;
      EXPECT_NE(text.find("two"), std::string::npos) << text;
      return true;
    }
    return false;
  };
  const BodyShape cube = box_shape({L, L, L}), beam = box_shape({3 * L, 0.4 * L, 0.4 * L});
  EXPECT_TRUE(refused(beam, box_shape({0.4 * L, 3 * L, 0.4 * L}))) << "a cross";
  EXPECT_TRUE(refused(cube, beam)) << "a spit";
  EXPECT_TRUE(refused(cube, box_shape({0.3 * L, 0.3 * L, 0.3 * L}))) << "inside";
  EXPECT_TRUE(refused(cube, cube)) << "the same place";
  EXPECT_TRUE(refused(cube, moved(cube, {}, {L, 0, 0}))) << "face on face";
  EXPECT_TRUE(refused(cube, moved(cube, {}, {L, L, 0}))) << "edge on edge";
  EXPECT_TRUE(refused(cube, moved(cube, {}, {L, L, L}))) << "corner on corner";
  EXPECT_TRUE(refused(shape_of(pairs()[0].lower), moved(shape_of(pairs()[0].upper), {}, {0, 0, -0.005})))
      << "tip on ridge";
  EXPECT_TRUE(refused(cube, moved(cube, {}, {L * (1 + 1e-15), 0.3 * L, 0.2 * L}))) << "nearer than rounding";
  EXPECT_FALSE(refused(cube, moved(cube, {}, {1.001 * L, 0, 0})));
  EXPECT_FALSE(refused(cube, moved(cube, {}, {1.001 * L, L, L})));
}

// Truth of starts: an edge of one through a facet of the other, or a corner inside; both are convex.
bool overlap(const BodyShape& a, const BodyShape& b) {
  const auto point = [](const Vec3& x) { return Point3{x[0], x[1], x[2]}; };
  const auto one_way = [&](const BodyShape& edges, const BodyShape& facets) {
    const auto at = [&](const std::array<int, 3>& f, int k) { return point(facets.points[f[k]]); };
    for (const auto& e : edges.facets)
      for (int k = 0; k < 3; ++k)
        for (const auto& f : facets.facets)
          if (testing::crosses(point(edges.points[e[k]]), point(edges.points[e[(k + 1) % 3]]), at(f, 0), at(f, 1),
                               at(f, 2)))
            return true;
    for (const Vec3& x : edges.points) {
      bool inside = true;
      for (const auto& f : facets.facets) inside = inside && testing::side(at(f, 0), at(f, 1), at(f, 2), point(x)) < 0;
      if (inside) return true;
    }
    return false;
  };
  return one_way(a, b) || one_way(b, a);
}

struct RandomBodies {
  explicit RandomBodies(unsigned long seed) : engine(seed) {}
  double number(double size) { return std::uniform_real_distribution<double>(-size, size)(engine); }
  Vec3 vector(double size) { return {number(size), number(size), number(size)}; }
  // Corners of a size and volume that are not tiny; every third has them on a coarse grid.
  Corners corners(const Vec3& place) {
    for (;;) {
      Corners x;
      const bool grid = engine() % 3 == 0;
      for (Vec3& p : x)
        for (int c = 0; c < 3; ++c) {
          const double value = number(0.6 * L);
          p[c] = place[c] + (grid ? 0.3 * L * std::round(value / (0.3 * L)) : value);
        }
      if (std::abs(volume_of(x)) > 0.15 * L * L * L) return x;
    }
  }
  std::mt19937_64 engine;
};

TEST(ContactDegenerate, RandomStartsAreJudgedExactly) {
  int refused = 0, accepted = 0;
  for (unsigned long k = 0; k < 1000; ++k) {
    RandomBodies random(k);
    BodyShape one = shape_of(random.corners({})), two = shape_of(random.corners(random.vector(0.8 * L)));
    for (BodyShape* shape : {&one, &two}) {
      if (random.engine() % 2 == 0)
        *shape = moved(box_shape({L, 0.5 * L, 0.3 * L}), random.vector(2), shape->points[0]);
      Corners x{};
      for (int i = 0; i < 4; ++i) x[i] = shape->points[i];
      if (shape->points.size() == 4 && volume_of(x) < 0) std::swap(shape->points[2], shape->points[3]);
    }
    Assembly assembly;
    add(assembly, rigid_from_shape(one, 1000), "one");
    add(assembly, rigid_from_shape(two, 1000), "two");
    bool taken = true;
    try {
      add(assembly, touching(0), "contact");
    } catch (const AssemblyError&) {
      taken = false;
    }
    ++(taken ? accepted : refused);
    const bool truth = overlap(one, two);
    EXPECT_FALSE(taken && truth) << k;
    if (!taken && !truth) {  // refused without crossing: they touch, up to rounding of what the four points carry
      const BodyShape apart = moved(two, {}, {1e-9, -2e-9, 3e-9}), other = moved(two, {}, {-1e-9, 2e-9, -3e-9});
      EXPECT_TRUE(overlap(one, apart) || overlap(one, other)) << k;
    }
    if (!taken) continue;
    Collision c(assembly);
    EXPECT_TRUE(std::isfinite(c.barriers[0]->energy(c.state.q))) << k;
    EXPECT_EQ(testing::crossings(*c.barriers[0], c.state.q), 0) << k;
  }
  EXPECT_GT(refused, 200);
  EXPECT_GT(accepted, 200);
}

// 40 of them; 10 000 with LIVENS_LONG.
TEST(ContactDegenerate, RandomImpacts) {
  const unsigned long count = std::getenv("LIVENS_LONG") == nullptr ? 40 : 10000;
  unsigned long touched = 0;
  long steps = 0, iterations = 0;
  double worst = 0, momentum = 0, constraint = 0;
  for (unsigned long k = 0; k < count; ++k) {
    SCOPED_TRACE(k);
    RandomBodies random(1000 + k);
    Assembly assembly = testing::with_rubber();
    for (const double at : {0.0, 1.0}) {
      const bool square_on = random.engine() % 4 == 0;
      const Vec3 place =
          square_on ? Vec3{1.6 * L * at, 0, 0} : Vec3{1.6 * L * at, random.number(0.3 * L), random.number(0.3 * L)};
      const Vec3 spin = square_on ? Vec3{} : random.vector(10);
      add_tetrahedron(assembly, {random.corners(place), {1.5 - 3 * at, 0, 0}, spin, random.engine() % 2 == 0},
                      at == 0 ? "left" : "right");
    }
    add(assembly, touching(k % 2 == 0 ? 0 : 0.3), "contact");
    Collision c(assembly);
    const Followed run = follow(c, 5e-4 * std::pow(20.0, static_cast<double>(k % 11) / 10), 0.08);
    expect_kept(run);
    touched += run.stored > 0 ? 1 : 0;
    steps += run.steps;
    iterations += run.iterations;
    worst = std::max(worst, run.energy);
    momentum = std::max({momentum, run.linear, run.angular});
    constraint = std::max(constraint, run.constraint);
    if (::testing::Test::HasFailure()) return;
  }
  const std::string what = std::to_string(count) + " random impacts of tetrahedra";
  table_number("contact", what, "that touched", static_cast<double>(touched));
  table_number("contact", what, "energy and what friction took", worst);
  table_number("contact", what, "momenta (N s, N m s)", momentum);
  table_number("contact", what, "constraints (m)", constraint);
  table_number("contact", what, "Newton steps per step", static_cast<double>(iterations) / static_cast<double>(steps));
  EXPECT_GT(touched, count / 2);
}

}  // namespace
}  // namespace livens
