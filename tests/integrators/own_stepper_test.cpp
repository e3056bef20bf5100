// An integrator of a user's own, by the public headers alone: its clock, retries, counters, ledger and checkpoints.
#include <cmath>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

namespace livens {
namespace {

// Kick, drift, kick. Refuses steps beyond `longest`.
class Leapfrog final : public Stepper {
 public:
  explicit Leapfrog(double longest = 1e300) : longest_(longest) {}
  StepReport step(const Model& model, State& state, double h, StepContext context) override {
    if (std::abs(h) > longest_) return failed_not_finite(state.t, h);
    const std::size_t n = state.q.size();
    std::vector<double> g(n);
    model.gradient(state.t, state.q, g);
    for (std::size_t i = 0; i < n; ++i) state.p[i] -= 0.5 * h * g[i];
    model.divide_mass(state.p, state.v);
    for (std::size_t i = 0; i < n; ++i) state.q[i] += h * state.v[i];
    model.gradient(state.t + h, state.q, g);
    for (std::size_t i = 0; i < n; ++i) state.p[i] -= 0.5 * h * g[i];
    model.divide_mass(state.p, state.v);
    context.counters.evaluations += 2;
    context.ledger.time_work += h;  // not what it is for, but it shows who keeps the ledger
    ++steps_;
    StepReport report;
    report.h = h;
    return report;
  }
  void visit_memory(MemoryVisitor& visitor) override { visitor.visit("own_steps", steps_); }

 private:
  double longest_;
  long steps_ = 0;
};

Model pendulum() {
  return mechanical_model<1>({"x"}, {1}, [](auto, const auto& q) {
    using std::cos;
    return 1.0 - cos(q[0]);
  });
}

// The same map as stormer_verlet, with other roundings.
constexpr double rounding_tolerance = 1e-12;

TEST(OwnStepper, GoesLikeABuiltInOne) {
  const Model model = pendulum();
  State own = make_state(model, 0, {0.7}, {0.4}), built_in = own;
  const auto integrator = make_integrator(std::make_unique<Leapfrog>(), 0.1, {}, model);
  ASSERT_TRUE(integrator->advance(model, own, 10).converged);
  make_integrator("kind = 'stormer_verlet', step = 0.1", model)->advance(model, built_in, 10);
  EXPECT_EQ(own.t, built_in.t);
  EXPECT_NEAR(own.q[0], built_in.q[0], rounding_tolerance);
  EXPECT_NEAR(own.p[0], built_in.p[0], rounding_tolerance);
  EXPECT_EQ(integrator->counters().steps, 100);
  EXPECT_EQ(integrator->counters().evaluations, 200);
  EXPECT_NEAR(integrator->ledger().time_work, 10, rounding_tolerance);
  EXPECT_EQ(integrator->solve_path().kind, SolvePath::Kind::explicit_step);
}

TEST(OwnStepper, IsRetriedWithShorterSteps) {
  const Model model = pendulum();
  State state = make_state(model, 0, {0.7}, {0.4});
  const auto failing = make_integrator(std::make_unique<Leapfrog>(0.03), 0.1, {}, model);
  const StepReport report = failing->advance(model, state, 1);
  EXPECT_FALSE(report.converged);
  EXPECT_EQ(state.t, 0);
  SolverOptions solver;
  solver.retry_halvings = 2;
  const auto retrying = make_integrator(std::make_unique<Leapfrog>(0.03), 0.1, solver, model);
  EXPECT_TRUE(retrying->advance(model, state, 1).converged);
  EXPECT_EQ(retrying->counters().steps, 10);
  EXPECT_EQ(retrying->counters().retries, 20);
}

TEST(OwnStepper, TakesStepsAsAFunctionOfTime) {
  const Model model = pendulum();
  State state = make_state(model, 0, {0.7}, {0.4});
  const auto integrator = make_integrator(
      std::make_unique<Leapfrog>(), [](double t) { return t < 0.5 ? 0.25 : 0.125; }, {}, model);
  ASSERT_TRUE(integrator->advance(model, state, 1).converged);
  EXPECT_EQ(state.t, 1);
  EXPECT_EQ(integrator->counters().steps, 6);
  EXPECT_EQ(integrator->counters().step_min, 0.125);
  EXPECT_EQ(integrator->counters().step_max, 0.25);
}

TEST(OwnStepper, HasItsMemoryInCheckpoints) {
  struct Names final : MemoryVisitor {
    std::vector<std::string> seen;
    void visit(const char* name, double&) override { seen.push_back(name); }
    void visit(const char* name, long&) override { seen.push_back(name); }
    void visit(const char* name, std::vector<double>&) override { seen.push_back(name); }
  } names;
  const Model model = pendulum();
  make_integrator(std::make_unique<Leapfrog>(), 0.1, {}, model)->visit_memory(names);
  EXPECT_EQ(names.seen.back(), "own_steps");
  EXPECT_GT(names.seen.size(), 10u);
}

}  // namespace
}  // namespace livens
