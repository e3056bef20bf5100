// Checks of hand-written derivatives against central differences, for terms and forces.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include <livens/energy.hpp>

#include "math/sparse_pattern.hpp"

namespace livens::testing {

// A sink that keeps the sum of all blocks as a dense matrix.
class DenseSink final : public MatrixSink {
 public:
  explicit DenseSink(std::size_t n) : n_(n), values_(n * n, 0.0) {}
  void add_block(std::span<const int> rows, std::span<const int> columns, const double* values) override {
    for (std::size_t r = 0; r < rows.size(); ++r)
      for (std::size_t c = 0; c < columns.size(); ++c)
        values_[rows[r] * n_ + columns[c]] += values[r * columns.size() + c];
  }
  BlockAccess blocks(std::span<const int>, int, int) override { throw std::logic_error("dense blocks only"); }
  double operator()(std::size_t r, std::size_t c) const { return values_[r * n_ + c]; }

 private:
  std::size_t n_;
  std::vector<double> values_;
};

inline std::vector<double> random_vector(std::size_t n, double size, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-size, size);
  std::vector<double> x(n);
  for (double& value : x) value = uniform(engine);
  return x;
}

// Central differences of step 1e-5 are good to about 1e-9 of the values here; 1e-7 leaves room for curvature.
constexpr double difference_tolerance = 1e-7;
constexpr double difference_step = 1e-5;

inline void expect_consistent(const EnergyTerm& term, std::vector<double> q) {
  const std::size_t n = q.size();
  std::vector<double> g(n, 0.0), plus(n), minus(n), fused(n, 0.0);
  term.add_gradient(0.3, q, 1, g);
  EXPECT_DOUBLE_EQ(term.add_gradient_and_energy(0.3, q, 1, fused), term.energy(0.3, q));
  EXPECT_EQ(g, fused);
  std::vector<double> written(n, 7.0);  // what stood there must not matter
  term.write_gradient(0.3, q, written);
  EXPECT_EQ(g, written);
  double largest = 0;
  for (const double value : g) largest = std::max(largest, std::abs(value));
  EXPECT_GT(largest, 1e-3);  // there is a force to check
  DenseSink hessian(n);
  term.add_hessian(0.3, q, 1, hessian);
  for (std::size_t i = 0; i < n; ++i) {
    const double x = q[i];
    q[i] = x + difference_step;
    const double above = term.energy(0.3, q);
    std::fill(plus.begin(), plus.end(), 0.0);
    term.add_gradient(0.3, q, 1, plus);
    q[i] = x - difference_step;
    const double below = term.energy(0.3, q);
    std::fill(minus.begin(), minus.end(), 0.0);
    term.add_gradient(0.3, q, 1, minus);
    q[i] = x;
    EXPECT_NEAR(g[i], (above - below) / (2 * difference_step), difference_tolerance) << "gradient " << i;
    for (std::size_t j = 0; j < n; ++j)
      EXPECT_NEAR(hessian(j, i), (plus[j] - minus[j]) / (2 * difference_step), difference_tolerance)
          << "Hessian " << j << " " << i;
  }
}

inline void expect_consistent(const Force& force, std::vector<double> q, std::vector<double> v) {
  const std::size_t n = q.size();
  DenseSink by_q(n), by_v(n);
  force.add_jacobian(0.3, q, v, 1, 0, by_q);
  force.add_jacobian(0.3, q, v, 0, 1, by_v);
  for (int side = 0; side < 2; ++side) {
    std::vector<double>& x = side == 0 ? q : v;
    const DenseSink& jacobian = side == 0 ? by_q : by_v;
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<double> plus(n, 0.0), minus(n, 0.0);
      const double middle = x[i];
      x[i] = middle + difference_step;
      force.add_force(0.3, q, v, 1, plus);
      x[i] = middle - difference_step;
      force.add_force(0.3, q, v, 1, minus);
      x[i] = middle;
      for (std::size_t j = 0; j < n; ++j)
        EXPECT_NEAR(jacobian(j, i), (plus[j] - minus[j]) / (2 * difference_step), difference_tolerance)
            << (side == 0 ? "by q " : "by v ") << j << " " << i;
    }
  }
}

}  // namespace livens::testing
