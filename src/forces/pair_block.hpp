// Second derivatives of potentials of a difference d = q_j - q_i.
#pragma once

#include <array>

#include <livens/energy.hpp>

namespace livens {

using PairMatrix = std::array<std::array<double, 3>, 3>;

// K on (i, i) and (j, j), -K on (i, j) and (j, i); i, j: first coordinates of the nodes.
inline void add_pair_block(int i, int j, int dimension, const PairMatrix& K, MatrixSink& sink) {
  std::array<double, 36> block;
  std::array<int, 6> rows;
  const auto dim = static_cast<std::size_t>(dimension), width = 2 * dim;
  for (std::size_t a = 0; a < dim; ++a) {
    rows[a] = i + static_cast<int>(a);
    rows[dim + a] = j + static_cast<int>(a);
    for (std::size_t b = 0; b < dim; ++b) {
      block[a * width + b] = block[(dim + a) * width + dim + b] = K[a][b];
      block[a * width + dim + b] = block[(dim + a) * width + b] = -K[a][b];
    }
  }
  const std::span<const int> both(rows.data(), width);
  sink.add_block(both, both, block.data());
}

// Derivative by d1 of the discrete derivative f(l0, l1) (d0 + d1) of a potential of the length l = |d|:
//   K = f 1 + df/dl1 (d0 + d1) n1',  n1 = d1/l1
// or its symmetric part.
inline PairMatrix central_tangent(double f, double f_by_l1, const double* sum, const double* n1, int dimension,
                                  bool symmetric) {
  PairMatrix K{};
  for (int a = 0; a < dimension; ++a)
    for (int b = 0; b < dimension; ++b) {
      const double outer = symmetric ? 0.5 * (sum[a] * n1[b] + n1[a] * sum[b]) : sum[a] * n1[b];
      K[a][b] = (a == b ? f : 0) + f_by_l1 * outer;
    }
  return K;
}

}  // namespace livens
