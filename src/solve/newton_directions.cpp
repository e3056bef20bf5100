#include "solve/newton_directions.hpp"

#include <algorithm>
#include <cmath>

#include "solve/dot.hpp"
#include "solve/newton_tuning.hpp"
#include "solve/sweep_order.hpp"

namespace livens {

using Tuning = NewtonTuning;

NewtonDirections::NewtonDirections(const SparsePattern& pattern, Matrices matrices)
    : pattern_(pattern), at_rest_(matrices == Matrices::without_mass), values_(pattern.nonzeros()) {
  direction_.resize(pattern.n);
  solution_.resize(pattern.n);
  row_sums_.resize(pattern.n);
}

bool NewtonDirections::is_wider_than(int bandwidth) const {
  if (pattern_.n <= Tuning::direct_limit) return false;
  if (width_ < 0) width_ = level_width(pattern_);
  return width_ * pattern_.block > bandwidth;
}

void NewtonDirections::begin(const SolverOptions& options, bool symmetric, SolveResult& work,
                             const RootProblem* problem) {
  using Linear = SolverOptions::Linear;
  const Linear linear = options.linear;
  const bool asked = linear == Linear::cg || linear == Linear::multilevel;
  problem_ = problem;
  may_switch_ = linear == Linear::automatic;
  const bool at_rest = may_switch_ && at_rest_;
  by_cg_ = symmetric && linear != Linear::direct &&
           (asked || is_wider_than(at_rest ? Tuning::levels_from : Tuning::thin_limit));
  by_levels_ = by_cg_ && (at_rest || linear == Linear::multilevel);
  if (by_levels_ && !levels_) levels_ = make_multilevel_cg(pattern_);
  by_levels_ = by_levels_ && levels_ != nullptr;
  if (at_rest) by_cg_ = by_levels_;
  const bool same = problem != nullptr && name_.constant() && problem->constant_matrix() == name_;
  if (!same) forget_matrix();
  if (by_levels_ && !same) levels_->forget();  // or a run that is resumed would have other bits
  kept_ = false;
  step_count_ = 0;
  factor_ = nullptr;
  work_ = &work;
}

void NewtonDirections::forget_matrix() {
  name_ = {};
  filled_ = prepared_ = false;
  constant_factor_ = nullptr;
}

void NewtonDirections::fill(RootProblem& problem, ConstVector x) {
  const MatrixName name = problem.constant_matrix();
  if (filled_ && name.constant() && name == name_) return;
  problem.jacobian(x, clear_matrix());
  name_ = name;
}

Vector NewtonDirections::clear_matrix() {
  forget_matrix();
  double* values = values_.data();
  for_chunks(values_.size(), [=](std::size_t a, std::size_t b) { std::fill(values + a, values + b, 0.0); });
  filled_ = true;
  norm_ = -1;
  couplings_ = {};
  return values_;
}

double NewtonDirections::matrix_norm() {
  if (!filled_) return 0;
  if (norm_ >= 0) return norm_;
  if (by_cg_) {  // symmetric: its columns are its rows
    return norm_ = max_over_chunks(static_cast<std::size_t>(pattern_.n), [&](std::size_t begin, std::size_t end) {
             double largest = 0;
             for (std::size_t c = begin; c < end; ++c) {
               double sum = 0;
               for (int k = pattern_.column_start[c]; k < pattern_.column_start[c + 1]; ++k)
                 sum += std::abs(values_[k]);
               largest = std::max(largest, sum);
             }
             return largest;
           });
  }
  std::fill(row_sums_.begin(), row_sums_.end(), 0.0);
  if (by_cg_)  // it is symmetric: columns are rows
    for_chunks(row_sums_.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t c = begin; c < end; ++c)
        for (int k = pattern_.column_start[c]; k < pattern_.column_start[c + 1]; ++k)
          row_sums_[c] += std::abs(values_[k]);
    });
  else
    for (std::size_t k = 0; k < values_.size(); ++k) row_sums_[pattern_.row[k]] += std::abs(values_[k]);
  return norm_ = *std::max_element(row_sums_.begin(), row_sums_.end());
}

bool NewtonDirections::prepare_cg() {
  if (by_levels_ && couplings_.empty()) {
    // What is kept from step to step must not depend on where it was made.
    const ConstVector places = problem_ == nullptr || name_.constant() ? ConstVector() : problem_->places();
    return levels_->prepare(values_, places.empty() ? ConstVector(pattern_.reference) : places);
  }
  if (prepared_) return true;
  if (!cg_) cg_ = make_block_cg(pattern_);
  const bool good = cg_->prepare(values_, couplings_);
  prepared_ = good && name_.constant();
  return good;
}

CgResult NewtonDirections::solve_by_cg(double forcing) {
  const int limit = by_levels_ && may_switch_ ? Tuning::levels_limit : Tuning::cg_limit(pattern_.n / pattern_.block);
  const CgResult solved = by_levels_ && couplings_.empty() ? levels_->solve(direction_, solution_, forcing, limit)
                                                           : cg_->solve(direction_, solution_, forcing, limit);
  work_->linear_iterations += solved.iterations;
  return solved;
}

