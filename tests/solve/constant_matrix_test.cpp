// Problems whose Jacobian is the same everywhere: made once, factorised or prepared once, and no step of theirs knows
// of the steps before.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "solve/newton.hpp"

namespace livens {
namespace {

// E = x'Ax/2 - b.x, A = 2.1 on the diagonal and -1 beside it.
class Chain final : public MinimumProblem {
 public:
  explicit Chain(int n) : b_(n) {
    PatternSink sink;
    for (int i = 0; i < n; ++i)
      for (int j = std::max(0, i - 1); j <= std::min(n - 1, i + 1); ++j) sink.add_entry(i, j);
    pattern_ = sink.make_pattern(n, 1);
  }
  const SparsePattern& pattern() const { return pattern_; }
  void load(double phase) {
    for (std::size_t i = 0; i < b_.size(); ++i) b_[i] = std::sin(phase * static_cast<double>(i));
  }
  void set_name(MatrixName name) { name_ = name; }
  int matrices() const { return matrices_; }

  bool residual(ConstVector x, Vector r, double& scale) override {
    double objective = 0;
    return evaluate(x, r, scale, objective);
  }
  bool evaluate(ConstVector x, Vector r, double& scale, double& objective) override {
    scale = 1;
    objective = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double ax = 2.1 * x[i] - (i > 0 ? x[i - 1] : 0) - (i + 1 < x.size() ? x[i + 1] : 0);
      r[i] = ax - b_[i];
      objective += (0.5 * ax - b_[i]) * x[i];
    }
    return true;
  }
  void jacobian(ConstVector, Vector values) override {
    ++matrices_;
    for (int i = 0; i < pattern_.n; ++i)
      for (int j = std::max(0, i - 1); j <= std::min(pattern_.n - 1, i + 1); ++j)
        values[pattern_.slot(i, j)] += i == j ? 2.1 : -1;
  }
  bool symmetric() const override { return true; }
  void add_metric(double, Vector) override {}
  MatrixName constant_matrix() const override { return name_; }

 private:
  SparsePattern pattern_;
  std::vector<double> b_;
  MatrixName name_;
  int matrices_ = 0;
};

TEST(ConstantMatrix, IsMadeAndFactorisedOnce) {
  for (const auto linear : {SolverOptions::Linear::direct, SolverOptions::Linear::cg}) {
    SolverOptions options;
    options.linear = linear;
    Chain chain(500), plain(500);
    NewtonSolver solver(chain.pattern());
    int factorisations = 0;
    chain.set_name({7, 0.1});
    for (int k = 1; k <= 4; ++k) {
      std::vector<double> x(500, 0.0), y(500, 0.0);
      chain.load(0.1 * k);
      plain.load(0.1 * k);
      const SolveResult result = solver.minimise(chain, x, options);
      EXPECT_TRUE(result.converged);
      factorisations += result.factorisations;
      NewtonSolver fresh(plain.pattern());
      EXPECT_TRUE(fresh.minimise(plain, y, options).converged);
      for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], y[i], 1e-9);
    }
    EXPECT_EQ(chain.matrices(), 1);
    EXPECT_GT(plain.matrices(), 3);
    EXPECT_EQ(factorisations, linear == SolverOptions::Linear::direct ? 1 : 0);
    chain.set_name({7, 0.2});  // another step length: another matrix
    std::vector<double> x(500, 0.0);
    EXPECT_TRUE(solver.minimise(chain, x, options).converged);
    EXPECT_EQ(chain.matrices(), 2);
    chain.set_name({});  // one that varies
    for (int k = 0; k < 2; ++k) {
      x.assign(500, 0.0);
      EXPECT_TRUE(solver.minimise(chain, x, options).converged);
    }
    EXPECT_GE(chain.matrices(), 4);
  }
}

// Two meshes: one for conjugate gradients, one that is factorised.
TEST(ConstantMatrix, StepsOfLinearMaterialsDoNotKnowOfThoseBefore) {
  for (const char* kind : {"implicit_midpoint", "newmark", "implicit_euler", "energy_momentum"})
    for (const char* cells : {"5, 4, 4", "40, 1, 1"}) {
      const std::string name = kind;
      const Scene scene = parse_scene(
          "time = { end = 1 }\nintegrator = { kind = '" + name +
          "', step = 0.01 }\n[[material]]\nname = 'm'\nkind = 'linear'\nyoung = 1e6\npoisson = 0.3\ndensity = 1000\n"
          "[[body]]\nname = 'bar'\nkind = 'solid'\nmaterial = 'm'\nmesh = { kind = 'box', size = [1, 0.5, 0.5], cells "
          "= [" +
          std::string(cells) +
          "] }\ninitial.velocity = ['0', 'X', '0']\n[[force]]\nname = 'weight'\nkind = 'gravity'\nacceleration = [0, "
          "0, -9.81]\n");
      const Model model = make_model(scene);
      State one = initial_state(scene, model), other = one;
      const auto integrator = make_integrator(scene, model);
      long iterations = 0;
      for (int k = 0; k < 4; ++k) {
        const StepReport report = integrator->advance(model, one, one.t + 1e-6);
        ASSERT_TRUE(report.converged) << name;
        iterations = report.iterations;
        ASSERT_TRUE(make_integrator(scene, model)->advance(model, other, other.t + 1e-6).converged);
        ASSERT_EQ(one.q, other.q) << name << ' ' << cells;
        ASSERT_EQ(one.p, other.p) << name << ' ' << cells;
      }
      EXPECT_LE(iterations, 4) << name << ' ' << cells;
    }
}

}  // namespace
}  // namespace livens
