// Stationary paths: against analytic motions, against the integrators' own steps, and their variations.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "action/discrete_action.hpp"

namespace livens {
namespace {

using std::numbers::pi;

Model thrown_ball(double m, double g) {
  return mechanical_model<2>({"x", "y"}, {m, m}, [=](auto, const auto& q) { return m * g * q[1]; });
}

Model oscillator() {  // omega = 1
  return mechanical_model<1>({"x"}, {2.0}, [](auto, const auto& q) { return q[0] * q[0]; });
}

Model pendulum() {
  return mechanical_model<1>({"theta"}, {1.0}, [](auto, const auto& q) {
    using std::cos;
    return 1.0 - cos(q[0]);
  });
}

Model double_pendulum() {
  return lagrangian_model<2>({"a", "b"}, [](auto, const auto& q, const auto& v) {
    using std::cos;
    return v[0] * v[0] + 0.5 * v[1] * v[1] + v[0] * v[1] * cos(q[0] - q[1]) + 2.0 * cos(q[0]) + cos(q[1]);
  });
}

// L that depends on time, and on v in more than one way.
Model driven_charge() {
  return lagrangian_model<2>({"x", "y"}, [](auto t, const auto& q, const auto& v) {
    using std::sin;
    return (v[0] * v[0] + v[1] * v[1]) / 2.0 + (q[0] + 0.05 * q[0] * q[0]) * v[1] + sin(t) * q[0];
  });
}

PathEnds between(const std::string& integrator, double T, int steps, std::vector<double> from, std::vector<double> to) {
  return {discrete_lagrangian("kind = " + integrator + ", step = 1"), 0, T, steps, std::move(from), std::move(to)};
}

Path found(const Model& model, const PathEnds& ends, const PathOptions& options = {}) {
  Path path = stationary_path(model, ends, options);
  EXPECT_TRUE(path.converged) << path.message;
  return path;
}

const std::vector<std::string> methods = {"'stormer_verlet'",
                                          "'implicit_midpoint'",
                                          "'symplectic_euler_a'",
                                          "'symplectic_euler_b'",
                                          "'hamilton_pontryagin', alpha = 0.3",
                                          "'generalized_trapezoid', alpha = 0.3",
                                          "'galerkin', degree = 2",
                                          "'galerkin', degree = 3, quadrature = 'lobatto'"};

// Second differences of q over h^2 carry its rounding, N^2 of it over a path of N steps.
double rounding(const Path& path, double size) { return 4e-16 * size * path.ends.steps * path.ends.steps; }

TEST(Path, ParabolaOfAThrownBall) {
  const double m = 0.5, g = 9.81, T = 2, across = 10, up = 3;
  const Model model = thrown_ball(m, g);
  for (const char* method : {"'stormer_verlet'", "'implicit_midpoint'", "'galerkin', degree = 2"}) {
    const Path path = found(model, between(method, T, 40, {0, 0}, {across, up}));
    const double vx = across / T, vy = up / T + g * T / 2;
    for (std::size_t k = 0; k <= 40; ++k) {
      const double t = path.time(k);
      EXPECT_NEAR(path.at(k)[0], vx * t, rounding(path, 10)) << method;
      EXPECT_NEAR(path.at(k)[1], vy * t - g * t * t / 2, rounding(path, 10)) << method;
    }
    // The true action of the parabola; of the straight line it would be larger by m g^2 T^3 / 24.
    const double S = m * (across * across + up * up) / (2 * T) - m * g * up * T / 2 - m * g * g * T * T * T / 24;
    EXPECT_NEAR(path.action, S, std::string_view(method).find("galerkin") != std::string::npos ? 1e-12 : 0.02)
        << method;
    EXPECT_EQ(second_variation(model, path).index, 0);
  }
  const Path exact = found(model, between("'galerkin', degree = 2", T, 40, {0, 0}, {across, up}));
  EXPECT_NEAR(exact.p_begin[0], m * across / T, 1e-11);
  EXPECT_NEAR(exact.p_begin[1], m * (up / T + g * T / 2), 1e-11);
  EXPECT_NEAR(exact.p_end[1], m * (up / T - g * T / 2), 1e-11);
}

// The integrator started with the first momentum of the path takes the same one.
double difference_to_steps(const Model& model, const std::string& method, const Path& path) {
  auto integrator = make_integrator("kind = " + method + ", step = 1", model);
  State state{path.ends.t_begin, path.ends.from, path.p_begin, std::vector<double>(path.p_begin.size()), {}};
  EXPECT_TRUE(model.velocity(state.t, state.q, state.p, state.v));
  double largest = 0;
  for (std::size_t k = 1; k <= static_cast<std::size_t>(path.ends.steps); ++k) {
    EXPECT_TRUE(integrator->apply_step(model, state, path.h)->converged);
    for (std::size_t i = 0; i < state.q.size(); ++i) largest = std::max(largest, std::abs(state.q[i] - path.at(k)[i]));
  }
  for (std::size_t i = 0; i < state.p.size(); ++i) EXPECT_NEAR(state.p[i], path.p_end[i], 1e-9);
  return largest;
}

TEST(Path, IsTheMotionOfEveryMethod) {
  const auto expect_retraced = [](const Model& model, std::vector<double> from, std::vector<double> to, double T) {
    for (const std::string& method : methods) {
      const Path path = found(model, between(method, T, 30, from, to));
      // Errors of the start grow along the motion, here less than tenfold.
      EXPECT_LT(difference_to_steps(model, method, path), 10 * rounding(path, 2)) << method;
      double moved = 0;
      for (std::size_t i = 0; i < from.size(); ++i) moved = std::max(moved, std::abs(path.at(15)[i] - from[i]));
      EXPECT_GT(moved, 0.1);
    }
  };
  expect_retraced(pendulum(), {-0.8}, {0.5}, 2);
  expect_retraced(pendulum(), {-0.8}, {0.5}, 5);
  expect_retraced(double_pendulum(), {0.4, -0.2}, {-0.3, 0.6}, 1.5);
  expect_retraced(driven_charge(), {0, 0}, {1, 0.5}, 3);
}

constexpr const char* lattice = R"toml(
time = { end = 1 }
integrator = { kind = "implicit_midpoint", step = 0.05 }
[[body]]
name = "lattice"
kind = "particles"
mass = 1.0
layout = { kind = "triangular_lattice", count = [3, 3], spacing = 1.0 }
[[force]]
kind = "spring"
body = "lattice"
pairs = "neighbours"
stiffness = 2.0
quartic = 1.0
)toml";

constexpr const char* solid = R"toml(
time = { end = 0.03 }
integrator = { kind = "implicit_midpoint", step = 0.0015 }
[[material]]
name = "rubber"
kind = "neo_hookean"
young = 1e5
poisson = 0.4
density = 1000
[[body]]
name = "bar"
kind = "solid"
material = "rubber"
mesh = { kind = "box", size = [0.4, 0.1, 0.1], cells = [4, 1, 1] }
[[constraint]]
kind = "fixed"
selection = "bar.x_min"
)toml";

