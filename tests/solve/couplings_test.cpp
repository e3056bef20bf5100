// Blocks beside the pattern of conjugate gradients, and minimal residuals for what is not symmetric.
#include <cmath>
#include <random>

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include "solve/block_cg.hpp"
#include "solve/flexible_gmres.hpp"

namespace livens {
namespace {

// Two chains of nodes, each coupled to its neighbours, and between them k g g' beside the pattern, with the diagonal
// parts inside.
struct Chains {
  static constexpr int block = 3, nodes = 400;
  SparsePattern pattern;
  std::vector<double> values;
  std::vector<NodeCoupling> pairs;
  std::vector<double> blocks;

  explicit Chains(double stiffness) {
    PatternSink sink;
    for (int a = 0; a < nodes; ++a)
      for (int b = std::max(0, a - 1); b <= std::min(nodes - 1, a + 1); ++b)
        if (a / (nodes / 2) == b / (nodes / 2))
          for (int r = 0; r < block; ++r)
            for (int c = 0; c < block; ++c) sink.add_entry(a * block + r, b * block + c);
    pattern = sink.make_pattern(nodes * block, block);
    values.assign(pattern.nonzeros(), 0.0);
    for (int i = 0; i < pattern.n; ++i) {
      values[pattern.slot(i, i)] += 2.5;
      for (const int j : {i - block, i + block})
        if (j >= 0 && j < pattern.n && pattern.slot(i, j) >= 0) values[pattern.slot(i, j)] -= 1;
    }
    std::mt19937 engine(2);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (int k = 0; k < 50; ++k) {
      const int a = 3 * k, b = nodes / 2 + 7 * k % (nodes / 2);
      double g[6];
      for (double& value : g) value = uniform(engine);
      pairs.push_back({a, b});
      for (int r = 0; r < block; ++r)
        for (int c = 0; c < block; ++c) {
          values[pattern.slot(a * block + r, a * block + c)] += stiffness * g[r] * g[c];
          values[pattern.slot(b * block + r, b * block + c)] += stiffness * g[3 + r] * g[3 + c];
          blocks.push_back(stiffness * g[r] * g[3 + c]);
        }
    }
  }
  void multiply(ConstVector x, Vector y) const {
    pattern.multiply(values, x, y);
    for (std::size_t k = 0; k < pairs.size(); ++k)
      for (int r = 0; r < block; ++r)
        for (int c = 0; c < block; ++c) {
          const double value = blocks[k * 9 + r * block + c];
          y[pairs[k].row * block + r] += value * x[pairs[k].column * block + c];
          y[pairs[k].column * block + c] += value * x[pairs[k].row * block + r];
        }
  }
  double error(ConstVector x, ConstVector b) const {
    std::vector<double> y(b.size());
    multiply(x, y);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] -= b[i];
    return std::sqrt(dot(y, y) / dot(b, b));
  }
};

std::vector<double> right_side(int n) {
  std::vector<double> b;
  for (int i = 0; i < n; ++i) b.push_back(std::sin(1.0 + i));
  return b;
}

TEST(Couplings, AreSolvedForBesideThePattern) {
  for (const double stiffness : {0.1, 1.0, 100.0}) {
    const Chains chains(stiffness);
    const std::vector<double> b = right_side(chains.pattern.n);
    std::vector<double> x(b.size()), without(b.size());
    auto cg = make_block_cg(chains.pattern, CgPrecision::extended);
    ASSERT_TRUE(cg->prepare(chains.values, {chains.pairs, chains.blocks}));
    EXPECT_EQ(cg->solve(b, x, 1e-11, 2000).end, CgResult::End::converged);
    EXPECT_LE(chains.error(x, b), 1e-9);
    ASSERT_TRUE(cg->prepare(chains.values));  // they are gone
    cg->solve(b, without, 1e-11, 2000);
    EXPECT_GT(chains.error(without, b), 1e-3) << "and the test would see it";
  }
}

TEST(Couplings, HaveTheSameBitsForAnyNumberOfThreads) {
  const Chains chains(3);
  const std::vector<double> b = right_side(chains.pattern.n);
  std::vector<double> x[2];
  for (int k = 0; k < 2; ++k) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, k == 0 ? 1 : 4);
    x[k].resize(b.size());
    auto cg = make_block_cg(chains.pattern);
    ASSERT_TRUE(cg->prepare(chains.values, {chains.pairs, chains.blocks}));
    cg->solve(b, x[k], 1e-4, 500);
  }
  EXPECT_EQ(x[0], x[1]);
}

// b - A x, as conjugate gradients know it, against the product itself.
TEST(Couplings, RemainderIsThatOfTheSolution) {
  const Chains chains(3);
  const std::vector<double> b = right_side(chains.pattern.n);
  std::vector<double> x(b.size()), y(b.size()), r(b.size());
  auto cg = make_block_cg(chains.pattern, CgPrecision::extended);
  ASSERT_TRUE(cg->prepare(chains.values, {chains.pairs, chains.blocks}));
  for (const double reduction : {0.5, 1e-2, 1e-6}) {
    cg->solve(b, x, reduction, 500);
    cg->remainder(r);
    chains.multiply(x, y);
    for (std::size_t i = 0; i < b.size(); ++i) EXPECT_NEAR(r[i], b[i] - y[i], 1e-12);
    EXPECT_GT(dot(r, r), 1e-20) << "there is something to compare";
  }
}

// The matrix and a skew part, which conjugate gradients know nothing of.
TEST(FlexibleGmres, SolvesWhatIsNotSymmetric) {
  const Chains chains(1);
  const std::vector<double> b = right_side(chains.pattern.n);
  std::vector<double> x(b.size());
  auto cg = make_block_cg(chains.pattern);
  ASSERT_TRUE(cg->prepare(chains.values, {chains.pairs, chains.blocks}));
  const auto multiply = [&](ConstVector v, Vector y) {
    chains.multiply(v, y);
    for (std::size_t i = 0; i + 1 < v.size(); i += 2) {
      y[i] += 0.4 * v[i + 1];
      y[i + 1] -= 0.4 * v[i];
    }
  };
  FlexibleGmres gmres;
  const auto precondition = [&](ConstVector v, Vector y) { return cg->solve(v, y, 0.1, 500).iterations > 0; };
  for (const double reduction : {1e-2, 1e-6}) {
    ASSERT_TRUE(gmres.solve(multiply, precondition, b, x, {reduction, reduction, 0}));
    std::vector<double> y(b.size());
    multiply(x, y);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] -= b[i];
    const double left = std::sqrt(dot(y, y) / dot(b, b));
    EXPECT_LE(left, 1.01 * reduction);
    EXPECT_NEAR(left, gmres.left(), 1e-9);
    EXPECT_LT(gmres.iterations(), reduction > 1e-3 ? 6u : 14u);
  }
  // What is wanted beyond what is enough: only as long as iterations are quick.
  ASSERT_TRUE(gmres.solve(multiply, precondition, b, x, {1e-2, 1e-6, 1}));
  EXPECT_LE(gmres.left(), 1e-6);
  ASSERT_TRUE(gmres.solve(multiply, precondition, b, x, {1e-2, 1e-6, 1e-3}));
  EXPECT_GT(gmres.left(), 1e-6);
}

}  // namespace
}  // namespace livens
