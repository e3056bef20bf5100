// The minimiser on a net of springs that must not be crushed: feasible on the way, the same minimum by every linear
// solver, the same bits for any number of threads, and a cause for every failure.
#include <cmath>
#include <functional>

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include "solve/newton.hpp"

namespace livens {
namespace {

constexpr double crushed = 0.3;

// An implicit step of a square net of springs of rest length 1 in the plane,
//   E = sum m/2 |x - y|^2 + sum of springs k/2 (l - 1)^2 - k/10 log(l - crushed),
// with negative curvature across springs that are compressed.
class Net final : public MinimumProblem {
 public:
  Net(int columns, int rows, double stiffness) : k_(stiffness) {
    const auto id = [=](int i, int j) { return i * rows + j; };
    for (int i = 0; i < columns; ++i)
      for (int j = 0; j < rows; ++j) {
        rest_.push_back(i);
        rest_.push_back(j);
        if (i + 1 < columns) springs_.push_back({id(i, j), id(i + 1, j)});
        if (j + 1 < rows) springs_.push_back({id(i, j), id(i, j + 1)});
      }
    PatternSink sink;
    for (const auto& [a, b] : springs_)
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c) sink.add_entry((r < 2 ? a : b) * 2 + r % 2, (c < 2 ? a : b) * 2 + c % 2);
    pattern_ = sink.make_pattern(static_cast<int>(rest_.size()), 2);
    target_ = rest_;
    for (std::size_t i = 0; i < rest_.size(); ++i) target_[i] = rest_[i] + 0.3 * std::sin(3.0 * static_cast<double>(i));
  }
  const SparsePattern& pattern() const { return pattern_; }
  std::vector<double> start() const { return rest_; }

  bool residual(ConstVector x, Vector r, double& scale) override {
    double objective = 0;
    return evaluate(x, r, scale, objective);
  }
  bool evaluate(ConstVector x, Vector r, double& scale, double& objective) override {
    last_.assign(x.begin(), x.end());
    objective = 0;
    scale = 1;
    for (std::size_t i = 0; i < x.size(); ++i) {
      r[i] = x[i] - target_[i];
      objective += 0.5 * r[i] * r[i];
    }
    for (const auto& [a, b] : springs_) {
      const Spring s = spring(x, a, b);
      if (!(s.l > crushed)) return false;
      objective += k_ * (0.5 * (s.l - 1) * (s.l - 1) - 0.1 * std::log(s.l - crushed));
      for (std::size_t c = 0; c < 2; ++c) {
        r[at(a) + c] -= s.first * s.d[c];
        r[at(b) + c] += s.first * s.d[c];
      }
      scale = std::max(scale, std::abs(s.first));
    }
    return true;
  }
  void jacobian(ConstVector x, Vector values) override { add(x, values, false); }
  bool convex_jacobian(ConstVector x, Vector values) override {
    add(x, values, true);
    return true;
  }
  void add_metric(double scale, Vector values) override {
    for (int i = 0; i < pattern_.n; ++i) values[pattern_.slot(i, i)] += scale;
  }
  bool symmetric() const override { return true; }
  bool other_start(Vector x) override {
    std::copy(rest_.begin(), rest_.end(), x.begin());
    return true;
  }
  const std::vector<double>& last() const { return last_; }

 private:
  struct Spring {
    double d[2], l, first, second;  // direction, length, derivatives by the length
  };
  static std::size_t at(int node) { return 2 * static_cast<std::size_t>(node); }
  Spring spring(ConstVector x, int a, int b) const {
    Spring s{};
    for (std::size_t c = 0; c < 2; ++c) s.d[c] = x[at(b) + c] - x[at(a) + c];
    s.l = std::hypot(s.d[0], s.d[1]);
    for (double& d : s.d) d /= s.l;
    s.first = k_ * (s.l - 1 - 0.1 / (s.l - crushed));
    s.second = k_ * (1 + 0.1 / ((s.l - crushed) * (s.l - crushed)));
    return s;
  }
  void add(ConstVector x, Vector values, bool convex) {
    add_metric(1, values);
    for (const auto& [a, b] : springs_) {
      const Spring s = spring(x, a, b);
      const double across = convex ? std::max(0.0, s.first / s.l) : s.first / s.l;
      for (int r = 0; r < 2; ++r)
        for (int c = 0; c < 2; ++c) {
          const double h = s.second * s.d[r] * s.d[c] + across * ((r == c ? 1 : 0) - s.d[r] * s.d[c]);
          for (const int i : {a, b})
            for (const int j : {a, b}) values[pattern_.slot(2 * i + r, 2 * j + c)] += i == j ? h : -h;
        }
    }
  }