TEST(Path, OfParticlesAndSolids) {
  for (const char* text : {lattice, solid}) {
    const auto setup = make_setup(parse_scene(text));
    const Model& model = *setup.model;
    // Stretched by 2 %, and bent.
    std::vector<double> to = setup.start.q;
    const auto d = static_cast<std::size_t>(model.dimension());
    for (std::size_t i = 0; i < to.size(); i += d) {
      const double x = to[i];
      to[i] = 1.02 * x;
      to[i + d - 1] += 0.02 * x * x;
    }
    const std::string method = "'implicit_midpoint'";
    const Path path = found(model, between(method, setup.plan.t_end, 20, setup.start.q, to));
    EXPECT_LT(path.residual, 1e-13 * path.scale);
    EXPECT_LT(difference_to_steps(model, method, path), 1e-10);
  }
}

std::vector<double> random_path(std::size_t size, double amplitude) {
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> uniform(-amplitude, amplitude);
  std::vector<double> values(size);
  for (double& value : values) value = uniform(generator);
  return values;
}

TEST(Path, DerivativesOfTheActionAgainstDifferences) {
  for (const Model& model : {double_pendulum(), driven_charge()})
    for (const std::string& method : methods) {
      const DiscreteLagrangian rule = discrete_lagrangian("kind = " + method + ", step = 1");
      DiscreteAction action(model, rule, 0.3, 0.2, 4);
      std::vector<double> q = random_path(action.points() * 2, 0.5);
      std::vector<double> gradient(q.size()), sizes(q.size()), up(q.size()), down(q.size());
      action.gradient(q, gradient, sizes);
      std::vector<double> hessian(action.pattern().nonzeros(), 0.0);
      action.hessian(q, hessian);
      const double d = 1e-5;
      for (std::size_t i = 0; i < q.size(); ++i) {
        const double x = q[i];
        q[i] = x + d;
        const double above = action.gradient(q, up, sizes);
        q[i] = x - d;
        const double below = action.gradient(q, down, sizes);
        q[i] = x;
        EXPECT_NEAR(gradient[i], (above - below) / (2 * d), 1e-7) << method;
        if (i < 2 || i + 2 >= q.size()) continue;
        for (std::size_t j = 2; j + 2 < q.size(); ++j) {
          const int slot = action.pattern().slot(static_cast<int>(j) - 2, static_cast<int>(i) - 2);
          EXPECT_NEAR(slot < 0 ? 0 : hessian[slot], (up[j] - down[j]) / (2 * d), 1e-6) << method;
        }
      }
    }
}

