// Linear systems on a fixed sparse pattern: analysed once, factorised often.
#pragma once

#include <memory>

#include "math/sparse_pattern.hpp"

namespace livens {

class LinearSolver {
 public:
  virtual ~LinearSolver() = default;
  // False if the matrix is singular, or not positive definite for a Cholesky solver.
  virtual bool factorise(ConstVector values) = 0;
  virtual void solve(Vector x) const = 0;  // x = A^-1 x
};

// Cholesky for symmetric positive definite matrices, LU for the rest; dense for small systems, sparse for large.
std::unique_ptr<LinearSolver> make_cholesky(const SparsePattern& pattern);
std::unique_ptr<LinearSolver> make_lu(const SparsePattern& pattern);

}  // namespace livens
