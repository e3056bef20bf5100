// Friction of contact: creep, sliding and braking by their formulas, momenta and ledger of bodies in free flight.
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "contact/contact_set.hpp"
#include "contact/friction.hpp"
#include "contact/shapes.hpp"
#include "support/table_file.hpp"

namespace livens {
namespace {

std::unique_ptr<Integrator> energy_momentum(double h, const Model& model) {
  char text[64];
  std::snprintf(text, sizeof text, "kind = 'energy_momentum', step = %.17g", h);
  return make_integrator(text, model);
}

constexpr double g = 9.81, mu = 0.5, stick = 1e-3, range = 1e-3, radius = 0.01, pressure = 1e5;

// The gap at which the barrier carries a weight: k b'(u) 2 y / range = -N.
double resting_gap(double N) {
  const double k = 2.0 / 27 * M_PI * radius * radius * pressure * range;
  double low = 0, high = 1;
  for (int i = 0; i < 200; ++i) {
    const double y = 0.5 * (low + high), u = y * y;
    (k * (1 - u) * (1 - u) * (1 + 2 * u) / (u * u) * 2 * y / range > N ? low : high) = y;
  }
  return range * low;
}

// A particle of 1 kg that rests on a slope of the angle a (the slope is level, and gravity is turned).
struct Slider {
  Slider(double a, double speed) {
    Assembly assembly;
    Particles block;
    block.layout.dimension = 2;
    block.layout.positions = {0, radius + resting_gap(g * std::cos(a))};
    block.mass = {1.0};
    block.initial.velocity = [speed](const Vec3&) { return Vec3{speed, 0, 0}; };
    add(assembly, block, "block");
    add(assembly, Gravity{.acceleration = {g * std::sin(a), -g * std::cos(a), 0}}, "gravity");
    ContactPlane slope;
    slope.normal = {0, 1, 0};
    slope.barrier = BarrierRule{range, pressure, radius, mu, stick};
    add(assembly, slope, "slope");
    model = std::make_unique<Model>(assembly.model());
    state = assembly.start(*model);
  }
  std::unique_ptr<Model> model;
  State state;
};

std::string at(const std::string& what, double part, double h) {
  return what + ", part " + std::to_string(part) + ", step " + std::to_string(h) + " s";
}

// Below the threshold it creeps with stick (1 - sqrt(1 - tan a / mu)), whatever the step is.
TEST(ContactFriction, CreepsByTheLaw) {
  for (const double part : {0.5, 0.9, 0.99})
    for (const double h : {2e-3, 2e-2}) {
      Slider slider(std::atan(part * mu), 0);
      energy_momentum(h, *slider.model)->advance(*slider.model, slider.state, 0.4);
      const double creep = slider.state.v[0] / stick, law = 1 - std::sqrt(1 - part);
      table_number("contact", at("block on a slope", part, h), "creep - law, of the stick speed", creep - law);
      EXPECT_NEAR(creep, law, 2e-3) << part << " " << h;
    }
}

// Above it slides with g (sin a - mu cos a).
TEST(ContactFriction, SlidesByTheLaw) {
  for (const double part : {1.1, 2.0})
    for (const double h : {2e-3, 1e-2, 2e-2}) {
      const double a = std::atan(part * mu), expected = g * (std::sin(a) - mu * std::cos(a));
      Slider slider(a, 0.01);
      auto integrator = energy_momentum(h, *slider.model);
      const double before = energy(*slider.model, slider.state).total;
      integrator->advance(*slider.model, slider.state, 1.0);
      const double ratio = (slider.state.v[0] - 0.01) / slider.state.t / expected;
      table_number("contact", at("block on a slope", part, h), "acceleration over the law - 1", ratio - 1);
      EXPECT_NEAR(ratio, 1, 3e-4) << part << " " << h;
      const double lost = before - energy(*slider.model, slider.state).total;
      EXPECT_NEAR(integrator->ledger().energy_out[0], lost, 1e-10 * lost);
      EXPECT_GT(lost, 0.1);
    }
}

// v^2 / (2 mu g) from 1 m/s on level ground.
TEST(ContactFriction, BrakingDistance) {
  for (const double h : {2e-3, 5e-3, 1e-2, 2e-2}) {
    Slider slider(0, 1);
    auto integrator = energy_momentum(h, *slider.model);
    integrator->advance(*slider.model, slider.state, 0.5);
    table_number("contact", at("block that brakes", 0, h), "distance over the law - 1",
                 slider.state.q[0] * 2 * mu * g - 1);
    EXPECT_NEAR(slider.state.q[0] * 2 * mu * g, 1, 5e-3) << h;
    EXPECT_LT(std::abs(slider.state.v[0]), 0.1 * stick);
    EXPECT_NEAR(integrator->ledger().energy_out[0], 0.5, 1e-4);
  }
}

// A particle that slides up a slope, turns round within a step and slides down: friction never gives energy back, and
// below the threshold it stays where it turns.
TEST(ContactFriction, TakesEnergyWhereSlidingTurnsRound) {
  for (const double part : {0.5, 1.5, 4.0})
    for (const double h : {2e-3, 1e-2, 2e-2})
      for (const double speed : {0.013, 0.1, 0.31}) {
        const double a = std::atan(part * mu);
        Slider slider(a, -speed);
        auto integrator = energy_momentum(h, *slider.model);
        double before = 0, least = 1;
        integrator->advance(*slider.model, slider.state, 0.3, [&](const State&, const StepReport&) {
          const double taken = integrator->ledger().energy_out[0];
          least = std::min(least, taken - before);
          before = taken;
          return true;
        });
        EXPECT_GE(least, -1e-14) << part << " " << h << " " << speed;
        EXPECT_GT(before, 0.01 * speed * speed);
        if (part > 1)
          EXPECT_GT(slider.state.v[0], 0) << part << " " << h;
        else
          EXPECT_LT(std::abs(slider.state.v[0]), stick) << part << " " << h;
      }
}

// A particle that bounces while it slides loses mu times the impulse of the plane, whatever the step is: friction has
// the pressure of its own step. With that of the step before, the speed would depend on the step.
TEST(ContactFriction, ABounceTakesItsShareOfTheImpulse) {
  constexpr double V = 1, along = 2;
  for (const double ratio : {0.01, 0.3, 5.0, 100.0}) {
    const double h = ratio * range / V;
    Assembly assembly;
    Particles ball;
    ball.layout.dimension = 2;
    ball.layout.positions = {0, radius + range + 0.4 * h * V};
    ball.mass = {1.0};
    ball.initial.velocity = [](const Vec3&) { return Vec3{along, -V, 0}; };
    add(assembly, ball, "ball");
    ContactPlane floor;
    floor.normal = {0, 1, 0};
    floor.barrier = BarrierRule{range, pressure, radius, mu, stick};
    add(assembly, floor, "floor");
    const Model model = assembly.model();
    State state = assembly.start(model);
    auto integrator = energy_momentum(h, model);
    const StepReport report = integrator->advance(
        model, state, 1e9, [&](const State& at, const StepReport&) { return at.v[1] < 0 || at.q[1] < radius + range; });
    ASSERT_TRUE(report.converged) << report.message;
    EXPECT_NEAR(state.v[1], V, 1e-11) << ratio;
    EXPECT_NEAR(state.v[0], along - 2 * mu * V, 1e-11) << ratio;
    EXPECT_NEAR(integrator->ledger().energy_out[0], 0.5 * (along * along - state.v[0] * state.v[0]), 1e-11) << ratio;
  }
}

// Two blocks meet off their centres and rub: momenta are kept, and what friction took is in the ledger.
TEST(ContactFriction, KeepsMomentaOfBodiesInFlight) {
  Assembly assembly;
  add(assembly, neo_hookean({.young = 1e5, .poisson = 0.3, .density = 1000}), "rubber");
  const auto block = [&](double x, double y, const Vec3& velocity, int cells, const char* name) {
    Solid solid;
    solid.mesh = rectangle_mesh({.size = {0.1, 0.1}, .corner = {x, y}, .cells = {cells, cells}});
    solid.material = "rubber";
    solid.initial.velocity = [velocity](const Vec3&) { return velocity; };
    add(assembly, solid, name);
  };
  block(0, 0, {1, 0.5, 0}, 4, "left");
  block(0.105, 0.023, {-1, -0.5, 0}, 3, "right");
  ContactBodies contact;
  contact.barrier.friction = 0.5;
  contact.barrier.stick_speed = 1e-2;
  add(assembly, contact, "contact");
  for (const double h : {5e-4, 2e-3}) {
    const Model model = assembly.model();
    State state = assembly.start(model);
    const Momenta before = momenta(model, state.q, state.p);
    const double start = energy(model, state).total;
    auto integrator = energy_momentum(h, model);
    const StepReport report = integrator->advance(model, state, 0.05);
    ASSERT_TRUE(report.converged) << report.message;
    const Momenta after = momenta(model, state.q, state.p);
    const double lost = integrator->ledger().energy_out[0];
    const std::string what = at("bodies in flight with friction", 0.5, h);
    table_number("contact", what, "angular momentum (N m s)", std::abs(after.angular[2] - before.angular[2]));
    table_number("contact", what, "energy and what friction took",
                 std::abs((energy(model, state).total + lost) / start - 1));
    EXPECT_NEAR(after.linear[0], before.linear[0], 1e-12);
    EXPECT_NEAR(after.linear[1], before.linear[1], 1e-12);
    EXPECT_NEAR(after.angular[2], before.angular[2], 1e-12);
    EXPECT_NEAR(energy(model, state).total + lost, start, 1e-10 * start);
    EXPECT_GT(lost, 0.005 * start);
  }
}

// The derivative by velocities, the spin left as it is, against differences.
TEST(ContactFriction, ResistanceMatchesDifferences) {
  std::mt19937_64 engine(4);
  const auto point = [&](double size) {
    return Point3{testing::random_number(engine, size), testing::random_number(engine, size),
                  testing::random_number(engine, size)};
  };
  for (int k = 0; k < 50; ++k) {
    Point3 x0[3], x1[3], v[3];
    for (int i = 0; i < 3; ++i) x0[i] = point(1), x1[i] = x0[i] + point(0.1), v[i] = point(k % 2 == 0 ? 0.1 : 2);
    Contact contact;
    contact.count = 3;
    contact.point = {0, 1, 2};
    contact.c = contact.c1 = {1, -0.3, -0.7};
    contact.mean = point(1);
    contact.force = -2;
    contact.body = 0;
    take_normal_force(contact);
    const FrictionLaw law{0.3, 0.5};
    std::vector<Point3> turning(4), velocities(4), moments(1);
    for (std::size_t i = 0; i < 4; ++i) turning[i] = point(1), velocities[i] = point(1);
    std::vector<BodySpin> spin(1);
    spin[0].begin(turning, velocities, 3);
    Rubbing here, there;
    ASSERT_TRUE(here.begin(contact, law, spin, x0, x1, v));
    Point3 before[3], after[3];
    here.add_forces(before, moments);
    constexpr double step = 1e-7;
    v[1].y += step;
    ASSERT_TRUE(there.begin(contact, law, spin, x0, x1, v));
    there.add_forces(after, moments);
    const Matrix3 block = here.resistance(0, 1);
    EXPECT_NEAR(-(after[0].x - before[0].x) / step, block[1], 1e-5);
    EXPECT_NEAR(-(after[0].y - before[0].y) / step, block[4], 1e-5);
  }
}

// Where the mean velocity is another than that at the end: the power is never positive, and the derivative is that of
// the forces. With the velocity at the end alone energy would be given back in some of the cases: negative control.
TEST(ContactFriction, TakesEnergyByTheMeanVelocity) {
  std::mt19937_64 engine(7);
  const auto point = [&](double size) {
    return Point3{testing::random_number(engine, size), testing::random_number(engine, size),
                  testing::random_number(engine, size)};
  };
  int given_back = 0, partly = 0;
  for (int k = 0; k < 400; ++k) {
    const Point3 x0[2] = {point(1), point(1)}, x1[2] = {point(1), point(1)};
    Point3 v[2] = {point(1), point(1)}, v0[2] = {point(1), point(1)}, mean[2];
    Contact contact;
    contact.count = 2;
    contact.point = {0, 1};
    contact.c = contact.c1 = {1, -1};
    contact.mean = point(1);
    contact.force = -2;
    take_normal_force(contact);
    const FrictionLaw law{0.3, 0.8};
    std::vector<Point3> moments(1);
    const auto forces = [&](Rubbing& rubbing, Point3* on) {
      for (int i = 0; i < 2; ++i) mean[i] = 0.5 * (v0[i] + v[i]);
      EXPECT_TRUE(rubbing.begin(contact, law, {}, x0, x1, v, mean, {}));
      rubbing.add_forces(on, moments);
    };
    Rubbing at_end, here, there;
    Point3 plain[2], before[2], after[2];
    ASSERT_TRUE(at_end.begin(contact, law, {}, x0, x1, v));
    at_end.add_forces(plain, moments);
    forces(here, before);
    EXPECT_LE(dot(before[0], mean[0]) + dot(before[1], mean[1]), 0);
    if (dot(plain[0], mean[0]) + dot(plain[1], mean[1]) > 0) ++given_back;
    const bool differs = length(plain[0] - before[0]) > 0.01 * length(plain[0]);
    if (differs && length(before[0]) > 0) ++partly;
    constexpr double step = 1e-7;
    v[1].y += step;
    forces(there, after);
    const Matrix3 block = here.resistance(0, 1), turning = here.by_turning(0, 1);
    const Point3 change = (-1 / step) * (after[0] - before[0]);
    EXPECT_NEAR(change.x, block[1] + turning[1], 1e-5);
    EXPECT_NEAR(change.y, block[4] + turning[4], 1e-5);
    EXPECT_NEAR(change.z, block[7] + turning[7], 1e-5);
  }
  EXPECT_GT(given_back, 20);
  EXPECT_GT(partly, 20);
}

// A ball on a plane, by the velocities of the points that show how it turns, against differences.
TEST(ContactFriction, ResistanceOfABallMatchesDifferences) {
  std::mt19937_64 engine(6);
  const auto point = [&](double size) {
    return Point3{testing::random_number(engine, size), testing::random_number(engine, size),
                  testing::random_number(engine, size)};
  };
  for (int k = 0; k < 50; ++k) {
    const Point3 x0[1] = {point(1)}, x1[1] = {point(1)}, v[1] = {point(k % 2 == 0 ? 0.1 : 2)};
    std::vector<Point3> x(4), w(4);
    for (std::size_t i = 0; i < 4; ++i) x[i] = point(1), w[i] = point(1);
    Contact contact;
    contact.count = 1;
    contact.c = contact.c1 = {1};
    contact.mean = point(1);
    contact.force = -2;
    contact.own = 0;
    contact.own_arm = 0.3;
    take_normal_force(contact);
    const FrictionLaw law{0.3, 0.5};
    const auto forces = [&](Rubbing& rubbing) {
      std::vector<BodySpin> spin(1);
      spin[0].begin(x, w, 3);
      EXPECT_TRUE(rubbing.begin(contact, law, spin, x0, x1, v));
      rubbing.add_carriers(0, 1, x, spin);
      std::vector<Point3> on(5), moments(1);
      rubbing.add_forces(on.data(), moments);
      spin[0].take_moment(moments[0], x, std::span(on).subspan(1));
      return on;
    };
    Rubbing here, there;
    const std::vector<Point3> before = forces(here);
    constexpr double step = 1e-7;
    w[2].y += step;
    const std::vector<Point3> after = forces(there);
    ASSERT_EQ(here.places(), 5);
    for (const int row : {0, 1, 4}) {
      const Matrix3 block = here.resistance(row, 3);
      const Point3 change = (-1 / step) * (after[row] - before[row]);
      EXPECT_NEAR(change.x, block[1], 1e-5);
      EXPECT_NEAR(change.y, block[4], 1e-5);
      EXPECT_NEAR(change.z, block[7], 1e-5);
    }
  }
}

// A square shoved along another: friction has neither force nor moment about the middle of the step. Without the spin
// of what is touched the gap would be an arm: negative control.
TEST(ContactFriction, HasNoMomentBecauseOfTheSpin) {
  ContactSurface surface(2);
  testing::add_shape(surface, 1, {});
  testing::add_shape(surface, 1, {0.3, 1.2, 0});
  const std::vector<double> q0 = testing::coordinates(surface);
  std::vector<BarrierPair> pairs(4);
  pairs[1] = pairs[2] = {true, 0.4, 5};
  const ContactBarrier barrier(std::move(surface), pairs, {}, FrictionLaw{0.5, 0.01});
  std::vector<double> q1 = q0, v1(q0.size()), way(q0.size()), force(q0.size(), 0.0);
  for (std::size_t a = 0; a < q0.size() / 2; ++a) {
    const double rate = a < 4 ? 0.3 : -0.2;
    v1[2 * a] = (a < 4 ? 0 : 1) - rate * q0[2 * a + 1];
    v1[2 * a + 1] = rate * q0[2 * a];
    for (std::size_t c = 2 * a; c < 2 * a + 2; ++c) q1[c] += way[c] = 0.05 * v1[c];
  }
  ContactSet set(barrier);
  set.begin(q0, way, 0.01);
  set.end_at(q1);
  set.add_friction(v1, v1, 1, force);
  std::vector<Point3> x0, x1, v;
  barrier.surface().positions(q0, x0);
  barrier.surface().positions(q1, x1);
  barrier.surface().positions(v1, v);
  std::vector<Point3> without(x0.size()), moments(2);
  for (Contact contact : set.contacts()) {
    contact.body = -1;  // nothing to take a spin of
    Rubbing rubbing;
    if (rubbing.begin(contact, barrier.friction(), {}, x0.data(), x1.data(), v.data()))
      rubbing.add_forces(without.data(), moments);
  }
  double sum[2] = {0, 0}, size = 0;
  Point3 moment, moment_without;
  for (std::size_t a = 0; a < x0.size(); ++a) {
    const Point3 middle = 0.5 * (x0[a] + x1[a]), f{force[2 * a], force[2 * a + 1], 0};
    sum[0] += f.x;
    sum[1] += f.y;
    size += length(f);
    moment += cross(middle, f);
    moment_without += cross(middle, without[a]);
  }
  ASSERT_GT(size, 0.01);
  EXPECT_LE(std::hypot(sum[0], sum[1]), 1e-15 * size);
  EXPECT_LE(length(moment), 1e-14 * size);
  EXPECT_GT(length(moment_without), 0.05 * size) << "half of it is at a gap of 0.2";
}

// Points that turn as one have that spin; the forces of a moment have it and no sum.
TEST(ContactFriction, SpinAndMomentOfABody) {
  std::mt19937_64 engine(5);
  for (const int dimension : {2, 3}) {
    const auto point = [&] {
      return Point3{testing::random_number(engine, 1), testing::random_number(engine, 1),
                    dimension == 3 ? testing::random_number(engine, 1) : 0};
    };
    const Point3 turn = dimension == 3 ? point() : Point3{0, 0, 0.7}, moved = point();
    std::vector<Point3> x(7), v(7), forces(7);
    for (std::size_t i = 0; i < 7; ++i) x[i] = point(), v[i] = moved + cross(turn, x[i]);
    BodySpin spin;
    spin.begin(x, v, dimension);
    EXPECT_LE(length(spin.rate() - turn), 1e-13);
    spin.take_moment(turn, x, forces);
    Point3 sum, moment;
    for (std::size_t i = 0; i < 7; ++i) sum += forces[i], moment += cross(x[i], forces[i]);
    EXPECT_LE(length(sum), 1e-14);
    EXPECT_LE(length(moment + turn), 1e-13);
  }
}

}  // namespace
}  // namespace livens
