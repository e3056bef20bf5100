// Linear solvers: conjugate gradients and factorisations agree, see what is not positive definite, and give the same
// bits for any number of threads.
#include "solve/linear_solver.hpp"

#include <array>
#include <cmath>
#include <random>

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include "solve/block_cg.hpp"
#include "solve/sweep_order.hpp"

namespace livens {
namespace {

// A box of nodes, each coupled to its neighbours by random blocks; positive definite by a dominant diagonal.
struct Box {
  SparsePattern pattern;
  std::vector<double> values;

  Box(int block, int nx, int ny, int nz, double dominance = 1.05) {
    PatternSink sink;
    const auto id = [=](int i, int j, int k) { return (i * ny + j) * nz + k; };
    const int nodes = nx * ny * nz;
    for (int i = 0; i < nx; ++i)
      for (int j = 0; j < ny; ++j)
        for (int k = 0; k < nz; ++k)
          for (const auto& [a, b, c] : {std::array{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {0, 1, 1}})
            if (i + a < nx && j + b < ny && k + c < nz)
              for (int r = 0; r < block; ++r)
                for (int s = 0; s < block; ++s)
                  sink.add_entry(id(i, j, k) * block + r, id(i + a, j + b, k + c) * block + s);
    pattern = sink.make_pattern(nodes * block, block);
    values.assign(pattern.nonzeros(), 0.0);
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<double> row_sum(pattern.n, 0.0);
    for (int c = 0; c < pattern.n; ++c)
      for (int k = pattern.column_start[c]; k < pattern.column_start[c + 1]; ++k) {
        const int r = pattern.row[k];
        if (r >= c) continue;
        const double value = uniform(random);
        at(r, c) = at(c, r) = value;
        row_sum[r] += std::abs(value);
        row_sum[c] += std::abs(value);
      }
    for (int i = 0; i < pattern.n; ++i) at(i, i) = dominance * row_sum[i];
  }
  double& at(int r, int c) { return values[pattern.slot(r, c)]; }
  std::vector<double> right_side() const {
    std::vector<double> b;
    for (int i = 0; i < pattern.n; ++i) b.push_back(std::sin(1.0 + i));
    return b;
  }
  // |A x - b| / |b|
  double error(const std::vector<double>& x, const std::vector<double>& b) const {
    std::vector<double> y(b.size());
    pattern.multiply(values, x, y);
    double difference = 0, size = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
      difference += (y[i] - b[i]) * (y[i] - b[i]);
      size += b[i] * b[i];
    }
    return std::sqrt(difference / size);
  }
};

TEST(BlockCg, SolvesBlocksOfEverySize) {
  for (const int block : {1, 2, 3})
    for (const auto precision : {CgPrecision::single, CgPrecision::extended}) {
      const Box box(block, 12, 5, 4);
      const auto b = box.right_side();
      std::vector<double> x(b.size());
      auto cg = make_block_cg(box.pattern, precision);
      ASSERT_TRUE(cg->prepare(box.values));
      const double reduction = precision == CgPrecision::single ? 1e-5 : 1e-12;
      const CgResult result = cg->solve(b, x, reduction, 500);
      EXPECT_EQ(result.end, CgResult::End::converged);
      EXPECT_GT(result.iterations, 2);
      EXPECT_LT(box.error(x, b), 30 * reduction) << block;
    }
}

TEST(BlockCg, SeesNegativeCurvature) {
  Box box(3, 8, 4, 4);
  for (int i = 0; i < box.pattern.n; ++i) box.at(i, i) *= 0.25;  // diagonal blocks stay positive, the matrix does not
  const auto b = box.right_side();
  std::vector<double> x(b.size());
  auto cg = make_block_cg(box.pattern);
  ASSERT_TRUE(cg->prepare(box.values));
  EXPECT_EQ(cg->solve(b, x, 1e-6, 500).end, CgResult::End::negative_curvature);
  box.at(5, 5) = -1;
  EXPECT_FALSE(cg->prepare(box.values));
  EXPECT_FALSE(make_cholesky(box.pattern)->factorise(box.values));
}

TEST(BlockCg, SaysWhenTheLimitIsReached) {
  const Box box(3, 12, 5, 4);
  const auto b = box.right_side();
  std::vector<double> x(b.size());
  auto cg = make_block_cg(box.pattern);
  ASSERT_TRUE(cg->prepare(box.values));
  EXPECT_EQ(cg->solve(b, x, 1e-6, 2).end, CgResult::End::limit);
}

TEST(BlockCg, SameBitsForAnyNumberOfThreads) {
  const Box box(3, 60, 9, 8);
  ASSERT_GT(make_sweep_order(box.pattern).interiors.size(), 4u);  // there is something to share
  const auto b = box.right_side();
  std::vector<std::vector<double>> results;
  for (const std::size_t threads : {1, 2, 4}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    auto cg = make_block_cg(box.pattern);
    ASSERT_TRUE(cg->prepare(box.values));
    results.emplace_back(b.size());
    cg->solve(b, results.back(), 1e-5, 500);
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

// Interiors touch neither each other nor two separators; separators do not touch each other.
TEST(SweepOrder, PiecesAreIndependent) {
  const Box box(1, 80, 8, 8);
  const SweepOrder order = make_sweep_order(box.pattern);
  std::vector<int> piece(order.node.size(), -1);
  int number = 0;
  for (const auto* ranges : {&order.interiors, &order.separators})
    for (const NodeRange& range : *ranges) {
      for (int i = range.begin; i < range.end; ++i) piece[order.node[i]] = number;
      ++number;
    }
  const auto interiors = static_cast<int>(order.interiors.size());
  ASSERT_GT(interiors, 2);
  for (std::size_t c = 0; c < piece.size(); ++c) {
    ASSERT_GE(piece[c], 0);
    int wall = -1;
    for (int k = box.pattern.column_start[c]; k < box.pattern.column_start[c + 1]; ++k) {
      const int other = piece[box.pattern.row[k]];
      if (other == piece[c]) continue;
      EXPECT_TRUE((other < interiors) != (piece[c] < interiors));
      if (piece[c] >= interiors) continue;
      EXPECT_TRUE(wall == -1 || wall == other);
      wall = other;
    }
  }
}

TEST(Direct, FactorisationsAgree) {
  for (const int block : {1, 2, 3}) {
    Box box(block, 6, 4, 4);
    const auto b = box.right_side();
    std::vector<std::unique_ptr<LinearSolver>> solvers;
    for (const auto kind : {MatrixKind::positive_definite, MatrixKind::symmetric, MatrixKind::general})
      solvers.push_back(make_mumps(box.pattern, kind));
    solvers.push_back(make_eigen_cholesky(box.pattern));
    solvers.push_back(make_eigen_lu(box.pattern));
    for (const double factor : {1.0, 3.0}) {  // the second time with other values on the same analysis
      for (double& value : box.values) value *= factor;
      for (const auto& solver : solvers) {
        ASSERT_TRUE(solver->factorise(box.values));
        std::vector<double> x = b;
        solver->solve(x);
        EXPECT_LT(box.error(x, b), 1e-13);
      }
    }
    box.at(1, 1) = -1;
    EXPECT_FALSE(solvers[0]->factorise(box.values));
    EXPECT_TRUE(solvers[1]->factorise(box.values));
    EXPECT_FALSE(solvers[3]->factorise(box.values));
    std::vector<double> x = b;
    solvers[1]->solve(x);
    EXPECT_LT(box.error(x, b), 1e-12);
  }
}

TEST(Direct, AMatrixThatIsNotSymmetric) {
  Box box(3, 6, 4, 4);
  for (int c = 0; c < box.pattern.n; c += 2)
    for (int r = 0; r < c; ++r)
      if (box.pattern.slot(r, c) >= 0) box.at(r, c) *= -0.5;
  const auto b = box.right_side();
  auto solver = make_lu(box.pattern);
  ASSERT_TRUE(solver->factorise(box.values));
  std::vector<double> x = b;
  solver->solve(x);
  EXPECT_LT(box.error(x, b), 1e-13);
  for (int c = 0; c < box.pattern.n; ++c)
    if (box.pattern.slot(4, c) >= 0) box.at(4, c) = 0;
  EXPECT_FALSE(solver->factorise(box.values));
}

}  // namespace
}  // namespace livens
