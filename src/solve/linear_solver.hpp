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
  // The same for several right sides, one after the other in x.
  virtual void solve_all(Vector x, int count) const {
    const std::size_t n = x.size() / static_cast<std::size_t>(count);
    for (int k = 0; k < count; ++k) solve(x.subspan(static_cast<std::size_t>(k) * n, n));
  }
  // Of the matrix factorised last, for those that know it (MUMPS, symmetric): its number of negative eigenvalues.
  virtual int negative_eigenvalues() const { return -1; }
};

// Cholesky for symmetric positive definite matrices, LU for the rest (symmetric: L D L' in its place where that
// exists); dense for small systems, sparse for large: Eigen where the factor is thin (chains), MUMPS where it has large
// fronts.
std::unique_ptr<LinearSolver> make_cholesky(const SparsePattern& pattern);
std::unique_ptr<LinearSolver> make_lu(const SparsePattern& pattern, bool symmetric = false);

// The parts that these choose from, for tests and measurements.
enum class MatrixKind { positive_definite, symmetric, general };
std::unique_ptr<LinearSolver> make_mumps(const SparsePattern& pattern, MatrixKind kind);
std::unique_ptr<LinearSolver> make_dense_cholesky(const SparsePattern& pattern);
std::unique_ptr<LinearSolver> make_eigen_cholesky(const SparsePattern& pattern);
std::unique_ptr<LinearSolver> make_eigen_lu(const SparsePattern& pattern);

}  // namespace livens
