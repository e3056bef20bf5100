// Contact in layers with stormer_verlet and asynchronous: nothing passes at any speed, energy stays in a band, momenta
// are exact, friction does what it should.
#include <cmath>
#include <cstdlib>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "contact/layer_law.hpp"
#include "integrators/explicit_contact.hpp"
#include "support/table_file.hpp"

namespace livens {
namespace {

using testing::ExplicitCourse, testing::ExplicitImpact, testing::play;

constexpr double range = 1e-3, radius = 0.01, pressure = 1e6, mass = 1;
const double weight = M_PI * radius * radius;
// Of the first layer; a step of 0.2 / omega is the clock of that layer itself.
const double omega = std::sqrt(LayerLaw::make(weight, pressure, range, 0).stiffness / mass);
const double own_step = 0.2 / omega;

// A particle between planes at y = 0 and, if high > 0, at y = high: gaps are measured from its surface.
Assembly particle(double gap, double speed, double high, double friction = 0) {
  Assembly assembly;
  Particles ball;
  ball.layout.dimension = 2;
  ball.layout.positions = {0.3, radius + gap};
  ball.mass = {mass};
  ball.initial.velocity = [speed](const Vec3&) { return Vec3{0.5, -speed, 0}; };
  add(assembly, ball, "ball");
  ContactPlane floor;
  floor.normal = {0, 1, 0};
  floor.barrier = BarrierRule{range, pressure, radius, friction};
  add(assembly, floor, "floor");
  if (high > 0) {
    floor.normal = {0, -1, 0};
    floor.point = {0, 2 * radius + high, 0};
    add(assembly, floor, "ceiling");
  }
  return assembly;
}

std::string keys(const char* kind, double h) {
  char text[96];
  std::snprintf(text, sizeof text, "kind = '%s', %s = %.17g", kind,
                std::string(kind) == "asynchronous" ? "longest_step" : "step", h);
  return text;
}

// However many ranges the particle flies in a step of the first layer.
TEST(ContactLayers, NothingPassesAtAnySpeed) {
  for (const char* kind : {"stormer_verlet", "asynchronous"})
    for (const double ratio : {0.01, 0.1, 1.0, 4.0, 16.0}) {
      const double speed = ratio * range / own_step;
      double least = 1e9, most = 0, gap = 1e9;
      for (int phase = 0; phase < 16; ++phase) {
        ExplicitImpact impact(particle(range + (0.01 + phase / 16.0) * ratio * range, speed, 0));
        auto integrator = make_integrator(keys(kind, own_step), *impact.model);
        bool back = false;
        const auto report =
            integrator->advance(*impact.model, impact.state, 1e9, [&](const State& state, const StepReport&) {
              gap = std::min(gap, state.q[1] - radius);
              back = state.v[1] > 0 && state.q[1] > radius + 1.01 * range;
              return !back && state.q[1] > 0;
            });
        ASSERT_TRUE(report.converged) << report.message;
        ASSERT_TRUE(back) << kind << " " << ratio << " " << phase;
        least = std::min(least, impact.state.v[1] / speed);
        most = std::max(most, impact.state.v[1] / speed);
      }
      EXPECT_GT(gap, 0);
      const std::string what =
          std::string("particle on a plane in layers, ") + kind + ", " + std::to_string(ratio) + " distances a step";
      table_number("contact", what, "rebound, least", least);
      table_number("contact", what, "rebound, most", most);
      if (ratio > 0.2) continue;
      EXPECT_NEAR(least, 1, 2e-3) << kind << " " << ratio;
      EXPECT_NEAR(most, 1, 2e-3) << kind << " " << ratio;
    }
}

// Between two planes with the energy w kappa range: a band without trend. In flight it is what bounces have left; while
// it touches there is the error of an explicit method at h omega = 0.2, of (h omega)^2 / 8, which goes away again.
TEST(ContactLayers, EnergyOfThousandsOfBounces) {
  const int bounces = std::getenv("LIVENS_LONG") != nullptr ? 10000 : 3000;
  const double speed = std::sqrt(2 * weight * pressure * range / mass), high = 4 * range;
  for (const char* kind : {"stormer_verlet", "asynchronous"}) {
    ExplicitImpact impact(particle(1.7 * range, speed, high));
    auto integrator = make_integrator(keys(kind, own_step), *impact.model);
    const double start = energy(*impact.model, impact.state).total, first = bounces / 10.0;
    double low = 0, high_energy = 0, early = 0, pressed = 0, gap = 1e9;
    int count = 0;
    double last = impact.state.v[1];
    while (count < bounces) {
      ASSERT_TRUE(integrator->advance(*impact.model, impact.state, impact.state.t + 13.3 * own_step).converged);
      const double change = energy(*impact.model, impact.state).total / start - 1;
      const double y = impact.state.q[1] - radius;
      const bool flies = y > range && high - y > range;
      pressed = std::max(pressed, std::abs(change));
      if (flies) low = std::min(low, change), high_energy = std::max(high_energy, change);
      if (flies && count < first) early = std::max(early, std::abs(change));
      count += last * impact.state.v[1] < 0 ? 1 : 0;
      last = impact.state.v[1];
      gap = std::min({gap, impact.state.q[1] - radius, high + radius - impact.state.q[1]});
    }
    EXPECT_GT(gap, 0.1 * range);
    EXPECT_GT(low, -2e-4) << kind;
    EXPECT_LT(high_energy, 2e-4) << kind;
    EXPECT_LT(std::max(-low, high_energy), 2 * early + 1e-6) << "no trend";
    EXPECT_LT(pressed, 6e-3);
    EXPECT_GT(pressed, 10 * std::max(-low, high_energy)) << "it does touch";
    const std::string what = std::to_string(bounces) + " bounces of a particle in layers, " + kind;
    table_number("contact", what, "energy in flight, least change", low);
    table_number("contact", what, "energy in flight, largest change", high_energy);
    table_number("contact", what, "energy while it touches, largest change", pressed);
    table_number("contact", what, "largest change in the first tenth", early);
  }
}

// Two solids that meet, in the plane and in space: faces, a corner on a face, crossed edges.
TEST(ContactLayers, TwoSolidsDoNotCrossAndKeepTheirMomenta) {
  const auto bodies = [](int kind) {
    return kind < 3 ? testing::two_cubes(kind, 1, 2) : testing::two_blocks(0.023, 1.0);
  };
  const char* names[4] = {"faces", "corner", "edges", "blocks"};
  for (const char* method :
       {"kind = 'stormer_verlet', step = 1e-4", "kind = 'asynchronous'", "kind = 'asynchronous', schedule = 'levels'"})
    for (int kind = 0; kind < 4; ++kind) {
      ExplicitImpact impact(bodies(kind));
      const ExplicitCourse course = play(impact, method, 0.03, 2.5e-4);
      const std::string what = std::string("two solids in layers, ") + names[kind] + ", " + method;
      ASSERT_TRUE(course.converged) << what << ": " << course.message;
      EXPECT_EQ(course.crossings, 0) << what;
      EXPECT_GT(course.touching, 5) << what;
      EXPECT_LE(course.linear, 1e-12) << what;
      EXPECT_LE(course.angular, 1e-12) << what;
      EXPECT_LE(course.energy, 0.02) << what;
      table_number("contact", what, "energy", course.energy);
      table_number("contact", what, "linear momentum (N s)", course.linear);
      table_number("contact", what, "angular momentum (N m s)", course.angular);
      table_number("contact", what, "smallest gap (m)", course.least_gap);
    }
}

// What elements do to a node that contact moves fast must be resolved: the energy by `courant`, on levels.
TEST(ContactLayers, EnergyByCourant) {
  const char* names[4] = {"faces", "corner", "edges", "blocks"};
  std::vector<double> all = {0.1};
  if (std::getenv("LIVENS_LONG") != nullptr) all = {0.05, 0.1, 0.2, 0.3, 0.5};
  for (const double courant : all)
    for (int kind = 0; kind < 4; ++kind) {
      ExplicitImpact impact(kind < 3 ? testing::two_cubes(kind, 1, 2) : testing::two_blocks(0.023, 1.0));
      const std::string method = "kind = 'asynchronous', schedule = 'levels', courant = " + std::to_string(courant);
      const ExplicitCourse course = play(impact, method, 0.06, 2.5e-4);
      ASSERT_TRUE(course.converged) << method << ": " << course.message;
      EXPECT_EQ(course.crossings, 0) << method;
      table_row("layers_courant", names[kind], {{"courant", courant}, {"energy", course.energy}});
      if (courant <= 0.1) {
        EXPECT_LE(course.energy, 0.02) << names[kind];
      }
    }
}

// An elastic block that bounces on a floor under gravity.
TEST(ContactLayers, AnElasticBodyBounces) {
  for (const char* method : {"kind = 'stormer_verlet', step = 1e-4", "kind = 'asynchronous'"}) {
    Assembly assembly = testing::with_rubber();
    Solid solid;
    solid.mesh = rectangle_mesh({.size = {0.1, 0.1}, .corner = {0, 0.02}, .cells = {4, 4}});
    solid.material = "rubber";
    add(assembly, solid, "block");
    add(assembly, Gravity{.acceleration = {0, -9.81, 0}}, "gravity");
    ContactPlane floor;
    floor.normal = {0, 1, 0};
    floor.barrier = BarrierRule{};
    add(assembly, floor, "floor");
    ExplicitImpact impact(assembly);
    const ExplicitCourse course = play(impact, method, 1.0, 1e-3);
    ASSERT_TRUE(course.converged) << course.message;
    EXPECT_EQ(course.crossings, 0);
    EXPECT_GT(course.touching, 50);
    EXPECT_LE(course.energy, 5e-3) << method;
    EXPECT_LE(course.linear, 1e-11) << "with the impulses of the floor";
    table_number("contact", std::string("elastic block that bounces in layers, 1 s, ") + method, "energy",
                 course.energy);
  }
}

// At which the layers carry a load.
double resting_gap(double load) {
  const LayerLaw law = LayerLaw::make(weight, pressure, range, 0);
  double low = 0, high = range;
  for (int i = 0; i < 100; ++i) (law.all(0.5 * (low + high)).push > load ? low : high) = 0.5 * (low + high);
  return low;
}

// A particle on a slope: mu times the normal impulse in slip; a stop in stick.
TEST(ContactLayers, FrictionSlidesByTheLawAndSticks) {
  constexpr double g = 9.81, mu = 0.5;
  for (const char* kind : {"stormer_verlet", "asynchronous"})
    for (const double part : {0.8, 1.1, 2.0}) {
      const double a = std::atan(part * mu);
      Assembly assembly = particle(resting_gap(mass * g * std::cos(a)), 0, 0, mu);
      assembly.v = {0, 0};
      add(assembly, Gravity{.acceleration = {g * std::sin(a), -g * std::cos(a), 0}}, "gravity");
      ExplicitImpact impact(assembly);
      auto integrator = make_integrator(keys(kind, own_step), *impact.model);
      const double before = energy(*impact.model, impact.state).total;
      ASSERT_TRUE(integrator->advance(*impact.model, impact.state, 1.0).converged);
      const double expected = part < 1 ? 0 : g * (std::sin(a) - mu * std::cos(a));
      const double lost = integrator->ledger().energy_out[0];
      EXPECT_NEAR(impact.state.v[0], expected, part < 1 ? 2e-3 : 1e-3 * expected) << kind << " " << part;
      // What gravity gives at the instant of a tick is booked as taken from kinetic energy, though nothing has moved by
      // it: (m g sin a h)^2 / 2m in every step, of first order.
      const double booked = 0.5 * mass * std::pow(g * std::sin(a), 2) * own_step;
      EXPECT_NEAR(energy(*impact.model, impact.state).total + lost, before, 1.2 * booked + 1e-5) << kind << " " << part;
      if (part > 1) {
        EXPECT_GT(lost, 0.1);
      }
      const std::string what =
          std::string("particle on a slope in layers, ") + kind + ", tan a / mu " + std::to_string(part);
      table_number("contact", what, "speed after 1 s (m/s)", impact.state.v[0]);
      table_number("contact", what, "that of the law (m/s)", expected);
    }
}

// A wall that moves as given drives into a block, and a ball of which all is known; their work is in the ledger.
TEST(ContactLayers, MovingObstaclesDoWork) {
  for (const bool ball : {false, true})
    for (const char* method : {"kind = 'stormer_verlet', step = 5e-5", "kind = 'asynchronous', courant = 0.1"}) {
      Assembly assembly = testing::with_rubber();
      Solid solid;
      solid.mesh = box_mesh({.size = {0.1, 0.1, 0.1}, .corner = {0, 0, 0}, .cells = {2, 2, 2}});
      solid.material = "rubber";
      add(assembly, solid, "block");
      MovingObstacle wall;
      wall.shape = ball ? ball_shape(0.04) : box_shape({0.02, 0.3, 0.3});
      wall.pose = [ball](double t) {
        Pose pose;
        pose.position = {ball ? -0.05 + 0.5 * t : -0.02 + 0.5 * t, 0.04, 0.06};
        pose.velocity = {0.5, 0, 0};
        pose.rotation = {0, 0, ball ? 3 * t : 0};
        pose.rotation_rate = {0, 0, ball ? 3.0 : 0};
        return pose;
      };
      add(assembly, wall, "wall");
      ContactBodies contact;
      contact.barrier.friction = 0.3;
      add(assembly, contact, "push");
      ExplicitImpact impact(assembly);
      const ExplicitCourse course = play(impact, method, 0.1, 1e-3);
      const std::string what = std::string(ball ? "ball" : "wall") + " that drives into a block in layers, " + method;
      ASSERT_TRUE(course.converged) << course.message;
      EXPECT_EQ(course.crossings, 0) << what;
      EXPECT_LE(course.energy, 5e-3) << what;
      EXPECT_LE(course.linear, 1e-11) << what;
      EXPECT_LE(course.angular, 1e-11) << what;
      EXPECT_GT(course.work, 0.1) << what;
      table_number("contact", what, "energy less the work of the obstacle", course.energy);
      table_number("contact", what, "work of the obstacle (J)", course.work);
    }
}

// scenes/contact_mat.toml at a small size: the mat falls, the ball carries it, and nothing is inside the ball.
TEST(ContactLayers, AMatFallsOnABall) {
  Assembly assembly;
  add(assembly, neo_hookean({.young = 5e4, .poisson = 0.2, .density = 200}), "foam");
  Solid mat;
  mat.mesh = box_mesh({.size = {0.5, 0.5, 0.012}, .corner = {-0.25, -0.25, 0.134}, .cells = {8, 8, 1}});
  mat.material = "foam";
  add(assembly, mat, "mat");
  MovingObstacle ball;
  ball.shape = moved(ball_shape(0.13), {}, {0.02, 0.01, 0});
  add(assembly, ball, "ball");
  add(assembly, Gravity{.acceleration = {0, 0, -9.81}}, "gravity");
  ContactBodies contact;
  contact.barrier.friction = 0.3;
  add(assembly, contact, "drape");
  ExplicitImpact impact(assembly);
  const ExplicitCourse course = play(impact, "kind = 'asynchronous', schedule = 'levels'", 0.15, 5e-3);
  ASSERT_TRUE(course.converged) << course.message;
  EXPECT_EQ(course.crossings, 0);
  EXPECT_GT(course.touching, 5);
  EXPECT_GT(course.lost, 0);
  EXPECT_LE(course.energy, 0.02);
}

// Two blocks meet off their centres and rub.
TEST(ContactLayers, FrictionKeepsMomentaOfBodiesInFlight) {
  for (const char* method : {"kind = 'stormer_verlet', step = 5e-5", "kind = 'asynchronous', courant = 0.1"}) {
    ExplicitCourse courses[2];
    for (const bool rubs : {false, true}) {
      Assembly assembly = testing::with_rubber();
      const auto cube = [&](const Vec3& corner, const Vec3& velocity, const char* name) {
        Solid solid;
        solid.mesh = box_mesh({.size = {0.1, 0.1, 0.1}, .corner = corner, .cells = {2, 2, 2}});
        solid.material = "rubber";
        solid.initial.velocity = [velocity](const Vec3&) { return velocity; };
        add(assembly, solid, name);
      };
      cube({0, 0, 0}, {0.5, 0, 1}, "lower");
      cube({0.013, 0.027, 0.108}, {-0.5, 0, -1}, "upper");
      ContactBodies contact;
      contact.barrier.friction = rubs ? 0.5 : 0;
      add(assembly, contact, "contact");
      ExplicitImpact impact(assembly);
      const ExplicitCourse course = courses[rubs ? 1 : 0] = play(impact, method, 0.03, 5e-4);
      ASSERT_TRUE(course.converged) << course.message;
      EXPECT_EQ(course.crossings, 0);
      EXPECT_LE(course.linear, 1e-12) << method;
      EXPECT_LE(course.angular, 1e-12) << method;
      EXPECT_LE(course.energy, 5e-3) << method;
      const std::string what = std::string("cubes in flight in layers, ") + (rubs ? "friction 0.5, " : "") + method;
      table_number("contact", what, "angular momentum (N m s)", course.angular);
      table_number("contact", what, "energy and what friction took", course.energy);
      table_number("contact", what, "what friction took (J)", course.lost);
    }
    EXPECT_EQ(courses[0].lost, 0);
    EXPECT_GT(courses[1].lost, 0.05);
  }
}

}  // namespace
}  // namespace livens
