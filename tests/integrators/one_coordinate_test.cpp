// Steps that are minima although L is not 1/2 v'Mv - W(q) or a force is not linear in v: with one coordinate the
// equation of a straight-line step is the derivative of a function, whatever it is; with several, Rayleigh's function
// has its place in the incremental potential.
#include <cmath>
#include <cstdio>
#include <functional>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "solve/newton.hpp"
#include "solve/scalar_minimum.hpp"

namespace livens {
namespace {

using Kind = SolvePath::Kind;

// --- the solver ------------------------------------------------------------------------------------------------------

// r(x) with its derivative; nothing beyond `wall`.
class Derivative final : public RootProblem {
 public:
  std::function<double(double)> r, slope;
  double wall = 1e300, seen = 0;
  bool residual(ConstVector x, Vector value, double& scale) override {
    seen = x[0];
    value[0] = r(x[0]);
    scale = 1;
    return x[0] < wall;
  }
  void jacobian(ConstVector x, Vector values) override { values[0] += slope(x[0]); }
};

SolveResult minimum_of(Derivative& problem, double& x) {
  const SolveResult result = minimise_scalar(problem, x, {});
  EXPECT_EQ(problem.seen, x) << "the last evaluation is at the x returned";
  return result;
}

// E = x^4/4 - x^2/2 + x/10: minima at -1.047 and 0.946, a maximum at 0.101.
Derivative two_valleys() {
  Derivative problem;
  problem.r = [](double x) { return x * x * x - x + 0.1; };
  problem.slope = [](double x) { return 3 * x * x - 1; };
  return problem;
}

TEST(ScalarMinimum, IsInTheValleyBelowTheStartAndNeverAMaximum) {
  Derivative problem = two_valleys();
  for (const double start : {-30.0, -1.0, -0.5, 0.0, 0.1, 0.12, 0.5, 2.0, 1e6}) {
    double x = start;
    ASSERT_TRUE(minimum_of(problem, x).converged) << start;
    EXPECT_NEAR(x, start < 0.101 ? -1.0466805318046023 : 0.9456492739235915, 1e-12) << start;
  }
  // The negative control: where |r| falls, the maximum is found as well.
  PatternSink sink;
  sink.add_entry(0, 0);
  NewtonSolver newton(sink.make_pattern(1, 1));
  std::vector<double> x = {0.12};
  ASSERT_TRUE(newton.find_root(problem, x, {}).converged);
  EXPECT_NEAR(x[0], 0.10103125788101, 1e-12);
  double top = x[0];
  EXPECT_TRUE(minimum_of(problem, top).converged);
  EXPECT_GT(std::abs(top - x[0]), 0.5);
}

TEST(ScalarMinimum, StopsAtWallsAndSaysWhenThereIsNone) {
  Derivative problem = two_valleys();
  problem.wall = 1.2;
  double x = 0.2;
  ASSERT_TRUE(minimum_of(problem, x).converged);
  EXPECT_NEAR(x, 0.9456492739235915, 1e-12);
  problem.wall = 0.5;  // the valley lies beyond
  x = 0.2;
  EXPECT_FALSE(minimum_of(problem, x).converged);
  Derivative slope;  // falls for ever
  slope.r = [](double y) { return -1 - 1 / (1 + y * y); };
  slope.slope = [](double y) { return 2 * y / (1 + y * y) / (1 + y * y); };
  x = 0;
  const SolveResult none = minimum_of(slope, x);
  EXPECT_FALSE(none.converged);
  EXPECT_EQ(none.code, FailureCode::no_convergence);
}

// --- one coordinate
// ----------------------------------------------------------------------------------------------------

std::unique_ptr<Integrator> stepper(const Model& model, double h, SolverOptions::Kind kind) {
  SolverOptions options;
  options.kind = kind;
  const Settings settings = integrator_settings("kind = 'implicit_midpoint', step = " + std::to_string(h));
  return integrator_records().at("implicit_midpoint").make(settings, options, model);
}

// m = 1 + q^2 in two wells, W = 4 (q^2 - 1)^2.
Model wells() {
  return lagrangian_model<1>({"x"}, [](auto, const auto& q, const auto& v) {
    const auto d = q[0] * q[0] - 1.0;
    return (1.0 + q[0] * q[0]) * v[0] * v[0] / 2.0 - 4.0 * d * d;
  });
}

// The equation of its midpoint step: m v - h/2 (m' v^2/2 - W') - p0.
double equation(double q0, double p0, double h, double v) {
  const double q = q0 + h / 2 * v;
  return (1 + q * q) * v - h / 2 * (q * v * v - 16 * q * (q * q - 1)) - p0;
}

struct Counts {
  int root_fails = 0, minimum_fails = 0, differ = 0;
  double largest = 0;  // equation at the minimum
  int maxima = 0;      // of E, found by the minimisation
};

// One step from each of 400 states.
Counts counts(double h) {
  const Model model = wells();
  Counts count;
  for (int k = 0; k < 400; ++k) {
    State a = make_state(model, 0, {-1.5 + 3.0 * (k % 20) / 19}, {-4 + 8.0 * (k / 20) / 19}), b = a;
    const double q0 = a.q[0], p0 = a.p[0];
    const bool root = stepper(model, h, SolverOptions::Kind::root)->advance(model, a, h / 2).converged;
    const bool minimum = stepper(model, h, SolverOptions::Kind::automatic)->advance(model, b, h / 2).converged;
    count.root_fails += !root;
    count.minimum_fails += !minimum;
    count.differ += root && minimum && std::abs(a.q[0] - b.q[0]) > 1e-9;
    const double v = (b.q[0] - q0) / h, d = 1e-5;
    count.largest = std::max(count.largest, std::abs(equation(q0, p0, h, v)));
    count.maxima += equation(q0, p0, h, v + d) < equation(q0, p0, h, v - d);
  }
  std::printf("h %.1f: root fails %d, minimum fails %d, differ %d, maxima %d of 400; equation to %.1e\n", h,
              count.root_fails, count.minimum_fails, count.differ, count.maxima, count.largest);
  return count;
}

TEST(OneCoordinate, IsMinimisedAndAgreesWithTheRoot) {
  EXPECT_EQ(to_string(stepper(wells(), 0.1, SolverOptions::Kind::automatic)->solve_path()),
            "minimises the incremental potential (K06's Lilyan): one coordinate always has one");
  const Counts count = counts(0.2);
  EXPECT_EQ(count.root_fails + count.minimum_fails + count.differ + count.maxima, 0);
  EXPECT_LT(count.largest, 1e-11);
}

TEST(OneCoordinate, LongStepsAreMinimaWhereTheRootIsLost) {
  const Counts count = counts(0.5);
  EXPECT_GT(count.root_fails, 20);
  EXPECT_EQ(count.minimum_fails, 0);
  EXPECT_EQ(count.maxima, 0);
  EXPECT_LT(count.largest, 1e-11);
}

// --- Rayleigh's function
// -------------------------------------------------------------------------------------------------

Scene rubbing(const std::string& h, const std::string& dissipation, const std::string& solver,
              const std::string& more = "") {
  return parse_scene("time = { end = 10 }\nintegrator = { kind = 'implicit_midpoint', step = " + h + " }\n" + solver +
                     "[system]\nkind = 'lagrangian'\ncoordinates = ['x', 'y']\n"
                     "kinetic = 'x_dot^2/2 + y_dot^2'\npotential = '2*(1 - cos(x)) + (x - y)^2/2 + y^4/4'\n" +
                     (dissipation.empty() ? "" : "dissipation = '" + dissipation + "'\n") + more +
                     "initial = { x = 2.2, x_dot = 0.4, y = -0.3, y_dot = -1.1 }\n");
}
const std::string root = "solver = { kind = 'root' }\n", by_default;

// Coulomb's friction, rounded off below `eps`.
std::string friction(double eps) { return "1.5*sqrt(x_dot^2 + " + std::to_string(eps * eps) + ") + 0.1*y_dot^4"; }

SolvePath path_of(const Scene& scene) {
  const Model model = make_model(scene);
  return make_integrator(scene, model)->solve_path();
}

TEST(RayleighFunction, IsInTheIncrementalPotentialAndAgreesWithTheRoot) {
  const Scene least = rubbing("0.05", friction(0.1), by_default), other = rubbing("0.05", friction(0.1), root);
  EXPECT_EQ(to_string(path_of(least)), "minimises the incremental potential (K06's Lilyan)");
  EXPECT_EQ(path_of(other).kind, Kind::root);
  const Model model = make_model(least);
  State a = initial_state(least, model), b = a;
  const auto by_minimum = make_integrator(least, model), by_root = make_integrator(other, model);
  ASSERT_TRUE(by_minimum->advance(model, a, 10).converged);
  ASSERT_TRUE(by_root->advance(model, b, 10).converged);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(a.q[i], b.q[i], 1e-10);
    EXPECT_NEAR(a.p[i], b.p[i], 1e-10);
  }
  EXPECT_GT(by_minimum->ledger().energy_out[0], 0.5);
  EXPECT_NEAR(by_minimum->ledger().energy_out[0], by_root->ledger().energy_out[0], 1e-10);
}

// One step from each of 400 states.
int failures_of(const std::string& solver, double h, double eps) {
  const Scene scene = rubbing(std::to_string(h), friction(eps), solver);
  const Model model = make_model(scene);
  int failures = 0;
  for (int k = 0; k < 400; ++k) {
    State state = make_state(model, 0, {-3 + 6.0 * (k % 20) / 19, 0.2}, {-4 + 8.0 * (k / 20) / 19, -0.5});
    failures += !make_integrator(scene, model)->advance(model, state, h / 2).converged;
  }
  return failures;
}

TEST(RayleighFunction, SteepFrictionIsMinimisedWhereTheRootIsLost) {
  EXPECT_EQ(failures_of(root, 0.5, 0.01), 0);
  EXPECT_GT(failures_of(root, 2, 0.01), 10);  // measured: 21
  EXPECT_EQ(failures_of(by_default, 0.5, 0.01), 0);
  EXPECT_EQ(failures_of(by_default, 2, 0.01), 0);
}

// The negative control: a force of several coordinates that is no gradient in v.
TEST(RayleighFunction, OtherForcesOfSeveralCoordinatesFindARoot) {
  const SolvePath path = path_of(rubbing("0.05", "", by_default, "forces = { x = '0.3*y_dot', y = '-0.3*x_dot^3' }\n"));
  EXPECT_EQ(path.kind, Kind::root);
  EXPECT_NE(path.reason.find("is not known to be minus the gradient of a function of v"), std::string::npos)
      << path.reason;
}

}  // namespace
}  // namespace livens
