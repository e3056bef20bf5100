// A x = b by Gaussian elimination with full pivoting, in the memory of A and b. Equations that follow from others, to
// rounding, are left out and their unknowns are 0: some solution of a consistent system, whatever its rank.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace livens {

// A: n x n, column by column. order: n numbers to work with. What was in A and b is lost.
inline void solve_with_full_pivoting(std::span<double> A, std::span<double> b, std::span<double> x,
                                     std::span<int> order) {
  const std::size_t n = b.size();
  const auto at = [&](std::size_t i, std::size_t j) -> double& { return A[j * n + i]; };
  for (std::size_t k = 0; k < n; ++k) order[k] = static_cast<int>(k);
  double largest = 0;
  std::size_t rank = 0;
  for (; rank < n; ++rank) {
    std::size_t row = rank, column = rank;
    for (std::size_t j = rank; j < n; ++j)
      for (std::size_t i = rank; i < n; ++i)
        if (std::abs(at(i, j)) > std::abs(at(row, column))) row = i, column = j;
    const double pivot = std::abs(at(row, column));
    largest = std::max(largest, pivot);
    if (!(pivot > 1e-13 * static_cast<double>(n) * largest)) break;
    for (std::size_t j = 0; row != rank && j < n; ++j) std::swap(at(row, j), at(rank, j));
    for (std::size_t i = 0; column != rank && i < n; ++i) std::swap(at(i, column), at(i, rank));
    std::swap(b[row], b[rank]);
    std::swap(order[column], order[rank]);
    for (std::size_t i = rank + 1; i < n; ++i) {
      const double factor = at(i, rank) / at(rank, rank);
      if (factor == 0) continue;
      for (std::size_t j = rank + 1; j < n; ++j) at(i, j) -= factor * at(rank, j);
      b[i] -= factor * b[rank];
    }
  }
  std::fill(x.begin(), x.end(), 0.0);
  for (std::size_t k = rank; k-- > 0;) {
    double sum = b[k];
    for (std::size_t j = k + 1; j < rank; ++j) sum -= at(k, j) * x[order[j]];
    x[order[k]] = sum / at(k, k);
  }
}

}  // namespace livens