// Of all directions, the first variation of the stationary path is zero; that of another path is not.
TEST(Path, FirstVariationVanishes) {
  const Model model = double_pendulum();
  const Path path = found(model, between("'implicit_midpoint'", 1.5, 30, {0.4, -0.2}, {-0.3, 0.6}));
  EXPECT_LT(path.residual, 1e-13 * path.scale);
  std::vector<double> eta = random_path(path.q.size(), 1);
  std::fill_n(eta.begin(), 2, 0.0);
  std::fill_n(eta.end() - 2, 2, 0.0);
  const auto slope = [&](const std::vector<double>& q) {
    const double a = 1e-5;
    std::vector<double> up = q, down = q;
    for (std::size_t i = 0; i < q.size(); ++i) up[i] += a * eta[i], down[i] -= a * eta[i];
    const auto S = [&](const std::vector<double>& x) { return action(model, path.ends.rule, 0, path.h, x); };
    return (S(up) - S(down)) / (2 * a);
  };
  EXPECT_NEAR(slope(path.q), 0, 1e-7);
  std::vector<double> other = path.q;
  other[20] += 0.01;
  EXPECT_GT(std::abs(slope(other)), 1e-3);
}

TEST(SecondVariation, EigenvaluesAndConjugatePointsOfAnOscillator) {
  const Model model = oscillator();
  const int steps = 200;
  for (const double T : {2.0, 3.0, 3.3, 4.0, 6.0, 6.6, 10.0}) {
    for (const char* method : {"'stormer_verlet'", "'implicit_midpoint'", "'galerkin', degree = 2"}) {
      const Path path = found(model, between(method, T, steps, {1}, {0.3}));
      const SecondVariation second = second_variation(model, path, 4);
      const int passed = static_cast<int>(std::floor(T / pi));
      EXPECT_EQ(second.index, passed) << method << " T = " << T;
      for (int j = 1; j <= 4; ++j)
        EXPECT_NEAR(second.eigenvalues[j - 1], std::pow(j * pi / T, 2) - 1, 2e-3 * std::pow(j * pi / T, 2));
      ASSERT_EQ(second.conjugate_points.size(), static_cast<std::size_t>(passed));
      for (int j = 1; j <= passed; ++j) {
        const ConjugatePoint& point = second.conjugate_points[j - 1];
        EXPECT_EQ(point.multiplicity, 1);
        EXPECT_LE(point.after - path.h, j * pi);  // the discrete period is off by h^2 / 24 of it
        EXPECT_GE(point.before + path.h, j * pi);
        EXPECT_NEAR(point.before - point.after, path.h, 1e-12);
      }
    }
  }
}

