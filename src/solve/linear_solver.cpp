#include "solve/linear_solver.hpp"

#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>

#include "solve/sweep_order.hpp"

namespace livens {
namespace {

using DenseMatrix = Eigen::MatrixXd;
using DenseMap = Eigen::Map<Eigen::VectorXd>;
using SparseMatrix = Eigen::SparseMatrix<double>;

// Measured on boxes of 40 to 6000 unknowns, factorisation and solve. Bandwidth: unknowns in the largest level.
constexpr int dense_limit = 24;      // unknowns; below, a dense factorisation beats the bookkeeping of a sparse one
constexpr int dense_lu_limit = 120;  // the same for LU, if the bandwidth is at least a fifth
constexpr int thin_limit = 72;       // bandwidth; below, fronts are too small for a multifrontal solver to pay

Eigen::Map<const SparseMatrix> view(const SparsePattern& pattern, ConstVector values) {
  return {pattern.n, pattern.n, pattern.nonzeros(), pattern.column_start.data(), pattern.row.data(), values.data()};
}

void fill(DenseMatrix& matrix, const SparsePattern& pattern, ConstVector values) {
  matrix.setZero();
  for (int c = 0; c < pattern.n; ++c)
    for (int k = pattern.column_start[c]; k < pattern.column_start[c + 1]; ++k) matrix(pattern.row[k], c) = values[k];
}

class DenseCholesky final : public LinearSolver {
 public:
  explicit DenseCholesky(const SparsePattern& pattern)
      : pattern_(pattern), matrix_(pattern.n, pattern.n), factor_(pattern.n) {}
  bool factorise(ConstVector values) override {
    fill(matrix_, pattern_, values);
    factor_.compute(matrix_);
    return factor_.info() == Eigen::Success;
  }
  void solve(Vector x) const override {
    DenseMap b(x.data(), pattern_.n);
    factor_.solveInPlace(b);
  }

 private:
  SparsePattern pattern_;
  DenseMatrix matrix_;
  Eigen::LLT<DenseMatrix> factor_;
};

class DenseLU final : public LinearSolver {
 public:
  explicit DenseLU(const SparsePattern& pattern)
      : pattern_(pattern), matrix_(pattern.n, pattern.n), factor_(pattern.n), copy_(pattern.n) {}
  bool factorise(ConstVector values) override {
    fill(matrix_, pattern_, values);
    factor_.compute(matrix_);
    const auto pivots = factor_.matrixLU().diagonal().cwiseAbs();
    return pivots.minCoeff() > 1e-14 * pivots.maxCoeff();
  }
  void solve(Vector x) const override {
    DenseMap b(x.data(), pattern_.n);
    copy_ = b;
    b.noalias() = factor_.solve(copy_);
  }

 private:
  SparsePattern pattern_;
  DenseMatrix matrix_;
  Eigen::PartialPivLU<DenseMatrix> factor_;
  mutable Eigen::VectorXd copy_;
};

class SparseCholesky final : public LinearSolver {
 public:
  explicit SparseCholesky(const SparsePattern& pattern) : pattern_(pattern) {
    const std::vector<double> ones(pattern.nonzeros(), 1.0);
    factor_.analyzePattern(view(pattern_, ones));
  }
  bool factorise(ConstVector values) override {
    factor_.factorize(view(pattern_, values));
    return factor_.info() == Eigen::Success && (factor_.vectorD().array() > 0).all();
  }
  void solve(Vector x) const override {
    DenseMap b(x.data(), pattern_.n);
    b = factor_.solve(b).eval();
  }

 private:
  SparsePattern pattern_;
  Eigen::SimplicialLDLT<SparseMatrix> factor_;
};

class SparseLU final : public LinearSolver {
 public:
  explicit SparseLU(const SparsePattern& pattern) : pattern_(pattern) {
    const std::vector<double> ones(pattern.nonzeros(), 1.0);
    factor_.analyzePattern(view(pattern_, ones));
  }
  bool factorise(ConstVector values) override {
    factor_.factorize(view(pattern_, values));
    return factor_.info() == Eigen::Success;
  }
  void solve(Vector x) const override {
    DenseMap b(x.data(), pattern_.n);
    b = factor_.solve(b).eval();
  }

 private:
  SparsePattern pattern_;
  Eigen::SparseLU<SparseMatrix, Eigen::COLAMDOrdering<int>> factor_;
};

int bandwidth(const SparsePattern& pattern) { return level_width(pattern) * pattern.block; }

}  // namespace

std::unique_ptr<LinearSolver> make_dense_cholesky(const SparsePattern& pattern) {
  return std::make_unique<DenseCholesky>(pattern);
}

std::unique_ptr<LinearSolver> make_eigen_cholesky(const SparsePattern& pattern) {
  return std::make_unique<SparseCholesky>(pattern);
}

std::unique_ptr<LinearSolver> make_eigen_lu(const SparsePattern& pattern) {
  return std::make_unique<SparseLU>(pattern);
}

std::unique_ptr<LinearSolver> make_cholesky(const SparsePattern& pattern) {
  if (pattern.n <= dense_limit) return make_dense_cholesky(pattern);
  if (bandwidth(pattern) <= thin_limit) return make_eigen_cholesky(pattern);
  return make_mumps(pattern, MatrixKind::positive_definite);
}

std::unique_ptr<LinearSolver> make_lu(const SparsePattern& pattern, bool symmetric) {
  const int width = bandwidth(pattern);
  if (pattern.n <= dense_limit || (pattern.n <= dense_lu_limit && 5 * width >= pattern.n))
    return std::make_unique<DenseLU>(pattern);
  if (width <= thin_limit) return make_eigen_lu(pattern);
  return make_mumps(pattern, symmetric ? MatrixKind::symmetric : MatrixKind::general);
}

}  // namespace livens
