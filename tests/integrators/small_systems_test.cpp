// Small systems, where what is around a step costs more than the step: many steps in one call, potentials that do not
// depend on time.
#include <cmath>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

namespace livens {
namespace {

Model henon_heiles() {
  return mechanical_model<2>({"x", "y"}, {1, 1.5}, [](const auto& q) {
    return (q[0] * q[0] + q[1] * q[1]) / 2.0 + q[0] * q[0] * q[1] - q[1] * q[1] * q[1] / 3.0;
  });
}

std::string text_of(const IntegratorRecord& record, const std::string& variant) {
  return "kind = '" + record.name + "'" + (variant.empty() ? "" : ", " + variant) + ", step = 0.05";
}

void expect_same(const State& a, const State& b, const std::string& what) {
  EXPECT_EQ(a.t, b.t) << what;
  EXPECT_EQ(a.q, b.q) << what;
  EXPECT_EQ(a.p, b.p) << what;
  EXPECT_EQ(a.v, b.v) << what;
}

TEST(SmallSystems, StepsWithoutAnObserverHaveTheBitsOfStepsWithOne) {
  const Model model = henon_heiles();
  for (const auto& record : integrator_records())
    for (const auto& variant : record.law_variants) {
      const std::string text = text_of(record, variant);
      State seen = make_state(model, 0.1, {0.1, 0.2}, {0.1, 0.15}), alone = seen;
      auto watched = make_integrator(text, model), unwatched = make_integrator(text, model);
      if (watched->continuous()) continue;
      for (const double t : {7.3, 7.36, 7.5, 500.0}) {
        watched->advance(model, seen, t, [](const State&, const StepReport&) { return true; });
        unwatched->advance(model, alone, t);
        expect_same(seen, alone, text);
        EXPECT_EQ(watched->discrete_energy(model, seen), unwatched->discrete_energy(model, alone)) << text;
        EXPECT_EQ(watched->counters().steps, unwatched->counters().steps) << text;
        EXPECT_EQ(watched->counters().evaluations, unwatched->counters().evaluations) << text;
      }
    }
}

TEST(SmallSystems, AFailureAmongManyStepsIsThatOfSingleSteps) {
  const Model model = mechanical_model<1>({"x"}, {1}, [](const auto& q) { return -q[0] * q[0] * q[0] * q[0]; });
  State seen = make_state(model, 0, {1}, {0}), alone = seen;
  auto watched = make_integrator("kind = 'stormer_verlet', step = 0.01", model);
  auto unwatched = make_integrator("kind = 'stormer_verlet', step = 0.01", model);
  const StepReport a = watched->advance(model, seen, 100, [](const State&, const StepReport&) { return true; });
  const StepReport b = unwatched->advance(model, alone, 100);
  EXPECT_FALSE(a.converged);
  EXPECT_FALSE(b.converged);
  EXPECT_EQ(a.message, b.message);
  expect_same(seen, alone, "x^4");
  EXPECT_EQ(watched->counters().steps, unwatched->counters().steps);
}

TEST(SmallSystems, FunctionsMayLeaveOutTime) {
  const Model with = mechanical_model<1>({"x"}, {1}, [](auto, const auto& q) { return q[0] * q[0]; });
  const Model without = mechanical_model<1>({"x"}, {1}, [](const auto& q) { return q[0] * q[0]; });
  EXPECT_TRUE(with.depends_on_time());
  EXPECT_FALSE(without.depends_on_time());
  const Model driven = lagrangian_model<1>(
      {"x"}, [](auto t, const auto& q, const auto& v) { return v[0] * v[0] / 2.0 - t * q[0] * q[0]; });
  const Model general =
      lagrangian_model<1>({"x"}, [](const auto& q, const auto& v) { return v[0] * v[0] / 2.0 - q[0] * q[0]; });
  EXPECT_TRUE(driven.depends_on_time());
  EXPECT_FALSE(general.depends_on_time());
  const std::vector<double> q = {0.4}, v = {0.3};
  EXPECT_EQ(driven.time_power(1, q, v), 0.4 * 0.4);
  EXPECT_EQ(general.time_power(1, q, v), 0);
  EXPECT_EQ(general.lagrangian(7, q, v), driven.lagrangian(1, q, v));

  for (const std::string kind : {"stormer_verlet", "implicit_midpoint"}) {
    State a = make_state(with, 0, {1}, {0}), b = a;
    make_integrator("kind = '" + kind + "', step = 0.01", with)->advance(with, a, 5);
    make_integrator("kind = '" + kind + "', step = 0.01", without)->advance(without, b, 5);
    expect_same(a, b, kind);
  }
}

TEST(SmallSystems, ExpressionsKnowWhetherTheyDependOnTime) {
  const auto depends = [](const std::string& system) {
    return make_model(parse_scene("time = { end = 1 }\nintegrator = { kind = 'implicit_midpoint', step = 0.1 }\n"
                                  "[system]\nkind = 'lagrangian'\ncoordinates = ['x']\ninitial = { x = 1 }\n" +
                                  system))
        .depends_on_time();
  };
  EXPECT_FALSE(depends("kinetic = 'x_dot^2/2'\npotential = 'x^2'"));
  EXPECT_TRUE(depends("kinetic = 'x_dot^2/2'\npotential = 'x^2*cos(t)'"));
  EXPECT_FALSE(depends("lagrangian = 'x_dot^2/2*x - x^2'"));
  EXPECT_TRUE(depends("lagrangian = 'x_dot^2/2*(2 + sin(t)) - x^2'"));
}

}  // namespace
}  // namespace livens
