// Mechanisms by methods that are not made for them, the negative controls of those that are; compositions of
// constrained steps; and equilibria with constraints.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <livens/scene.hpp>

#include "model/projection.hpp"
#include "support/source_dir.hpp"

namespace livens {
namespace {

using Numbers = std::vector<double>;

Scene pendulum() { return load_scene(source_dir() + "/scenes/multibody_spherical_pendulum.toml"); }

struct Motion {
  explicit Motion(const Scene& scene, const std::string& integrator)
      : model(make_model(scene)), state(initial_state(scene, model)), stepper(make_integrator(integrator, model)) {}
  void advance(double t) {
    const StepReport report = stepper->advance(model, state, t);
    ASSERT_TRUE(report.converged) << report.message;
  }
  double violation() const {
    Numbers g(model.constraint_count());
    model.constraint_values(state.t, state.q, g);
    double worst = 0;
    for (const double value : g) worst = std::max(worst, std::abs(value));
    return worst;
  }
  // Largest rate of a constraint.
  double hidden() const {
    Numbers rate(model.constraint_count()), second(rate.size());
    model.constraint_rates(state.t, state.q, state.v, rate, second);
    double worst = 0;
    for (const double value : rate) worst = std::max(worst, std::abs(value));
    return worst;
  }
  double total() const { return energy(model, state).total; }

