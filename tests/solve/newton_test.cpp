// Newton's method: quadratic convergence, non-convex minima, failures that are told.
#include "solve/newton.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace livens {
namespace {

// E = (x^2 - 1)^2 + y^2 (x + 2)^2: non-convex at the origin, minima at x = +-1, y = 0.
class DoubleWell final : public MinimumProblem {
 public:
  bool residual(ConstVector x, Vector r, double& scale) override {
    r[0] = 4 * x[0] * (x[0] * x[0] - 1) + 2 * x[1] * x[1] * (x[0] + 2);
    r[1] = 2 * x[1] * (x[0] + 2) * (x[0] + 2);
    scale = 1;
    return true;
  }
  void jacobian(ConstVector x, Vector values) override {
    values[0] += 12 * x[0] * x[0] - 4 + 2 * x[1] * x[1];
    values[1] += 4 * x[1] * (x[0] + 2);
    values[2] += 4 * x[1] * (x[0] + 2);
    values[3] += 2 * (x[0] + 2) * (x[0] + 2);
  }
  bool evaluate(ConstVector x, Vector r, double& scale, double& objective) override {
    objective = std::pow(x[0] * x[0] - 1, 2) + x[1] * x[1] * (x[0] + 2) * (x[0] + 2);
    return residual(x, r, scale);
  }
  void add_metric(double scale, Vector values) override {
    values[0] += scale;
    values[3] += scale;
  }
};

TEST(Newton, FindsAMinimumFromWhereTheHessianIsIndefinite) {
  DoubleWell problem;
  NewtonSolver solver(full_pattern(2));
  std::vector<double> x = {0.05, 0.8};
  const SolveResult& result = solver.minimise(problem, x, SolverOptions{});
  EXPECT_TRUE(result.converged);
  EXPECT_GT(result.convexified, 0);
  EXPECT_NEAR(std::abs(x[0]), 1, 1e-12);
  EXPECT_NEAR(x[1], 0, 1e-12);
}

// The same start as a root find goes to a stationary point that need not be a minimum.
TEST(Newton, RootsAreNotMinima) {
  DoubleWell problem;
  NewtonSolver solver(full_pattern(2));
  std::vector<double> x = {0.05, 0.01};
  ASSERT_TRUE(solver.find_root(problem, x, SolverOptions{}).converged);
  EXPECT_NEAR(x[0], 0, 1e-12);
}

// E = x - log x + 6 y^2, x > 0: a spring and an element that a step for the spring presses almost flat.
class NearlyFlat final : public MinimumProblem {
 public:
  bool residual(ConstVector x, Vector r, double& scale) override {
    r[0] = 1 - 1 / x[0];
    r[1] = 12 * x[1];
    scale = 12;
    return x[0] > 0;
  }
  bool evaluate(ConstVector x, Vector r, double& scale, double& objective) override {
    objective = x[0] > 0 ? x[0] - std::log(x[0]) + 6 * x[1] * x[1] : 0;
    return residual(x, r, scale);
  }
  void jacobian(ConstVector x, Vector values) override {
    values[0] += 1 / (x[0] * x[0]);
    values[3] += 12;
  }
  bool symmetric() const override { return true; }
  void add_metric(double scale, Vector values) override {
    values[0] += scale;
    values[3] += scale;
  }
};

// Newton's method goes from 1.99 to 0.02, where the energy is lower because of y, and doubles x from there on.
TEST(Newton, StepsThatPressThingsFlatComeBack) {
  NearlyFlat problem;
  NewtonSolver solver(full_pattern(2));
  std::vector<double> x = {1.99, 1};
  SolverOptions options;
  options.linear = SolverOptions::Linear::cg;
  const SolveResult& result = solver.minimise(problem, x, options);
  EXPECT_TRUE(result.converged);
  EXPECT_NEAR(x[0], 1, 1e-9);
  EXPECT_LE(result.iterations, 7);  // 10 without
}

class NoRoot final : public RootProblem {
 public:
  bool residual(ConstVector x, Vector r, double& scale) override {
    r[0] = x[0] * x[0] + 1;
    scale = 1;
    return true;
  }
  void jacobian(ConstVector x, Vector values) override { values[0] = 2 * x[0]; }
};

// A stiff spring that has come to rest: its force is the difference of large numbers, and nothing tells of their size.
class AtRest final : public RootProblem {
 public:
  bool residual(ConstVector x, Vector r, double& scale) override {
    r[0] = 1e6 * x[0] - 3e5 + 1e-9 * std::sin(1e17 * x[0]);  // with what rounding leaves
    scale = 1e-4;
    return true;
  }
  void jacobian(ConstVector, Vector values) override { values[0] += 1e6; }
};

TEST(Newton, StepsBelowTheRoundingOfTheUnknownsEndIt) {
  AtRest problem;
  NewtonSolver solver(full_pattern(1));
  std::vector<double> x = {0.1};
  EXPECT_TRUE(solver.find_root(problem, x, SolverOptions{}).converged);
  EXPECT_NEAR(x[0], 0.3, 1e-15);
  // So they do for who asks for more: rounding never fails a solve.
  SolverOptions strict;
  strict.tolerance = 1e-12;
  x = {0.1};
  EXPECT_TRUE(solver.find_root(problem, x, strict).converged);
  EXPECT_NEAR(x[0], 0.3, 1e-15);
}

TEST(Newton, SaysWhenThereIsNoRoot) {
  NoRoot problem;
  NewtonSolver solver(full_pattern(1));
  std::vector<double> x = {1.5};
  const SolveResult& result = solver.find_root(problem, x, SolverOptions{});
  EXPECT_FALSE(result.converged);
  EXPECT_NE(result.code, FailureCode::none);
  EXPECT_FALSE(result.trace.empty());
}

class Cubic final : public RootProblem {
 public:
  bool residual(ConstVector x, Vector r, double& scale) override {
    r[0] = x[0] * x[0] * x[0] - 2;
    scale = 4;
    return true;
  }
  void jacobian(ConstVector x, Vector values) override { values[0] = 3 * x[0] * x[0]; }
};

TEST(Newton, ToleranceIsKeptAndTheDefaultGoesToRounding) {
  Cubic problem;
  NewtonSolver solver(full_pattern(1));
  std::vector<double> x = {2};
  SolverOptions loose;
  loose.tolerance = 1e-3;
  const int few = solver.find_root(problem, x, loose).iterations;
  EXPECT_GT(std::abs(x[0] - std::cbrt(2.0)), 1e-12);
  x = {2};
  const int more = solver.find_root(problem, x, SolverOptions{}).iterations;
  EXPECT_NEAR(x[0], std::cbrt(2.0), 4e-16);
  EXPECT_GT(more, few);
}

}  // namespace
}  // namespace livens
