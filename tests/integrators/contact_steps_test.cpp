// Impacts with energy_momentum: rebounds, energy, momenta, and no intersection.
#include "integrators/contact_steps.hpp"

#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "contact/crossing.hpp"

namespace livens {
namespace {

std::unique_ptr<Integrator> energy_momentum(double h, const Model& model) {
  char text[64];
  std::snprintf(text, sizeof text, "kind = 'energy_momentum', step = %.17g", h);
  return make_integrator(text, model);
}

// A ball of 1 kg and 1 cm that flies towards a plane, from a height above its range.
struct Ball {
  Ball(double range, double height, double speed) {
    Assembly assembly;
    Particles ball;
    ball.layout.dimension = 2;
    ball.layout.positions = {0.3, 0.01 + height};
    ball.mass = {1.0};
    ball.initial.velocity = [speed](const Vec3&) { return Vec3{0.5, -speed, 0}; };
    add(assembly, ball, "ball");
    ContactPlane floor;
    floor.normal = {0, 1, 0};
    floor.barrier = BarrierRule{range, 1e6, 0.01};
    add(assembly, floor, "floor");
    model = std::make_unique<Model>(assembly.model());
    state = assembly.start(*model);
  }
  std::unique_ptr<Model> model;
  State state;
};

// Steps from 0.01 to 100 ranges long, 16 phases each: the ball comes back with its speed, and never touches.
TEST(ContactSteps, ReboundDoesNotDependOnTheStep) {
  constexpr double range = 1e-3, speed = 2;
  double worst = 0, worst_energy = 0, lowest = 1;
  for (const double ratio : {0.01, 0.1, 0.5, 1.0, 5.0, 20.0, 100.0})
    for (int phase = 0; phase < 16; ++phase) {
      const double h = ratio * range / speed, height = range + (0.01 + phase / 16.0) * speed * h;
      Ball ball(range, height, speed);
      const double before = energy(*ball.model, ball.state).total;
      auto integrator = energy_momentum(h, *ball.model);
      bool met = false;
      const auto report = integrator->advance(*ball.model, ball.state, 1e9, [&](const State& state, const StepReport&) {
        worst_energy = std::max(worst_energy, std::abs(energy(*ball.model, state).total / before - 1));
        lowest = std::min(lowest, state.q[1] - 0.01);
        met = met || state.v[1] > -0.999 * speed;
        return !(met && state.q[1] > 0.01 + 1.5 * range);
      });
      ASSERT_TRUE(report.converged) << report.message;
      worst = std::max(worst, std::abs(ball.state.v[1] / speed - 1));
      EXPECT_EQ(ball.state.v[0], 0.5);
    }
  EXPECT_LE(worst, 1e-11);
  EXPECT_LE(worst_energy, 1e-10);
  EXPECT_GT(lowest, 0);
  std::printf("rebound off by %.1e, energy %.1e, lowest gap %.3g of the range\n", worst, worst_energy, lowest / range);
}

// The deepest gap of a resolved impact, y = (u)^(1/2) with k b(u) = m V^2 / 2.
TEST(ContactSteps, TurningPointIsThatOfTheBarrier) {
  constexpr double range = 1e-3, speed = 2;
  Ball ball(range, 1.2 * range, speed);
  auto integrator = energy_momentum(2e-4 * range / speed, *ball.model);
  double lowest = 1;
  integrator->advance(*ball.model, ball.state, 1e9, [&](const State& state, const StepReport&) {
    lowest = std::min(lowest, state.q[1] - 0.01);
    return state.v[1] < 0;
  });
  const double strength = 2.0 / 27 * M_PI * 1e-4 * 1e6 * range, energy = 0.5 * speed * speed;
  double low = 0, high = 1;  // (1 - u)^3 / u falls
  for (int k = 0; k < 200; ++k) {
    const double u = 0.5 * (low + high);
    (strength * (1 - u) * (1 - u) * (1 - u) / u > energy ? low : high) = u;
  }
  EXPECT_NEAR(lowest, range * std::sqrt(low), 1e-6 * range);
}

struct Impact {
  std::unique_ptr<Model> model;
  State state;
  const ContactBarrier* barrier = nullptr;
};

Assembly with_rubber() {
  Assembly assembly;
  add(assembly, neo_hookean({.young = 1e5, .poisson = 0.3, .density = 1000}), "rubber");
  return assembly;
}

Impact finished(const Assembly& assembly) {
  Impact impact;
  impact.model = std::make_unique<Model>(assembly.model());
  impact.state = assembly.start(*impact.model);
  for (const auto& term : impact.model->parts().terms)
    if (term->barrier() != nullptr) impact.barrier = term->barrier();
  return impact;
}

Impact two_blocks(double offset, double speed) {
  Assembly assembly = with_rubber();
  const auto block = [&](double x, double y, double velocity, int cells, const char* name) {
    Solid solid;
    solid.mesh = rectangle_mesh({.size = {0.1, 0.1}, .corner = {x, y}, .cells = {cells, cells}});
    solid.material = "rubber";
    solid.initial.velocity = [velocity](const Vec3&) { return Vec3{velocity, 0, 0}; };
    add(assembly, solid, name);
  };
  block(0, 0, speed, 4, "left");
  block(0.105, offset, -speed, 3, "right");
  add(assembly, ContactBodies{}, "contact");
  return finished(assembly);
}

struct Course {
  double energy = 0, linear = 0, angular = 0;  // largest changes
  int crossings = 0, steps = 0, contacts = 0;
  bool converged = true;
  std::string message;
  Counters counters;
};

Course follow(Impact& impact, double h, double end) {
  Course course;
  const Momenta before = momenta(*impact.model, impact.state.q, impact.state.p);
  const double start = energy(*impact.model, impact.state).total;
  auto integrator = energy_momentum(h, *impact.model);
  const auto report = integrator->advance(*impact.model, impact.state, end, [&](const State& state, const StepReport&) {
    ++course.steps;
    course.energy = std::max(course.energy, std::abs(energy(*impact.model, state).total / start - 1));
    const Momenta now = momenta(*impact.model, state.q, state.p);
    for (int k = 0; k < 3; ++k) {
      course.linear = std::max(course.linear, std::abs(now.linear[k] - before.linear[k]));
      course.angular = std::max(course.angular, std::abs(now.angular[k] - before.angular[k]));
    }
    course.crossings += testing::crossings(*impact.barrier, state.q);
    course.contacts += impact.barrier->energy(state.q) > 0 ? 1 : 0;
    return true;
  });
  course.converged = report.converged;
  course.message = report.message;
  course.counters = integrator->counters();
  return course;
}

TEST(ContactSteps, TwoBlocksInThePlane) {
  for (const double h : {5e-4, 2e-3, 5e-3, 1e-2}) {
    Impact impact = two_blocks(0.023, 1.0);
    const Course course = follow(impact, h, 0.06);
    ASSERT_TRUE(course.converged) << course.message;
    EXPECT_LE(course.energy, 1e-10);
    EXPECT_LE(course.linear, 1e-12);
    EXPECT_LE(course.angular, 1e-12);
    EXPECT_EQ(course.crossings, 0);
    EXPECT_GT(course.contacts, 0);
    std::printf("h %.1e: energy %.1e linear %.1e angular %.1e contacts %d newton %.1f max %ld retries %ld\n", h,
                course.energy, course.linear, course.angular, course.contacts,
                static_cast<double>(course.counters.newton) / course.steps, course.counters.newton_max,
                course.counters.retries);
  }
}

}  // namespace
}  // namespace livens
