// Steps that follow the motion by a reversible density: order, momenta, energy, reversal, resume; and the naive ones.
#include "integrators/step_control.hpp"

#include <cmath>
#include <cstdlib>
#include <numbers>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "support/scratch.hpp"

namespace livens {
namespace {

using std::numbers::pi;

Model kepler() {
  return mechanical_model<2>({"x", "y"}, {1, 1}, [](auto, const auto& q) {
    using std::sqrt;
    return -1.0 / sqrt(q[0] * q[0] + q[1] * q[1]);
  });
}

// From perihelion, semi-axis 1: the period is 2 pi.
State perihelion(const Model& model, double e) {
  return make_state(model, 0, {1 - e, 0}, {0, std::sqrt((1 + e) / (1 - e))});
}

std::string controlled(const std::string& kind, const std::string& control, double step,
                       const std::string& monitor = "(x^2 + y^2)^(3/4)") {
  return "kind = " + kind + ", step = " + std::to_string(step) + ", step_control = '" + control + "', monitor = '" +
         monitor + "'";
}

double angular(const State& s) { return s.q[0] * s.p[1] - s.q[1] * s.p[0]; }

struct Orbit {
  double band = 0;      // largest relative error of the energy
  double late = 0;      // mean relative error over the last tenth, minus that over the first
  double momentum = 0;  // largest relative error of the angular momentum
  double shortest = 1e300, longest = 0;
  long steps = 0;
};

Orbit orbit(const std::string& integrator, double e, double periods) {
  const Model model = kepler();
  State state = perihelion(model, e);
  const double E = energy(model, state).total, l = angular(state), end = 2 * pi * periods;
  Orbit result;
  double first = 0, last = 0;
  long first_count = 0, last_count = 0;
  const auto report =
      make_integrator(integrator, model)->advance(model, state, end, [&](const State& s, const StepReport& step) {
        const double error = energy(model, s).total / E - 1;
        result.band = std::max(result.band, std::abs(error));
        result.momentum = std::max(result.momentum, std::abs(angular(s) / l - 1));
        result.shortest = std::min(result.shortest, step.h);
        result.longest = std::max(result.longest, step.h);
        if (s.t < 0.1 * end) first += error, ++first_count;
        if (s.t > 0.9 * end) last += error, ++last_count;
        ++result.steps;
        return true;
      });
  EXPECT_TRUE(report.converged) << report.message;
  result.late = last / static_cast<double>(last_count) - first / static_cast<double>(first_count);
  return result;
}

// 1000 periods of an orbit of eccentricity 0.9 (LIVENS_LONG: 100 000): no drift; steps from the state drift away.
TEST(StepControl, EnergyStaysWhereNaiveStepsDrift) {
  const double periods = std::getenv("LIVENS_LONG") != nullptr ? 1e5 : 1e3;
  const Orbit density = orbit(controlled("'stormer_verlet'", "reversible", 0.001), 0.9, periods);
  const Orbit naive = orbit(controlled("'stormer_verlet'", "naive", 0.001), 0.9, 1e3);
  EXPECT_GT(density.longest / density.shortest, 50);  // (1.9 / 0.1)^(3/2) = 83
  EXPECT_LT(density.band, 0.01);
  EXPECT_LT(std::abs(density.late), 0.02 * density.band);
  EXPECT_GT(std::abs(naive.late), 5 * density.band);
  EXPECT_LT(density.momentum, 1e-15 * std::sqrt(static_cast<double>(density.steps)) * 100);
  EXPECT_LT(naive.momentum, 1e-15 * std::sqrt(static_cast<double>(naive.steps)) * 100);
}

// The exact place at time t, by Kepler's equation.
std::pair<double, double> exact(double e, double t) {
  double E = t;
  for (int k = 0; k < 100; ++k) E -= (E - e * std::sin(E) - t) / (1 - e * std::cos(E));
  return {std::cos(E) - e, std::sqrt(1 - e * e) * std::sin(E)};
}

double error_of(const std::string& kind, double step) {
  const Model model = kepler();
  State state = perihelion(model, 0.6);
  const auto integrator = make_integrator(controlled(kind, "reversible", step), model);
  EXPECT_TRUE(integrator->advance(model, state, 5).converged);
  const auto [x, y] = exact(0.6, state.t);
  return std::hypot(state.q[0] - x, state.q[1] - y);
}

TEST(StepControl, OrdersAreThoseOfTheMethods) {
  const struct {
    const char* kind;
    double order, step;
  } cases[] = {{"'stormer_verlet'", 2, 0.01},
               {"'implicit_midpoint'", 2, 0.01},
               {"'newmark', beta = 0.1", 2, 0.01},
               {"'energy_momentum'", 2, 0.01},
               {"'rattle'", 2, 0.01},
               {"'galerkin', degree = 2", 4, 0.04},
               {"'composition', order = 4", 4, 0.04}};
  for (const auto& one : cases) {
    const double coarse = error_of(one.kind, one.step), fine = error_of(one.kind, one.step / 2);
    EXPECT_NEAR(std::log2(coarse / fine), one.order, 0.15) << one.kind;
  }
}

// Reads and writes one number of the memory by its name.
class Access final : public MemoryVisitor {
 public:
  explicit Access(std::string name, std::optional<double> put = {}) : name_(std::move(name)), put_(put) {}
  void visit(const char* name, double& value) override {
    if (name != name_) return;
    if (put_) value = *put_;
    found = value;
  }
  void visit(const char*, long&) override {}
  void visit(const char*, std::vector<double>&) override {}
  double found = 0;

