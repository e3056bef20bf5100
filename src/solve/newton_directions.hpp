// Directions of Newton's method, d = -A^-1 r: by conjugate gradients or a factorisation, by a factorisation kept from
// before (chord), or by Broyden's updates of a matrix kept from before.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "math/sparse_pattern.hpp"
#include "solve/block_cg.hpp"
#include "solve/linear_solver.hpp"
#include "solve/multilevel_cg.hpp"
#include "solve/problem.hpp"

namespace livens {

// With a mass in the matrix a sweep over the blocks is a good preconditioner; without one (equilibria) what solves
// large systems is levels, and a factorisation what is thin.
enum class Matrices { with_mass, without_mass };

class NewtonDirections {
 public:
  explicit NewtonDirections(const SparsePattern& pattern, Matrices matrices = Matrices::with_mass);

  // A solve begins; its work is added to `work`. problem: knows where the nodes are; may be null.
  void begin(const SolverOptions& options, bool symmetric, SolveResult& work, const RootProblem* problem = nullptr);
  bool by_cg() const { return by_cg_; }
  ConstVector direction() const { return direction_; }

  // The Jacobian at x; nothing is done if it is constant and there already.
  void fill(RootProblem& problem, ConstVector x);
  // The matrix, all zero, to be filled.
  Vector clear_matrix();
  // Blocks beside the pattern of the matrix as filled, for conjugate gradients only: a solve that does not converge by
  // them has failed. They must outlive the solves with this matrix.
  void couple(const Couplings& couplings) { couplings_ = couplings; }
  // Largest sum of the absolute values of a row of the last matrix of this solve; 0 if there was none.
  double matrix_norm();
  // Direction for the matrix as filled; forcing: share of the residual that conjugate gradients may leave.
  FailureCode solve_definite(ConstVector residual, double forcing);  // only if it is positive definite
  FailureCode solve_any(bool symmetric, ConstVector residual, double forcing);

  // For a matrix near the one as filled: prepares that for precondition(), x near its inverse times b, by conjugate
  // gradients. The direction is then given.
  bool prepare_preconditioner() { return by_cg_ && prepare_cg(); }
  bool precondition(ConstVector b, Vector x, double reduction);
  // y: the matrix times the last of these x, which b was given for.
  void image(ConstVector b, Vector y);
  void give_direction(ConstVector direction) {
    std::copy(direction.begin(), direction.end(), direction_.begin());
    factor_ = nullptr;
  }

  // Direction by the last factorisation, if there is one.
  bool has_factor() const { return factor_ != nullptr; }
  void solve_again(ConstVector residual);

  // Broyden's updates: the matrix as filled is kept; steps from now on update it.
  void keep_matrix();
  bool matrix_kept() const { return kept_; }
  bool solve_updated(ConstVector residual, double forcing);
  void remember_step(double length);

 private:
  enum class Matrix { definite, symmetric, general };
  bool is_wider_than(int bandwidth) const;
  void forget_matrix();
  bool prepare_cg();
  CgResult solve_by_cg(double forcing);
  FailureCode solve(Matrix matrix, ConstVector residual, double forcing);

  SparsePattern pattern_;
  bool at_rest_;
  mutable int width_ = -1;  // of the levels of the pattern, once asked for
  std::unique_ptr<LinearSolver> lu_, indefinite_, cholesky_;
  std::unique_ptr<BlockCg> cg_;
  std::unique_ptr<MultilevelCg> levels_;
  const RootProblem* problem_ = nullptr;
  const LinearSolver* factor_ = nullptr;  // of the last direction, null if it came from conjugate gradients
  bool by_cg_ = false, by_levels_ = false, may_switch_ = false;
  bool kept_ = false, filled_ = false;
  double norm_ = -1;  // of the matrix, once asked for
  // Of the matrix as filled, if it is constant, and what it was prepared for by then.
  MatrixName name_;
  bool prepared_ = false;
  const LinearSolver* constant_factor_ = nullptr;
  std::vector<double> row_sums_;
  std::vector<std::vector<double>> steps_;  // since the matrix was kept
  std::size_t step_count_ = 0;
  std::vector<double> values_, direction_, solution_;
  Couplings couplings_;
  SolveResult* work_ = nullptr;
};

}  // namespace livens