// On both sides of the conjugate point: the action rises along every eigenvector before it, and falls along one behind.
TEST(SecondVariation, MinimumBeforeAndSaddleBehindAConjugatePoint) {
  const Model model = pendulum();
  for (const bool behind : {false, true}) {
    const Path path = found(model, between("'implicit_midpoint'", behind ? 4.5 : 2.5, 100, {-0.8}, {0.5}));
    const SecondVariation second = second_variation(model, path, 3);
    EXPECT_EQ(second.index, behind ? 1 : 0);
    EXPECT_EQ(second.conjugate_points.size(), behind ? 1U : 0U);
    for (std::size_t k = 0; k < 3; ++k) {
      const auto moved = [&](double a) {
        std::vector<double> q = path.q;
        for (std::size_t i = 0; i < q.size(); ++i) q[i] += a * second.eigenvectors[k][i];
        return action(model, path.ends.rule, 0, path.h, q) - path.action;
      };
      const bool falls = second.eigenvalues[k] < 0;
      EXPECT_EQ(falls, behind && k == 0);
      EXPECT_EQ(moved(0.05) < 0, falls);
      EXPECT_EQ(moved(-0.05) < 0, falls);
    }
    PathOptions downhill;
    downhill.minimise = true;
    const Path least = stationary_path(model, path.ends, downhill);
    if (behind)
      EXPECT_TRUE(!least.converged || second_variation(model, least).index == 0);
    else
      EXPECT_NEAR(least.action, path.action, 1e-12);
  }
}

TEST(SecondVariation, MultiplicityAndConjugateEnds) {
  const Model plane =
      mechanical_model<2>({"x", "y"}, {1, 1}, [](auto, const auto& q) { return (q[0] * q[0] + q[1] * q[1]) / 2.0; });
  const Path path = found(plane, between("'stormer_verlet'", 4, 100, {1, 0}, {0.3, 0.5}));
  const SecondVariation second = second_variation(plane, path);
  EXPECT_EQ(second.index, 2);
  ASSERT_EQ(second.conjugate_points.size(), 1U);
  EXPECT_EQ(second.conjugate_points.front().multiplicity, 2);
  EXPECT_FALSE(second.singular);
  // Half a period of the discrete motion: N steps of 2 asin(h/2) make pi.
  const int N = 50;
  const double h = 2 * std::sin(pi / (2 * N));
  const Path closed = found(oscillator(), between("'stormer_verlet'", N * h, N, {0}, {0}));
  EXPECT_TRUE(second_variation(oscillator(), closed).singular);
  EXPECT_FALSE(
      second_variation(oscillator(), found(oscillator(), between("'stormer_verlet'", 3, N, {0}, {0}))).singular);
}

TEST(Path, SeveralPathsAndTheirGuesses) {
  // Once around to the same angle, or not.
  const Model model = pendulum();
  const PathEnds ends = between("'stormer_verlet'", 3, 100, {0.1}, {0.1 + 2 * pi});
  EXPECT_GT(found(model, ends).p_begin[0], 1);
  PathOptions stopped;
  stopped.told = [](const PathProgress& now) { return now.iteration < 1; };
  const Path path = stationary_path(model, ends, stopped);
  EXPECT_TRUE(path.interrupted);
  EXPECT_FALSE(path.converged);
}

TEST(Path, RefusesWhatHasNoStationaryAction) {
  EXPECT_THROW(discrete_lagrangian("kind = 'rk4', step = 1"), SceneError);
  EXPECT_THROW(discrete_lagrangian("kind = 'symplectic_euler_a', start = 'second_order', step = 1"), SceneError);
  const Model model = pendulum();
  EXPECT_THROW(stationary_path(model, between("'stormer_verlet'", 1, 10, {1, 2}, {0})), std::invalid_argument);
  EXPECT_THROW(stationary_path(model, between("'stormer_verlet'", -1, 10, {1}, {0})), std::invalid_argument);
  PathOptions wrong;
  wrong.guess = {1, 2, 3};
  EXPECT_THROW(stationary_path(model, between("'stormer_verlet'", 1, 10, {1}, {0}), wrong), std::invalid_argument);
  const auto damped =
      make_setup(parse_scene(std::string(lattice) + "[[force]]\nkind = 'drag'\ndrag_coefficient = 0.1\n"));
  EXPECT_THROW(stationary_path(*damped.model, between("'stormer_verlet'", 1, 10, damped.start.q, damped.start.q)),
               std::invalid_argument);
}