bool NewtonDirections::precondition(ConstVector b, Vector x, double reduction) {
  std::copy(b.begin(), b.end(), direction_.begin());
  const CgResult solved = solve_by_cg(reduction);
  std::copy(solution_.begin(), solution_.end(), x.begin());
  return solved.end != CgResult::End::negative_curvature || solved.iterations > 1;
}

void NewtonDirections::image(ConstVector b, Vector y) {
  if (by_levels_ && couplings_.empty()) return pattern_.multiply(values_, solution_, y);
  cg_->remainder(y);
  for_chunks(b.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) y[i] = b[i] - y[i];
  });
}

FailureCode NewtonDirections::solve(Matrix matrix, ConstVector residual, double forcing) {
  for (std::size_t i = 0; i < direction_.size(); ++i) direction_[i] = -residual[i];
  factor_ = nullptr;
  if (by_cg_) {
    // Levels, in single precision, may miss that a nearly singular matrix is definite: a factorisation sees it.
    const bool prepared = prepare_cg();
    if (!prepared && !(by_levels_ && may_switch_)) return FailureCode::indefinite;
    if (prepared) {
      const CgResult solved = solve_by_cg(forcing);
      if (solved.end == CgResult::End::negative_curvature) return FailureCode::indefinite;
      if (solved.end == CgResult::End::converged || !may_switch_) {
        direction_.swap(solution_);
        return FailureCode::none;
      }
    }
    if (!couplings_.empty()) return FailureCode::no_convergence;
    by_cg_ = false;  // a factorisation is cheaper
  }
  if (constant_factor_ != nullptr) {
    factor_ = constant_factor_;
    factor_->solve(direction_);
    return FailureCode::none;
  }
  ++work_->factorisations;
  if (matrix == Matrix::definite) {
    if (!cholesky_) cholesky_ = make_cholesky(pattern_);
    if (!cholesky_->factorise(values_)) return FailureCode::indefinite;
    factor_ = cholesky_.get();
  } else {
    const bool symmetric = matrix == Matrix::symmetric;
    auto& solver = symmetric ? indefinite_ : lu_;
    if (!solver) solver = make_lu(pattern_, symmetric);
    if (!solver->factorise(values_)) return FailureCode::singular;
    factor_ = solver.get();
  }
  if (name_.constant()) constant_factor_ = factor_;
  factor_->solve(direction_);
  return FailureCode::none;
}

FailureCode NewtonDirections::solve_definite(ConstVector residual, double forcing) {
  return solve(Matrix::definite, residual, forcing);
}

// A symmetric matrix is tried as a positive definite one, which costs half or less.
FailureCode NewtonDirections::solve_any(bool symmetric, ConstVector residual, double forcing) {
  FailureCode code = FailureCode::indefinite;
  if (symmetric) code = solve(Matrix::definite, residual, forcing);
  if (code == FailureCode::none || (by_cg_ && !may_switch_) || !couplings_.empty()) return code;
  by_cg_ = false;
  return solve(symmetric ? Matrix::symmetric : Matrix::general, residual, forcing);
}

void NewtonDirections::solve_again(ConstVector residual) {
  for (std::size_t i = 0; i < direction_.size(); ++i) direction_[i] = -residual[i];
  factor_->solve(direction_);
}

void NewtonDirections::keep_matrix() {
  kept_ = true;
  step_count_ = 0;
}

// Broyden's good update, B_n+1 = B_n + (F_n+1 s_n') / |s_n|^2 for full steps s_n, kept as the steps alone
// (C. T. Kelley, Iterative Methods for Linear and Nonlinear Equations, SIAM 1995, 7.3).
bool NewtonDirections::solve_updated(ConstVector residual, double forcing) {
  for (std::size_t i = 0; i < direction_.size(); ++i) direction_[i] = -residual[i];
  if (factor_ != nullptr) {
    factor_->solve(direction_);
  } else {
    if (solve_by_cg(forcing).end != CgResult::End::converged) return false;
    direction_.swap(solution_);
  }
  for (std::size_t n = 0; n + 1 < step_count_; ++n) {
    const double share = dot(steps_[n], direction_) / dot(steps_[n], steps_[n]);
    for (std::size_t i = 0; i < direction_.size(); ++i) direction_[i] += share * steps_[n + 1][i];
  }
  const std::vector<double>& last = steps_[step_count_ - 1];
  const double share = dot(last, direction_) / dot(last, last);
  if (!(share < Tuning::largest_share)) return false;
  for (double& d : direction_) d /= 1 - share;
  return true;
}

void NewtonDirections::remember_step(double length) {
  if (length != 1 || step_count_ == Tuning::most_updates) {
    kept_ = false;
    step_count_ = 0;
    return;
  }
  if (steps_.size() == step_count_) steps_.emplace_back();
  steps_[step_count_++] = direction_;
}

}  // namespace livens
