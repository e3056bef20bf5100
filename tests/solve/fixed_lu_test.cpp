// LU in an order that is chosen once, against a dense one.
#include "solve/fixed_lu.hpp"

#include <cmath>
#include <random>

#include <Eigen/LU>
#include <gtest/gtest.h>

namespace livens {
namespace {

// [ A B ; C -e ] from dense numbers, entries where the mask has them.
struct Saddle {
  Eigen::MatrixXd matrix;
  SparsePattern pattern;
  std::vector<double> values;
  int unknowns = 0;
};

Saddle finished(Eigen::MatrixXd matrix, int unknowns) {
  Saddle saddle;
  saddle.unknowns = unknowns;
  saddle.pattern.n = static_cast<int>(matrix.rows());
  saddle.pattern.column_start.push_back(0);
  for (int c = 0; c < saddle.pattern.n; ++c) {
    for (int r = 0; r < saddle.pattern.n; ++r)
      if (r == c || matrix(r, c) != 0 || matrix(c, r) != 0) {
        saddle.pattern.row.push_back(r);
        saddle.values.push_back(matrix(r, c));
      }
    saddle.pattern.column_start.push_back(static_cast<int>(saddle.pattern.row.size()));
  }
  saddle.matrix = std::move(matrix);
  return saddle;
}

// Masses in space on a chain of rods; springs between neighbours if asked. The two borders differ, as in steps.
Saddle chain(int links, bool springs, double regularisation) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(-1, 1);
  const int n = 3 * (links + 1), m = links;
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n + m, n + m);
  for (int i = 0; i < n; ++i) matrix(i, i) = 2 + any(random);
  for (int i = 0; springs && i + 3 < n; ++i) {
    matrix(i, i) += 5;
    matrix(i + 3, i + 3) += 5;
    matrix(i, i + 3) = matrix(i + 3, i) = -5;
  }
  for (int k = 0; k < m; ++k) {
    for (int i = 0; i < 3; ++i) {
      const double x = any(random), y = x + 0.01 * any(random);
      matrix(n + k, 3 * k + i) = x, matrix(n + k, 3 * k + 3 + i) = -x;
      matrix(3 * k + i, n + k) = y, matrix(3 * k + 3 + i, n + k) = -y;
    }
    matrix(n + k, n + k) = -regularisation;
  }
  return finished(std::move(matrix), n);
}

double error_of(LinearSolver& solver, const Saddle& saddle) {
  const Eigen::VectorXd exact = Eigen::VectorXd::LinSpaced(saddle.pattern.n, -1, 2);
  Eigen::VectorXd x = saddle.matrix * exact;
  solver.solve(Vector(x.data(), static_cast<std::size_t>(x.size())));
  return (x - exact).cwiseAbs().maxCoeff();
}

TEST(FixedLu, SolvesChains) {
  for (const int links : {1, 3, 40})
    for (const bool springs : {false, true}) {
      const Saddle saddle = chain(links, springs, 1e-12);
      const auto solver = make_fixed_lu(saddle.pattern, saddle.unknowns);
      ASSERT_NE(solver, nullptr) << links;
      for (int again = 0; again < 2; ++again) {
        ASSERT_TRUE(solver->factorise(saddle.values));
        EXPECT_LT(error_of(*solver, saddle), 1e-10) << links << " " << springs;
      }
    }
}

// Twice the same rod: only the regularisation makes the matrix regular, and the pivot is what cancels.
TEST(FixedLu, LeavesRedundantConstraintsToPivoting) {
  Saddle saddle = chain(3, false, 0);
  const int last = saddle.pattern.n - 1;
  saddle.matrix.row(last).head(saddle.unknowns) = saddle.matrix.row(last - 1).head(saddle.unknowns);
  saddle.matrix.col(last).head(saddle.unknowns) = saddle.matrix.col(last - 1).head(saddle.unknowns);
  saddle.matrix(last, last) = -1e-9;
  const Saddle redundant = finished(saddle.matrix, saddle.unknowns);
  const auto solver = make_fixed_lu(redundant.pattern, redundant.unknowns);
  ASSERT_NE(solver, nullptr);
  ASSERT_TRUE(solver->factorise(redundant.values));
  EXPECT_LT(error_of(*solver, redundant), 1e-5);
  // The next matrix of the pattern is solved in order again.
  saddle.matrix.row(last).head(3) *= 0.5;
  saddle.matrix.col(last).head(3) *= 0.5;
  saddle.matrix.row(last).segment(6, 3) *= 2;
  saddle.matrix.col(last).segment(6, 3) *= 2;
  const Saddle other = finished(saddle.matrix, saddle.unknowns);
  ASSERT_EQ(other.pattern.row, redundant.pattern.row);
  ASSERT_TRUE(solver->factorise(other.values));
  EXPECT_LT(error_of(*solver, other), 1e-10);
}

// A pivot in A that cancels, as of a tangent that is not definite: still solved.
TEST(FixedLu, SolvesWhereThePivotsOfTheOrderVanish) {
  Eigen::MatrixXd matrix(3, 3);
  matrix << 1e-18, 1, 1, 1, 1e-18, 0.5, 1, 0.5, -1e-12;
  const Saddle saddle = finished(matrix, 2);
  const auto solver = make_fixed_lu(saddle.pattern, saddle.unknowns);
  ASSERT_TRUE(solver->factorise(saddle.values));
  EXPECT_LT(error_of(*solver, saddle), 1e-10);
}

TEST(FixedLu, IsNotForWideFactors) {
  constexpr int n = 900;
  std::mt19937 random(3);
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Identity(n, n);
  for (int k = 0; k < 6 * n; ++k) {
    const int r = static_cast<int>(random() % n), c = static_cast<int>(random() % n);
    matrix(r, c) = matrix(c, r) = 1;
  }
  EXPECT_EQ(make_fixed_lu(finished(std::move(matrix), n).pattern, n), nullptr);
}

TEST(FixedLu, IsNotForPatternsWithoutSymmetry) {
  SparsePattern pattern;
  pattern.n = 2;
  pattern.column_start = {0, 2, 3};
  pattern.row = {0, 1, 1};
  EXPECT_EQ(make_fixed_lu(pattern, 2), nullptr);
}

}  // namespace
}  // namespace livens