  double k_;
  std::vector<std::array<int, 2>> springs_;
  std::vector<double> rest_, target_, last_;
  SparsePattern pattern_;
};

SolverOptions options_with(SolverOptions::Linear linear, double tolerance) {
  SolverOptions options;
  options.linear = linear;
  options.tolerance = tolerance;
  return options;
}

TEST(Minimiser, EveryLinearSolverFindsTheMinimum) {
  std::vector<std::vector<double>> found;
  for (const auto linear :
       {SolverOptions::Linear::cg, SolverOptions::Linear::direct, SolverOptions::Linear::automatic}) {
    Net net(20, 16, 1);
    NewtonSolver solver(net.pattern());
    std::vector<double> x = net.start();
    const SolveResult& result = solver.minimise(net, x, options_with(linear, 1e-11));
    ASSERT_TRUE(result.converged) << to_string(result.code);
    EXPECT_EQ(net.last(), x);  // the promise to the steppers
    EXPECT_EQ(result.linear_iterations > 0, linear != SolverOptions::Linear::direct);
    EXPECT_EQ(result.factorisations > 0, linear == SolverOptions::Linear::direct);
    found.push_back(x);
  }
  for (std::size_t i = 0; i < found[0].size(); ++i) EXPECT_NEAR(found[0][i], found[1][i], 1e-9);
}

// A net so stiff that it buckles: from a saddle down to a place where the Hessian is positive definite.
TEST(Minimiser, LeavesASaddle) {
  for (const auto linear : {SolverOptions::Linear::cg, SolverOptions::Linear::direct}) {
    Net net(20, 16, 4);
    NewtonSolver solver(net.pattern());
    std::vector<double> x = net.start();
    SolverOptions options = options_with(linear, 1e-9);
    options.max_iterations = 100;
    const SolveResult& result = solver.minimise(net, x, options);
    ASSERT_TRUE(result.converged) << to_string(result.code);
    EXPECT_GT(result.convexified, 0);
    std::vector<double> hessian(net.pattern().nonzeros(), 0.0);
    net.jacobian(net.start(), hessian);
    EXPECT_FALSE(make_cholesky(net.pattern())->factorise(hessian));
    std::fill(hessian.begin(), hessian.end(), 0.0);
    net.jacobian(x, hessian);
    EXPECT_TRUE(make_cholesky(net.pattern())->factorise(hessian));
  }
}

TEST(Minimiser, NoNeedlessEvaluations) {
  Net net(20, 16, 1);
  NewtonSolver solver(net.pattern());
  std::vector<double> x = net.start();
  const SolveResult& result = solver.minimise(net, x, options_with(SolverOptions::Linear::cg, 1e-8));
  ASSERT_TRUE(result.converged);
  EXPECT_LE(result.evaluations, result.iterations + result.cuts + 2);  // the start, and another start
}

TEST(Minimiser, StartsAfresh) {
  Net net(20, 16, 1);
  NewtonSolver solver(net.pattern());
  std::vector<double> x = net.start();
  x[1] = x[3];  // crushed
  x[0] = x[2];
  EXPECT_TRUE(solver.minimise(net, x, options_with(SolverOptions::Linear::cg, 1e-8)).converged);
}

TEST(Minimiser, SameBitsForAnyNumberOfThreads) {
  std::vector<std::vector<double>> found;
  for (const std::size_t threads : {1, 2}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    Net net(120, 12, 1);
    NewtonSolver solver(net.pattern());
    found.push_back(net.start());
    ASSERT_TRUE(solver.minimise(net, found.back(), options_with(SolverOptions::Linear::cg, 1e-9)).converged);
  }
  EXPECT_EQ(found[0], found[1]);
}

// A symmetric root by conjugate gradients, and by a factorisation where the matrix is not positive definite.
TEST(Root, SymmetricSystems) {
  for (const auto linear : {SolverOptions::Linear::cg, SolverOptions::Linear::automatic}) {
    Net net(20, 16, 1);
    NewtonSolver solver(net.pattern());
    std::vector<double> x = net.start();
    const SolveResult& result = solver.find_root(net, x, options_with(linear, 1e-9));
    EXPECT_TRUE(result.converged) << to_string(result.code);
    EXPECT_GT(result.linear_iterations, 0);
  }
}

// One unknown with parts that can be bent to make each failure happen.
class Bent final : public MinimumProblem {
 public:
  std::function<double(double)> value = [](double x) { return 0.5 * x * x; }, slope = [](double x) { return x; },
                                curvature = [](double) { return 1.0; };
  std::function<bool(double)> feasible = [](double) { return true; };
  double metric = 1;