 private:
  std::string name_;
  std::optional<double> put_;
};

// Forth 400 steps, turned round, and back by the same steps: with rho_N+1/2 the density retraces itself.
TEST(StepControl, RunsBackTheWayItCame) {
  const Model model = kepler();
  State state = perihelion(model, 0.8);
  const State start = state;
  const auto integrator = make_integrator(controlled("'stormer_verlet'", "reversible", 0.01), model);
  State turn = state;
  double clock = 0;
  std::vector<double> lengths;
  integrator->advance(model, state, 100, [&](const State& s, const StepReport& report) {
    lengths.push_back(report.h);
    if (lengths.size() == 400) turn = s;
    return lengths.size() < 401;
  });
  clock = state.t;
  Access density("step_density");
  integrator->visit_memory(density);
  for (std::size_t i = 0; i < 2; ++i) turn.p[i] = -turn.p[i], turn.v[i] = -turn.v[i];
  turn.t = clock;  // the integrator's own clock, so that it does not begin again
  std::vector<double> back;
  integrator->advance(model, turn, clock + 100, [&](const State&, const StepReport& report) {
    back.push_back(report.h);
    return back.size() < 400;
  });
  ASSERT_EQ(back.size(), 400U);
  for (std::size_t k = 0; k < 400; ++k) EXPECT_NEAR(back[k], lengths[399 - k], 1e-11);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(turn.q[i], start.q[i], 1e-10);
    EXPECT_NEAR(turn.p[i], -start.p[i], 1e-10);
  }
  EXPECT_GT(density.found, 0);
}

constexpr const char* two_suns = R"toml(
[[body]]
kind = "particles"
name = "stars"
mass = [1, 0.5, 0.25]
layout = { kind = "points", points = [[1, 0, 0], [-1, 0.2, 0], [0, 2, 0.3]] }
initial = { velocities = [[0, 0.4, 0], [0, -0.5, 0.1], [0.3, 0, 0]] }
[[force]]
kind = "pairwise_gravity"
constant = 1
)toml";

std::string stars(const std::string& integrator) {
  return "time = { end = 3 }\nintegrator = { " + integrator + " }\n" + two_suns;
}

