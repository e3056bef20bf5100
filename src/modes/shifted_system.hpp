// K - s M with the constraints, factorised: [ K - s M  C' ; C  -e ].
#pragma once

#include <memory>
#include <vector>

#include <Eigen/Core>

#include <livens/model.hpp>

#include "math/sparse_pattern.hpp"
#include "solve/linear_solver.hpp"

namespace livens {

class SaddleSystem;

class ShiftedSystem {
 public:
  ShiftedSystem(const Model& model, double t, ConstVector q);
  ~ShiftedSystem();

  // K and M on the pattern of the model's linearisation, with 1 on the diagonal of supports in K. False if the matrix
  // is singular.
  bool factorise(const std::vector<double>& K, const std::vector<double>& M, double shift);
  // b = [x; multipliers], column by column, size() long.
  void solve(Eigen::MatrixXd& b) const;
  Eigen::Index size() const { return pattern().n; }
  // Largest |C x|_k over sum_i |C_ki| |x|_max: 0 for motions that the constraints allow.
  double violation(const Eigen::VectorXd& x) const;
  // Eigenvalues of K x = w^2 M x in the space of the constraints, below the shift.
  int below() const { return solver_->negative_eigenvalues() - multipliers_; }

 private:
  const SparsePattern& pattern() const;

  const Model& model_;
  double t_;
  ConstVector q_;
  int multipliers_ = 0;
  std::unique_ptr<SaddleSystem> saddle_;  // null without constraints
  std::vector<double> base_, values_;
  std::vector<double> rows_, row_sums_;  // C on the pattern, and sum_i |C_ki|
  std::unique_ptr<LinearSolver> solver_;
};

}  // namespace livens
