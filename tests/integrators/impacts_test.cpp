// Impacts at instants: order across hits, energy and momenta, restitution and friction, rows of balls, refusals.
#include "contact/impacts.hpp"

#include <cmath>
#include <cstdlib>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "integrators/impacts.hpp"
#include "math/first_crossing.hpp"
#include "support/table_file.hpp"

namespace livens {
namespace {

using testing::Collision, testing::stepping;

TEST(FirstCrossing, FindsTheFirstOfSeveral) {
  // (s - 0.2)(s - 0.5)(s - 0.7)(s - 0.9), positive at 0.
  const double r[4] = {0.2, 0.5, 0.7, 0.9};
  std::array<double, 5> a{1, 0, 0, 0, 0};
  for (const double root : r)
    for (int k = 4; k >= 0; --k) a[k] = (k > 0 ? a[k - 1] : 0) - root * a[k];
  ASSERT_TRUE(first_crossing<4>(a));
  EXPECT_NEAR(*first_crossing<4>(a), 0.2, 1e-13);
  EXPECT_FALSE(first_crossing<2>({1, -2, 1.0001})) << "comes close and goes away";
  EXPECT_NEAR(first_crossing<2>({1, -2, 0.9999}).value_or(2), 1 / (1 + 0.01), 1e-9);
  EXPECT_EQ(first_crossing<2>({0, -1, 0}).value_or(2), 0) << "touches and closes";
  EXPECT_FALSE(first_crossing<2>({0, 1, 0})) << "touches and opens";
  EXPECT_NEAR(first_crossing<2>({0, 1, -2}).value_or(2), 0.5, 1e-15) << "opens and comes back";
  EXPECT_FALSE(first_crossing<2>({0, -1e-15, 0}, 1e-14)) << "rests";
  EXPECT_NEAR(first_crossing<2>({-1e-17, 1, -2}).value_or(2), 0.5, 1e-15) << "rounding of where it was hit";
}

ImpactRule hitting(double radius, double e = 1, double mu = 0) {
  ImpactRule rule;
  rule.radius = radius;
  rule.restitution = e;
  rule.friction = mu;
  return rule;
}

// A particle in a round room, with a spring to a point off its centre: hits at all angles.
Assembly round_room(double e = 1) {
  Assembly assembly;
  Particles ball;
  ball.layout.dimension = 2;
  ball.layout.positions = {0.2, 0.1};
  ball.mass = {1.0};
  ball.initial.velocity = [](const Vec3&) { return Vec3{1.1, 0.7, 0}; };
  add(assembly, ball, "ball");
  add(assembly, Gravity{.acceleration = {0.3, -1.0, 0}}, "gravity");
  ContactSphere room;
  room.radius = 1;
  room.inside = true;
  room.impact = hitting(0.05, e);
  add(assembly, room, "room");
  return assembly;
}

long impacts_of(const Integrator& integrator) {
  for (const auto& [name, count] : integrator.events())
    if (name == "impacts") return count;
  return -1;
}

// Two curved paths and hits between them: a Lagrangian that Verlet's method does not solve exactly.
Assembly curved_room() {
  Assembly assembly;
  Particles ball;
  ball.layout.dimension = 2;
  ball.layout.positions = {0.35, 0.1, -0.3, -0.2};
  ball.mass = {1.0, 2.0};
  ball.initial.velocity = [](const Vec3& X) { return X[0] > 0 ? Vec3{-0.9, 0.2, 0} : Vec3{0.8, 0.5, 0}; };
  add(assembly, ball, "ball");
  add(assembly, PairwiseGravity{.constant = 0.3, .softening = 0.3}, "attraction");
  ContactSphere room;
  room.radius = 0.6;
  room.inside = true;
  room.impact = hitting(0.05);
  add(assembly, room, "room");
  ContactBodies balls;
  balls.impact = hitting(0.05);
  add(assembly, balls, "balls");
  return assembly;
}

TEST(Impacts, OrderTwoAcrossHits) {
  const auto end_of = [](double h) {
    Collision c(curved_room());
    auto integrator = stepping("kind = 'stormer_verlet'", h, *c.model);
    EXPECT_TRUE(integrator->advance(*c.model, c.state, 1.6).converged);
    EXPECT_GE(impacts_of(*integrator), 3);
    return c.state;
  };
  const State exact = end_of(1.6 / 65536);
  double before = 0;
  for (const int steps : {128, 256, 512, 1024}) {
    const State state = end_of(1.6 / steps);
    double error = 0;
    for (std::size_t i = 0; i < state.q.size(); ++i) error = std::max(error, std::abs(state.q[i] - exact.q[i]));
    table_row("impacts", "order across hits", {{"steps", steps}, {"error", error}});
    if (before > 0) {
      EXPECT_GT(std::log2(before / error), 1.8) << steps;
      EXPECT_LT(std::log2(before / error), 2.2) << steps;
    }
    before = error;
  }
}

// Between hits the path under gravity is exact, and so is every hit: energy to rounding over many hits.
TEST(Impacts, EnergyIsExactAtTheWall) {
  Collision c(round_room());
  auto integrator = stepping("kind = 'stormer_verlet'", 0.02, *c.model);
  const double start = energy(*c.model, c.state).total;
  double largest = 0, furthest = 0;
  const auto report = integrator->advance(*c.model, c.state, 400, [&](const State& state, const StepReport&) {
    largest = std::max(largest, std::abs(energy(*c.model, state).total - start));
    furthest = std::max(furthest, std::hypot(state.q[0], state.q[1]));
    return true;
  });
  ASSERT_TRUE(report.converged) << report.message;
  EXPECT_GT(impacts_of(*integrator), 200);
  EXPECT_LE(largest, 1e-11);
  EXPECT_LE(furthest, 0.95 + 1e-12);
}

TEST(Impacts, RestitutionIsBooked) {
  for (const double e : {0.0, 0.3, 0.75}) {
    Assembly assembly;
    Particles ball;
    ball.layout.dimension = 2;
    ball.layout.positions = {0, 0.2};
    ball.mass = {2.0};
    ball.initial.velocity = [](const Vec3&) { return Vec3{0.7, -1.3, 0}; };
    add(assembly, ball, "ball");
    ContactPlane floor;
    floor.normal = {0, 1, 0};
    floor.impact = hitting(0.05, e);
    add(assembly, floor, "floor");
    Collision c(assembly);
    auto integrator = stepping("kind = 'stormer_verlet'", 0.03, *c.model);
    ASSERT_TRUE(integrator->advance(*c.model, c.state, 0.3).converged);
    EXPECT_NEAR(c.state.v[1], 1.3 * e, 1e-14);
    EXPECT_NEAR(c.state.v[0], 0.7, 1e-14);
    EXPECT_NEAR(integrator->ledger().energy_out[0], 1.3 * 1.3 * (1 - e * e), 1e-13);
  }
}

// Slip: mu times the normal impulse. A particle sticks if friction can stop it.
TEST(Impacts, FrictionOfAParticle) {
  for (const double mu : {0.1, 2.0}) {
    Assembly assembly;
    Particles ball;
    ball.layout.dimension = 3;
    ball.layout.positions = {0, 0, 0.2};
    ball.mass = {2.0};
    ball.initial.velocity = [](const Vec3&) { return Vec3{0.6, 0.8, -1.5}; };
    add(assembly, ball, "ball");
    ContactPlane floor;
    floor.normal = {0, 0, 1};
    floor.impact = hitting(0.05, 0.5, mu);
    add(assembly, floor, "floor");
    Collision c(assembly);
    const double start = energy(*c.model, c.state).total;
    auto integrator = stepping("kind = 'stormer_verlet'", 0.03, *c.model);
    ASSERT_TRUE(integrator->advance(*c.model, c.state, 0.3).converged);
    const double along = std::hypot(c.state.v[0], c.state.v[1]);
    EXPECT_NEAR(along, mu < 1 ? 1 - mu * 1.5 * 1.5 : 0, 1e-13);
    EXPECT_NEAR(c.state.v[2], 0.75, 1e-14);
    double lost = 0;
    for (const double out : integrator->ledger().energy_out) lost += out;
    EXPECT_NEAR(energy(*c.model, c.state).total + lost, start, 1e-13);
  }
}

Rigid rigid_ball(double radius, const Vec3& center) {
  return rigid_from_shape(moved(ball_shape(radius), {}, center), 1000);
}

// A rigid ball that hits without spin leaves rolling if friction is enough: v -> 5/7 v along the plane.
TEST(Impacts, ARigidBallBeginsToRoll) {
  Assembly assembly;
  Rigid ball = rigid_ball(0.05, {0, 0, 0.2});
  ball.initial.velocity = {0.7, 0, -2};
  add(assembly, ball, "ball");
  ContactPlane floor;
  floor.normal = {0, 0, 1};
  floor.impact = hitting(0, 0.8, 1);
  floor.impact->radius.reset();
  add(assembly, floor, "floor");
  Collision c(assembly);
  const double start = energy(*c.model, c.state).total;
  auto integrator = stepping("kind = 'rattle'", 0.02, *c.model);
  const auto report = integrator->advance(*c.model, c.state, 0.2);
  ASSERT_TRUE(report.converged) << report.message;
  const Momenta after = momenta(*c.model, c.state.q, c.state.p);
  const double mass = c.model->bodies()[0].mass;
  EXPECT_NEAR(after.linear[0] / mass, 0.7 * 5 / 7, 1e-10);
  EXPECT_NEAR(after.linear[2] / mass, 1.6, 1e-10);
  double lost = 0;
  for (const double out : integrator->ledger().energy_out) lost += out;
  EXPECT_NEAR(energy(*c.model, c.state).total + lost, start, 1e-10 * start);
}

// A rigid box that tumbles on a floor: corners hit, constraints hold, energy without trend.
TEST(Impacts, ABoxTumbles) {
  Assembly assembly;
  Rigid box = rigid_from_shape(moved(box_shape({0.2, 0.12, 0.08}), {0.3, 0.5, 0.2}, {0, 0, 0.3}), 1000);
  box.initial.velocity = {0.5, 0.2, 0};
  box.initial.angular_velocity = {3, 5, 2};
  add(assembly, box, "box");
  add(assembly, Gravity{.acceleration = {0, 0, -9.81}}, "gravity");
  ContactPlane floor;
  floor.normal = {0, 0, 1};
  floor.impact = ImpactRule{};
  add(assembly, floor, "floor");
  Collision c(assembly);
  auto integrator = stepping("kind = 'rattle'", 1e-3, *c.model);
  const double start = energy(*c.model, c.state).total;
  const Momenta before = momenta(*c.model, c.state.q, c.state.p);
  double largest = 0, violated = 0;
  std::vector<double> g(static_cast<std::size_t>(c.model->constraint_count()));
  const auto report = integrator->advance(*c.model, c.state, 2, [&](const State& state, const StepReport&) {
    largest = std::max(largest, std::abs(energy(*c.model, state).total / start - 1));
    c.model->constraint_values(state.t, state.q, g);
    for (const double value : g) violated = std::max(violated, std::abs(value));
    return true;
  });
  ASSERT_TRUE(report.converged) << report.message;
  EXPECT_GE(impacts_of(*integrator), 5);
  EXPECT_LE(largest, 2e-4);
  EXPECT_LE(violated, 1e-14);
  const Momenta after = momenta(*c.model, c.state.q, c.state.p);
  EXPECT_NEAR(after.linear[0], before.linear[0], 1e-10);
  const Ledger& ledger = integrator->ledger();
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(after.linear[k], before.linear[k] + ledger.linear_impulse[k], 1e-10);
    EXPECT_NEAR(after.angular[k], before.angular[k] + ledger.angular_impulse[k], 1e-10);
  }
}

// Five pendulums in a row that touch: particles on rods.
Assembly cradle(double gap) {
  Assembly assembly;
  const double r = 0.02, L = 0.2;
  for (int k = 0; k < 5; ++k) {
    const double x = k * (2 * r + gap), angle = k == 0 ? 0.5 : 0;
    Rigid ball = rigid_ball(r, {x - L * std::sin(angle), 0, -L * std::cos(angle)});
    add(assembly, ball, "b" + std::to_string(k + 1));
    Revolute hinge;
    hinge.bodies = {"ground", "b" + std::to_string(k + 1)};
    hinge.point = {x, 0, 0};
    hinge.axis = {0, 1, 0};
    add(assembly, hinge, "h" + std::to_string(k + 1));
  }
  add(assembly, Gravity{.acceleration = {0, 0, -9.81}}, "gravity");
  ContactBodies balls;
  balls.impact = ImpactRule{};
  add(assembly, balls, "balls");
  return assembly;
}

TEST(Impacts, TheLastBallOfACradleLeaves) {
  for (const double gap : {0.0, 1e-4}) {
    Collision c(cradle(gap));
    auto integrator = stepping("kind = 'rattle'", 5e-4, *c.model);
    double first = 0, last = 0, others = 1;
    const auto report = integrator->advance(*c.model, c.state, 0.45, [&](const State& state, const StepReport&) {
      std::array<double, 5> v{};
      for (int k = 0; k < 5; ++k)
        for (int a = 0; a < 4; ++a) v[k] += 0.25 * state.v[12 * k + 3 * a];
      if (last < 0.1) first = std::max(first, v[0]);
      if (v[4] > last) {
        last = v[4];
        others = std::max({std::abs(v[0]), std::abs(v[1]), std::abs(v[2]), std::abs(v[3])});
      }
      return true;
    });
    ASSERT_TRUE(report.converged) << report.message;
    EXPECT_GT(first, 0.6);
    EXPECT_GE(last, 0.999 * first) << gap;
    EXPECT_LE(others, (gap == 0 ? 1e-3 : 5e-2) * first) << gap;
    EXPECT_GE(impacts_of(*integrator), 4);
  }
}

// Swings without end: particles on rods in the plane. LIVENS_LONG: a thousand of them.
TEST(Impacts, ACradleGainsNoEnergy) {
  const int swings = std::getenv("LIVENS_LONG") != nullptr ? 1000 : 60;
  const double r = 0.02, L = 0.2, period = 2 * M_PI * std::sqrt(L / 9.81), h = period / 150;
  Assembly assembly;
  for (int k = 0; k < 5; ++k) {
    const double x = 2 * r * k, angle = k == 0 ? 0.4 : 0;
    const std::string name = "b" + std::to_string(k + 1);
    Particles ball;
    ball.layout.dimension = 2;
    ball.layout.positions = {x - L * std::sin(angle), -L * std::cos(angle)};
    ball.mass = {1.0};
    add(assembly, ball, name);
    add(assembly,
        Distance{.bodies = {"ground", name}, .ends = {{{x, 0, 0}, {x - L * std::sin(angle), -L * std::cos(angle), 0}}}},
        "rod" + std::to_string(k + 1));
  }
  add(assembly, Gravity{.acceleration = {0, -9.81, 0}}, "gravity");
  ContactBodies balls;
  balls.impact = hitting(r);
  add(assembly, balls, "balls");
  Collision c(assembly);
  auto integrator = stepping("kind = 'rattle'", h, *c.model);
  const double start = energy(*c.model, c.state).total, moved = 9.81 * L * (1 - std::cos(0.4));
  double first = -1, last = -1, least = 1;
  const double end = swings * period;
  const auto report = integrator->advance(*c.model, c.state, end, [&](const State& state, const StepReport&) {
    const double error = (energy(*c.model, state).total - start) / moved;
    if (state.t < 0.1 * end) first = std::max(first, error);
    if (state.t > 0.9 * end) last = std::max(last, error);
    least = std::min(least, error);
    return true;
  });
  ASSERT_TRUE(report.converged) << report.message;
  EXPECT_GT(impacts_of(*integrator), 7 * swings);
  EXPECT_LT(last, first + 1e-6) << "band from " << least << " to " << first;
  table_row("impacts", "cradle", {{"swings", swings}, {"first", first}, {"last", last}, {"least", least}});
}

// What comes to rest has no end of hits: a failure that says what to do.
TEST(Impacts, RestIsAFailureThatSaysWhatToDo) {
  Assembly assembly;
  Particles ball;
  ball.layout.dimension = 2;
  ball.layout.positions = {0, 0.06};
  ball.mass = {1.0};
  add(assembly, ball, "ball");
  add(assembly, Gravity{.acceleration = {0, -9.81, 0}}, "gravity");
  ContactPlane floor;
  floor.normal = {0, 1, 0};
  floor.impact = hitting(0.05, 0.5);
  add(assembly, floor, "floor");
  Collision c(assembly);
  auto integrator = stepping("kind = 'stormer_verlet'", 0.01, *c.model);
  const auto report = integrator->advance(*c.model, c.state, 2);
  EXPECT_FALSE(report.converged);
  EXPECT_NE(report.message.find("come to rest"), std::string::npos) << report.message;
  ASSERT_FALSE(report.advice.empty());
  EXPECT_EQ(report.advice[0].value, "barrier");
  EXPECT_TRUE(std::isfinite(c.state.q[1]) && c.state.q[1] >= 0.05 - 1e-12);
  EXPECT_GT(c.state.t, 0.1);
}

TEST(Impacts, RefusalsSayWhy) {
  const auto says = [](const auto& act) -> std::string {
    try {
      act();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  const Assembly room = round_room();
  const Model model = room.model();
  for (const char* keys :
       {"kind = 'implicit_midpoint'", "kind = 'energy_momentum'", "kind = 'rk4'", "kind = 'newmark'"})
    EXPECT_NE(says([&] { stepping(keys, 1e-3, model); }).find("stormer_verlet"), std::string::npos) << keys;
  EXPECT_EQ(says([&] { stepping("kind = 'rattle'", 1e-3, model); }), "");
  Assembly boxes;
  add(boxes, rigid_from_shape(box_shape({0.1, 0.1, 0.1}), 1000), "a");
  add(boxes, rigid_from_shape(moved(box_shape({0.1, 0.1, 0.1}), {}, {0.3, 0, 0}), 1000), "b");
  ContactBodies all;
  all.impact = ImpactRule{};
  EXPECT_NE(says([&] { add(boxes, all, "all"); }).find("not a ball"), std::string::npos);
  Assembly overlap;
  Particles two;
  two.layout.dimension = 2;
  two.layout.positions = {0, 0, 0.05, 0};
  two.mass = {1.0};
  add(overlap, two, "two");
  all.impact->radius = 0.05;
  EXPECT_NE(says([&] { add(overlap, all, "all"); }).find("overlap"), std::string::npos);
  all.impact->restitution = 1.5;
  EXPECT_NE(says([&] { add(overlap, all, "all"); }).find("0 to 1"), std::string::npos);
}

// What many hits do to the energy: a band with constant forces, a walk where the potential is curved (ImpactEnergy).
TEST(Impacts, ClaimsOfTheEnergyAreThoseOfItsForces) {
  const auto claimed = [](const std::string& forces, const std::string& more = "") {
    return make_setup(
               parse_scene("time = { end = 1 }\nintegrator = { kind = 'stormer_verlet', step = 0.01 }\nforce = [" +
                               forces +
                               "]\n[[body]]\nname = 'balls'\nkind = 'particles'\nmass = 1\n"
                               "layout = { kind = 'points', points = [[0, 0.1, 0.3], [0, 0.5, 0.4]] }\n"
                               "[[contact]]\nname = 'floor'\nkind = 'plane'\nrule = 'impact'\nradius = 0.05\n"
                               "point = [0, 0, 0]\nnormal = [0, 0, 1]\n" +
                               more,
                           "claims"))
        .plan.claims;
  };
  const std::string gravity = "{ kind = 'gravity', acceleration = [0, 0, -9.81] }";
  const std::string attraction = "{ kind = 'pairwise_gravity', constant = 1, softening = 0.3 }";
  EXPECT_EQ(claimed("").energy, EnergyClaim::bounded);
  EXPECT_EQ(claimed(gravity).energy, EnergyClaim::bounded);
  EXPECT_EQ(claimed(gravity, "restitution = 0.9\nfriction = 0.2\n").energy, EnergyClaim::bounded);
  EXPECT_EQ(claimed(gravity + ", " + attraction).energy, EnergyClaim::drifting);
  EXPECT_NE(claimed(attraction).note.find("walks at random"), std::string::npos);
  EXPECT_EQ(claimed(gravity).linear_momentum, Keeps::exact);
  EXPECT_EQ(claimed(gravity).symplectic, Symplectic::no);
}

}  // namespace
}  // namespace livens