TEST(StepControl, MonitorsOfBodies) {
  for (const char* monitor : {"acceleration^(-1/2)", "abs(potential)^(-3/2)"}) {
    const auto setup =
        make_setup(parse_scene(stars("kind = 'stormer_verlet', step = 0.01, step_control = 'reversible', monitor = '" +
                                     std::string(monitor) + "'")));
    EXPECT_EQ(setup.plan.claims.symplectic, Symplectic::no);
    EXPECT_TRUE(setup.plan.claims.symmetric);
    EXPECT_FALSE(setup.plan.constant_step());
    State state = setup.start;
    const Momenta before = momenta(*setup.model, state.q, state.p);
    ASSERT_TRUE(setup.integrator->advance(*setup.model, state, 3).converged);
    const Momenta after = momenta(*setup.model, state.q, state.p);
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(after.linear[k], before.linear[k], 1e-14) << monitor;
      EXPECT_NEAR(after.angular[k], before.angular[k], 1e-14) << monitor;
    }
    EXPECT_GT(setup.integrator->counters().step_max, 1.2 * setup.integrator->counters().step_min) << monitor;
  }
}

// dQ/dt along the motion against differences of Q.
TEST(StepControl, RatesOfMonitors) {
  const auto setup = make_setup(parse_scene(stars("kind = 'stormer_verlet', step = 0.01")));
  const Model& model = *setup.model;
  for (const char* text : {"acceleration^(-1/2)", "abs(potential)^(-3/2)", "acceleration*potential + 3"}) {
    StepMonitor monitor(text, {}, model);
    const double d = 1e-5;
    State up = setup.start, down = setup.start;
    for (std::size_t i = 0; i < up.q.size(); ++i) up.q[i] += d * up.v[i], down.q[i] -= d * down.v[i];
    const double difference = (monitor.at(model, up).Q - monitor.at(model, down).Q) / (2 * d);
    EXPECT_NEAR(monitor.at(model, setup.start).rate, difference, 1e-8) << text;
    EXPECT_GT(std::abs(difference), 1e-3);
  }
}

TEST(StepControl, ResumesWithTheSameBits) {
  const std::string text = "checkpoint = { every_steps = 50 }\n" +
                           stars("kind = 'stormer_verlet', step = 0.01, step_control = 'reversible'");
  const auto root = testing::scratch();
  testing::run_text(text, root / "whole");
  testing::run_interrupted(text, root / "parts", 120);
  testing::run_text(text, root / "parts", true);
  testing::expect_equal_runs(root / "whole", root / "parts", "reversible steps");
}

void expect_refused(const std::string& integrator, const std::string& word) {
  try {
    make_setup(parse_scene(stars(integrator)));
    ADD_FAILURE() << "accepted: " << integrator;
  } catch (const SceneError& error) {
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
  }
}

TEST(StepControl, RefusalsSayWhy) {
  expect_refused("kind = 'stormer_verlet', step = 0.01, step_control = 'error'", "dormand_prince");
  expect_refused("kind = 'symplectic_euler_a', step = 0.01, step_control = 'reversible'", "symmetric method");
  expect_refused("kind = 'symplectic_euler_a', start = 'second_order', step = 0.01, step_control = 'reversible'",
                 "start");
  expect_refused("kind = 'rk4', step = 0.01, step_control = 'reversible'", "symmetric method");
  expect_refused("kind = 'stormer_verlet', step = '0.01 + t', step_control = 'reversible'", "first step");
  expect_refused("kind = 'stormer_verlet', step = 0.01, monitor = 'potential'", "step_control");
  expect_refused("kind = 'stormer_verlet', step = 0.01, step_control = 'reversible', monitor = 'distance'", "monitor");
  // A monitor that is not positive is found on the way.
  const auto setup = make_setup(
      parse_scene(stars("kind = 'stormer_verlet', step = 0.01, step_control = 'reversible', monitor = 'potential'")));
  State state = setup.start;
  const StepReport report = setup.integrator->advance(*setup.model, state, 1);
  EXPECT_FALSE(report.converged);
  EXPECT_EQ(report.code, FailureCode::step_too_small);
  EXPECT_NE(report.message.find("integrator.monitor"), std::string::npos);
  const auto naive = make_setup(parse_scene(stars("kind = 'stormer_verlet', step = 0.01, step_control = 'naive'")));
  EXPECT_EQ(naive.integrator->warnings().size(), 1U);
  EXPECT_EQ(naive.plan.claims.energy, EnergyClaim::drifting);
}

}  // namespace
}  // namespace livens