  Model model;
  State state;
  std::unique_ptr<Integrator> stepper;
};

double distance(const Numbers& a, const Numbers& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

double error_at(const std::string& method, double step, double end) {
  char text[64];
  std::snprintf(text, sizeof text, ", step = %.17g", step);
  Motion motion(pendulum(), method + text);
  motion.advance(end);
  std::snprintf(text, sizeof text, ", step = %.17g", motion.state.t / 60);
  Motion reference(pendulum(), "kind = 'galerkin', degree = 5, quadrature = 'lobatto'" + std::string(text));
  reference.advance(motion.state.t);
  EXPECT_NEAR(reference.state.t, motion.state.t, 1e-12);
  return std::max(distance(motion.state.q, reference.state.q), distance(motion.state.v, reference.state.v));
}

double order_of(const std::string& method, double step, double end = 1.2) {
  const double coarse = error_at(method, step, end), fine = error_at(method, step / 2, end);
  std::printf("%-64s errors %.3e %.3e order %.2f\n", method.c_str(), coarse, fine, std::log2(coarse / fine));
  return std::log2(coarse / fine);
}

// --- compositions ----------------------------------------------------------------------------------------------------

TEST(ConstrainedCompositions, HaveTheirOrders) {
  EXPECT_NEAR(order_of("kind = 'composition', order = 4", 0.04), 4, 0.2);
  EXPECT_NEAR(order_of("kind = 'composition', order = 4, scheme = 'yoshida'", 0.02), 4, 0.2);
  EXPECT_NEAR(order_of("kind = 'composition', order = 4, base = 'implicit_midpoint'", 0.04), 4, 0.2);
  EXPECT_NEAR(order_of("kind = 'composition', order = 6", 0.06), 6, 0.3);
}

TEST(ConstrainedCompositions, KeepTheConstraintsAndAreSymmetric) {
  Motion motion(pendulum(), "kind = 'composition', order = 4, step = 0.02");
  const State start = motion.state;
  motion.advance(2);
  EXPECT_LT(motion.violation(), 1e-13);
  EXPECT_LT(motion.hidden(), 1e-12);
  for (int k = 0; k < 100; ++k) ASSERT_TRUE(motion.stepper->apply_step(motion.model, motion.state, -0.02)->converged);
  EXPECT_LT(distance(motion.state.q, start.q), 1e-10) << "backwards they retrace their steps";
}

// The shifted momentum is projected: first-order rules have second-order positions and velocities with constraints too.
TEST(ConstrainedSecondOrderStart, IsOfSecondOrder) {
  EXPECT_NEAR(order_of("kind = 'symplectic_euler_b', start = 'second_order'", 0.01), 2, 0.1);
  EXPECT_NEAR(order_of("kind = 'symplectic_euler_a', start = 'second_order'", 0.01), 2, 0.1);
  EXPECT_NEAR(order_of("kind = 'hamilton_pontryagin', alpha = 0.3, start = 'second_order'", 0.01), 2, 0.1);
  EXPECT_NEAR(order_of("kind = 'hamilton_pontryagin', alpha = 0.3", 0.001), 1, 0.1) << "without it";
}

// --- comparison methods ----------------------------------------------------------------------------------------------

TEST(MechanismsForComparison, Rk4DriftsOffTheRodUnlessItIsProjected) {
  Motion drifting(pendulum(), "kind = 'rk4', step = 0.01"),
      projected(pendulum(), "kind = 'rk4', step = 0.01, project = true");
  Motion kept(pendulum(), "kind = 'rattle', step = 0.01");
  for (Motion* motion : {&drifting, &projected, &kept}) motion->advance(20);
  std::printf("after 2000 steps: |g| rk4 %.1e, projected %.1e, rattle %.1e\n", drifting.violation(),
              projected.violation(), kept.violation());
  EXPECT_GT(drifting.violation(), 1e-8);
  EXPECT_LT(projected.violation(), 1e-13);
  EXPECT_LT(projected.hidden(), 1e-12);
  EXPECT_LT(kept.violation(), 1e-13);
  EXPECT_NEAR(order_of("kind = 'rk4'", 0.02), 4, 0.2);
  EXPECT_NEAR(order_of("kind = 'rk4', project = true", 0.02), 4, 0.2);
  EXPECT_NEAR(order_of("kind = 'explicit_euler', project = true", 0.0005), 1, 0.1);
}

// The energy of RATTLE stays in a band; that of projected RK4 goes one way.
TEST(MechanismsForComparison, ProjectionDoesNotKeepTheEnergyOfRk4) {
  Motion projected(pendulum(), "kind = 'rk4', step = 0.05, project = true"),
      kept(pendulum(), "kind = 'rattle', step = 0.05");
  const double start = kept.total();
  projected.advance(100);
  const double half = std::abs(projected.total() - start);
  projected.advance(200);
  const double whole = std::abs(projected.total() - start);
  double band[2] = {0, 0};
  for (int k = 1; k <= 2; ++k)
    kept.stepper->advance(kept.model, kept.state, 100 * k, [&](const State& state, const StepReport&) {
      band[k - 1] = std::max(band[k - 1], std::abs(energy(kept.model, state).total - start));
      return true;
    });
  std::printf("energy after 100 s and 200 s: rk4, projected %.2e %.2e; rattle within %.2e %.2e J\n", half, whole,
              band[0], band[1]);
  EXPECT_NEAR(whole / half, 2, 0.3);
  EXPECT_NEAR(band[1] / band[0], 1, 0.1);
}

TEST(MechanismsForComparison, ImplicitEulerDampsAndNewmarkKeepsPositionsOnly) {
  Motion euler(pendulum(), "kind = 'implicit_euler', step = 0.01");
  const double start = euler.total();
  euler.advance(5);
  EXPECT_LT(euler.violation(), 1e-13);
  EXPECT_GT(euler.hidden(), 1e-4) << "velocities keep the constraint to first order only";
  EXPECT_LT(euler.total(), start - 0.1) << "it damps";
  EXPECT_NEAR(order_of("kind = 'implicit_euler'", 0.001), 1, 0.1);

  Motion newmark(pendulum(), "kind = 'newmark', step = 0.01");
  newmark.advance(0.5);
  EXPECT_LT(newmark.violation(), 1e-13);
  EXPECT_GT(newmark.hidden(), 1e-8) << "velocities do not";
  EXPECT_THROW(make_integrator("kind = 'newmark', beta = 0, step = 0.01", newmark.model), SceneError);
}

// --- multipliers that are not unique ---------------------------------------------------------------------------------

// Three free points in line turn in a plane: of the multipliers of a x b = 0 the least are along its normal, and their
// moment -L x (a x b) vanishes.
TEST(LeastMultipliers, KeepTheAngularMomentumOfThreePointsInLine) {
  for (const double step : {0.02, 0.05}) {
    char text[64];
    std::snprintf(text, sizeof text, "kind = 'energy_momentum', step = %g", step);
    Motion motion(load_scene(source_dir() + "/scenes/e04_alignment/multiplier.toml"), text);
    const Momenta start = momenta(motion.model, motion.state.q, motion.state.p);
    const double energy_before = motion.total();
    motion.advance(5);
    const Momenta end = momenta(motion.model, motion.state.q, motion.state.p);
    double linear = 0, angular = 0;
    for (int c = 0; c < 3; ++c) {
      linear = std::max(linear, std::abs(end.linear[c] - start.linear[c]));
      angular = std::max(angular, std::abs(end.angular[c] - start.angular[c]));
    }
    std::printf("three points in line, h = %g: linear %.1e, angular %.1e, energy %.1e, |g| %.1e\n", step, linear,
                angular, std::abs(motion.total() - energy_before), motion.violation());
    EXPECT_LT(linear, 1e-12);
    EXPECT_LT(angular, 1e-12);
    EXPECT_LT(std::abs(motion.total() - energy_before), 1e-12);
    EXPECT_LT(motion.violation(), 1e-13);
  }
}

// --- equilibria ------------------------------------------------------------------------------------------------------

State equilibrium(const std::string& text, Model& model) {
  const Scene scene = parse_scene("time = { end = 1 }\nintegrator = { kind = 'static', load_steps = 4 }\n" + text);
  model = make_model(scene);
  State state = initial_state(scene, model);
  const StepReport report = make_integrator(scene, model)->advance(model, state, 1);
  EXPECT_TRUE(report.converged) << report.message;
  return state;
}

// Rods of one length and equal masses, hung at both ends: the tension's horizontal part H is the same in all, so that
// tan(angle_k) = (k - n/2 + 1/2) m g / H about the middle, and the widths sum up to the span.
TEST(ConstrainedEquilibria, AHangingChain) {
  constexpr int rods = 6;
  constexpr double g = 9.81, span = 4;
  Numbers x, z;
  for (int k = 0; k <= rods; ++k) {  // it starts as a V
    const double across = span / rods, down = std::sqrt(1 - across * across);
    x.push_back(k * across);
    z.push_back(-down * (k <= rods / 2 ? k : rods - k));
  }
  std::string layout = "[[body]]\nname = 'chain'\nkind = 'particles'\nmass = 1\nlayout = { kind = 'points', points = [";
  for (int k = 0; k <= rods; ++k) {
    char text[96];
    std::snprintf(text, sizeof text, "[%.17g, 0, %.17g],", x[k], z[k]);
    layout += text;
  }
  layout += "] }\n[[force]]\nkind = 'gravity'\nacceleration = [0, 0, -9.81]\n";
  std::string constraints;
  for (int k = 0; k < rods; ++k) {
    char text[256];
    std::snprintf(text, sizeof text,
                  "[[constraint]]\nname = 'rod%d'\nkind = 'distance'\nbodies = ['chain', 'chain']\nends = [[%.17g, 0, "
                  "%.17g], [%.17g, 0, %.17g]]\n",
                  k, x[k], z[k], x[k + 1], z[k + 1]);
    constraints += text;
  }
  for (const int k : {0, rods}) {
    char text[160];
    std::snprintf(
        text, sizeof text,
        "[[constraint]]\nname = 'pin%d'\nkind = 'spherical'\nbodies = ['ground', 'chain']\npoint = [%.17g, 0, "
        "%.17g]\n",
        k, x[k], z[k]);
    constraints += text;
  }
  Model model{ModelParts{}};
  const State state = equilibrium(layout + constraints, model);
  // H from the span, by bisection.
  double low = 1e-3, high = 1e4;
  const auto width = [](double H) {
    double sum = 0;
    for (int k = 0; k < rods; ++k) sum += 1 / std::hypot(1.0, (k - rods / 2 + 0.5) * g / H);
    return sum;
  };
  for (int n = 0; n < 200; ++n) (width(0.5 * (low + high)) < span ? low : high) = 0.5 * (low + high);
  double at_x = 0, at_z = 0;
  for (int k = 0; k <= rods; ++k) {
    EXPECT_NEAR(state.q[3 * k], at_x, 1e-9) << k;
    EXPECT_NEAR(state.q[3 * k + 2], at_z, 1e-9) << k;
    const double slope = (k - rods / 2 + 0.5) * g / low, length = std::hypot(1.0, slope);
    at_x += 1 / length;
    at_z += slope / length;
  }
}

// A bar on two hinges with a weight at a quarter of its length: reactions 3/4 and 1/4 of it, and half of its own each.
TEST(ConstrainedEquilibria, ABarOnTwoHinges) {
  Model model{ModelParts{}};
  const State state = equilibrium(R"(
[[body]]
name = 'bar'
kind = 'rigid'
mass = 2
inertia = [0.01, 0.7, 0.7]
center = [1, 0, 0]
[[body]]
name = 'weight'
kind = 'particles'
mass = 8
layout = { kind = 'points', points = [[0.5, 0, 0]] }
[[constraint]]
name = 'left'
kind = 'revolute'
bodies = ['ground', 'bar']
point = [0, 0, 0]
axis = [0, 1, 0]
[[constraint]]
name = 'right'
kind = 'point_on_surface'
bodies = ['ground', 'bar']
surface = 'plane'
center = [2, 0, 0]
point = [2, 0, 0]
axis = [0, 0, 1]
[[constraint]]
name = 'hook'
kind = 'spherical'
bodies = ['bar', 'weight']
point = [0.5, 0, 0]
[[force]]
kind = 'gravity'
acceleration = [0, 0, -10]
)",
                                  model);
  Projection projection(model);
  Numbers lambda(model.constraint_count());
  ASSERT_TRUE(projection.multipliers(model, state, lambda).converged);
  // Of the right hinge: one equation, whose force is -lambda along z.
  std::size_t first = 0;
  for (const auto& constraint : model.parts().constraints) {
    if (constraint->name() == "right") {
      EXPECT_NEAR(std::abs(lambda[first]), 10 * (8 * 0.25 + 2 * 0.5), 1e-8);
    }
    first += static_cast<std::size_t>(constraint->count());
  }
}

}  // namespace
}  // namespace livens