  bool residual(ConstVector x, Vector r, double& scale) override {
    r[0] = slope(x[0]);
    scale = 1;
    return std::isfinite(r[0]);
  }
  bool evaluate(ConstVector x, Vector r, double& scale, double& objective) override {
    objective = value(x[0]);
    return residual(x, r, scale) && feasible(x[0]);
  }
  void jacobian(ConstVector x, Vector values) override { values[0] += curvature(x[0]); }
  void add_metric(double scale, Vector values) override { values[0] += metric * scale; }
};

FailureCode failure_of(Bent& problem, double start, SolverOptions options = {}, bool minimise = true) {
  PatternSink sink;
  sink.add_entry(0, 0);
  NewtonSolver solver(sink.make_pattern(1, 1));
  std::vector<double> x = {start};
  const SolveResult& result = minimise ? solver.minimise(problem, x, options) : solver.find_root(problem, x, options);
  EXPECT_EQ(result.converged, result.code == FailureCode::none);
  return result.code;
}

TEST(Failures, NoneWhereNothingIsBent) {
  Bent problem;
  EXPECT_EQ(failure_of(problem, 1), FailureCode::none);
  EXPECT_EQ(failure_of(problem, 1, {}, false), FailureCode::none);
}

TEST(Failures, Inverted) {
  Bent problem;
  problem.feasible = [](double x) { return x == 1; };
  EXPECT_EQ(failure_of(problem, 1), FailureCode::inverted);
  EXPECT_EQ(failure_of(problem, 2), FailureCode::inverted);
}

TEST(Failures, NotFinite) {
  Bent problem;
  problem.slope = [](double x) { return std::log(x); };
  EXPECT_EQ(failure_of(problem, -1, {}, false), FailureCode::not_finite);
}

TEST(Failures, Indefinite) {
  Bent problem;
  problem.curvature = [](double) { return -1.0; };
  problem.metric = 0;
  EXPECT_EQ(failure_of(problem, 1), FailureCode::indefinite);
  problem.metric = 1;
  SolverOptions options;
  options.tolerance = 1e-4;
  EXPECT_EQ(failure_of(problem, 1, options), FailureCode::none);
}

TEST(Failures, Singular) {
  Bent problem;
  problem.curvature = [](double) { return 0.0; };
  EXPECT_EQ(failure_of(problem, 1, {}, false), FailureCode::singular);
}

TEST(Failures, NoConvergence) {
  Bent problem;
  problem.curvature = [](double) { return 1.2; };
  SolverOptions options;
  options.max_iterations = 2;
  EXPECT_EQ(failure_of(problem, 1, options), FailureCode::no_convergence);
}

TEST(Failures, NoDecrease) {
  Bent problem;
  problem.value = [](double x) { return -0.5 * x * x; };  // the slope has the wrong sign
  problem.curvature = [](double) { return 2.5; };         // and a full step does not make it smaller
  EXPECT_EQ(failure_of(problem, 1), FailureCode::no_decrease);
}

// A root between two neighbouring numbers, about 1e-7 apart: the solve cannot come closer, whatever it is asked for.
TEST(Failures, RoundingFloor) {
  Bent problem;
  double root = 1e9, rest = 3e-8;
  problem.value = [&](double x) { return 1 + 0.5 * (x - root - rest) * (x - root - rest); };
  problem.slope = [&](double x) { return x - root - rest; };
  SolverOptions options;
  options.tolerance = 1e-9;
  EXPECT_EQ(failure_of(problem, 1e9 + 1, options), FailureCode::none);
  EXPECT_EQ(failure_of(problem, 1e9 + 1), FailureCode::none);
  options.tolerance = 1e-6;
  EXPECT_EQ(failure_of(problem, 1e9 + 1, options), FailureCode::none);
  root = 1e5;
  rest = 5e-12;
  EXPECT_EQ(failure_of(problem, 1e5 + 1), FailureCode::none);  // a stall below 1e-10 is as good as it gets
}

}  // namespace
}  // namespace livens