// --- two positions ---------------------------------------------------------------------------------------------------

TEST(TwoPositions, TheFirstStepReachesTheSecond) {
  for (const std::string& method : methods)
    for (const Model& model : {double_pendulum(), driven_charge()}) {
      const std::vector<double> q0 = {0.4, -0.2}, q1 = {0.43, -0.17};
      State state =
          start_from_positions(model, discrete_lagrangian("kind = " + method + ", step = 1"), 0.7, 0.05, q0, q1);
      auto integrator = make_integrator("kind = " + method + ", step = 1", model);
      ASSERT_TRUE(integrator->apply_step(model, state, 0.05)->converged);
      for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(state.q[i], q1[i], 1e-15) << method;
    }
}

State after_one_step(const std::string& text) {
  const auto setup = make_setup(parse_scene(text));
  State state = setup.start;
  int steps = 0;
  setup.integrator->advance(*setup.model, state, setup.plan.t_end,
                            [&](const State&, const StepReport&) { return ++steps < 1; });
  return state;
}

TEST(TwoPositions, OfScenesWithForces) {
  for (const char* integrator : {"stormer_verlet", "implicit_midpoint", "symplectic_euler_b"}) {
    const std::string head =
        "time = { end = 1 }\nintegrator = { kind = '" + std::string(integrator) + "', step = 0.02 }\n";
    const State pendulum = after_one_step(head + R"toml(
[system]
kind = "lagrangian"
coordinates = ["theta"]
kinetic = "theta_dot^2/2"
potential = "9.81*(1 - cos(theta))"
dissipation = "0.3*theta_dot^2"
initial = { theta = 0.8 }
second = { theta = 0.79 }
)toml");
    EXPECT_NEAR(pendulum.q[0], 0.79, 1e-15) << integrator;
    const State particles = after_one_step(head + R"toml(
[[body]]
kind = "particles"
mass = 2
layout = { kind = "chain", count = 3, dimension = 2 }
initial = { second_position = ["X + 0.01*X^2", "0.02 - 0.01*X"] }
[[force]]
kind = "spring"
stiffness = 5
[[force]]
kind = "drag"
drag_coefficient = 0.5
)toml");
    for (std::size_t a = 0; a < 3; ++a) {
      const double X = static_cast<double>(a);
      EXPECT_NEAR(particles.q[2 * a], X + 0.01 * X * X, 2e-15) << integrator;
      EXPECT_NEAR(particles.q[2 * a + 1], 0.02 - 0.01 * X, 2e-15) << integrator;
    }
  }
}

void expect_refused(const std::string& text, const std::string& word) {
  try {
    make_setup(parse_scene(text));
    ADD_FAILURE() << "accepted: " << text;
  } catch (const SceneError& error) {
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
  }
}

TEST(TwoPositions, Refusals) {
  const auto text = [](const std::string& integrator, const std::string& initial, const std::string& more) {
    return "time = { end = 1 }\nintegrator = { " + integrator +
           ", step = 0.02 }\n[system]\nkind = 'lagrangian'\ncoordinates = ['x']\nkinetic = 'x_dot^2/2'\npotential = "
           "'x^2'\ninitial = { " +
           initial + " }\n" + more;
  };
  expect_refused(text("kind = 'rk4'", "x = 0", "second = { x = 0.1 }"), "discrete Lagrangian");
  expect_refused(text("kind = 'newmark'", "x = 0", "second = { x = 0.1 }"), "stormer_verlet");
  expect_refused(text("kind = 'stormer_verlet'", "x = 0, x_dot = 1", "second = { x = 0.1 }"), "leave this one out");
  expect_refused(text("kind = 'stormer_verlet'", "x = 0", "second = { y = 0.1 }"), "second");
  expect_refused(text("kind = 'rattle'", "x = 0", "second = { x = 0.1 }\nconstraints = ['x']"), "multipliers");
}

}  // namespace
}  // namespace livens
