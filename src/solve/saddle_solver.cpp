#include "solve/saddle_solver.hpp"

#include <cmath>
#include <limits>

#include "solve/fixed_lu.hpp"
#include "solve/stop_request.hpp"

namespace livens {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double rounding_goal = 4 * epsilon;  // where the default tolerance stops asking
constexpr double accept = 1e-10;               // where a stall counts as convergence
constexpr double chord_region = 1e-6;          // below, the last factorisation is good enough
constexpr double largest_growth = 4;           // of the merit in a full step
constexpr int max_cuts = 12;
constexpr double nearly_rounding = 64 * epsilon;
constexpr double gradual_share = 1e-2, most_regularisation = 1e-4;
constexpr int refinements = 2;  // steps without progress

}  // namespace

SaddleSolver::SaddleSolver(const SparsePattern& pattern, int unknowns) : pattern_(pattern), unknowns_(unknowns) {
  const auto n = static_cast<std::size_t>(pattern.n);
  for (int k = unknowns; k < pattern.n; ++k) diagonal_.push_back(pattern.slot(k, k));
  values_.resize(pattern.nonzeros());
  for (auto* vector : {&residual_, &trial_residual_, &direction_, &trial_}) vector->resize(n);
  stiffness_.resize(unknowns_);
  balance_.assign(n, 1.0);
  compliance_.resize(n - unknowns_);
  lu_ = make_saddle_lu(pattern_, unknowns);
  result_.trace.reserve(64);
}

SaddleSolver::Point SaddleSolver::evaluate(SaddleProblem& problem, ConstVector x, Vector r) {
  ++result_.evaluations;
  Point at;
  at.finite = problem.residual(x, r, at.scale, at.violation) && std::isfinite(at.scale) && std::isfinite(at.violation);
  for (std::size_t i = 0; i < unknowns_ && at.finite; ++i) {
    if (std::abs(r[i]) > at.norm || !std::isfinite(r[i])) {
      at.norm = std::abs(r[i]);
      result_.worst_coordinate = static_cast<int>(i);
    }
    at.finite = std::isfinite(at.norm);
  }
  return at;
}

// e_k = share * sum_j C_kj^2 / (largest entry of column j of A)
void SaddleSolver::regularise(double share) {
  std::fill(compliance_.begin(), compliance_.end(), 0.0);
  for (std::size_t c = 0; c < unknowns_; ++c) {
    double largest = 0;
    const auto first = static_cast<std::size_t>(pattern_.column_start[c]),
               last = static_cast<std::size_t>(pattern_.column_start[c + 1]);
    for (std::size_t slot = first; slot < last; ++slot) {
      const auto row = static_cast<std::size_t>(pattern_.row[slot]);
      if (row < unknowns_)
        largest = std::max(largest, std::abs(values_[slot]));
      else if (largest > 0)  // rows are sorted: the constraints come last
        compliance_[row - unknowns_] += values_[slot] * values_[slot] / largest;
    }
    stiffness_[c] = largest;
  }
  // An equation may have no derivative at all in a singular configuration: then that of the others counts.
  double floor = 0, stiffest = 0;
  for (const double value : compliance_) floor = std::max(floor, 1e-2 * value);
  for (const double value : stiffness_) stiffest = std::max(stiffest, value);
  for (std::size_t k = 0; k < diagonal_.size(); ++k) {
    compliance_[k] = std::max(compliance_[k], floor);
    values_[diagonal_[k]] -= share * compliance_[k];
    balance_[unknowns_ + k] = compliance_[k] > 0 ? std::sqrt(stiffest / compliance_[k]) : 1;
  }
  // Rows of constraints and columns of multipliers in the units of A: pivots then compare.
  for (std::size_t c = 0; c < balance_.size(); ++c)
    for (auto slot = static_cast<std::size_t>(pattern_.column_start[c]);
         slot < static_cast<std::size_t>(pattern_.column_start[c + 1]); ++slot)
      values_[slot] *= balance_[c] * balance_[pattern_.row[slot]];
}

bool SaddleSolver::factorise(SaddleProblem& problem, ConstVector x, double merit) {
  std::fill(values_.begin(), values_.end(), 0.0);
  problem.jacobian(x, values_);
  regularise(way_ == Regularise::least ? regularisation
                                       : std::clamp(gradual_share * merit, regularisation, most_regularisation));
  ++result_.factorisations;
  return lu_->factorise(values_);
}

const SolveResult& SaddleSolver::solve(SaddleProblem& problem, Vector x, const SolverOptions& options,
                                       Regularise first) {
  auto trace = std::move(result_.trace);
  result_ = SolveResult{};
  result_.trace = std::move(trace);
  start_.assign(x.begin(), x.end());
  const Regularise other = first == Regularise::least ? Regularise::gradual : Regularise::least;
  for (const Regularise way : {first, other}) {
    way_ = way;
    result_.trace.clear();
    if (attempt(problem, x, options) || diagonal_.empty()) return result_;
    if (way == first) std::copy(start_.begin(), start_.end(), x.begin());
  }
  return result_;
}

bool SaddleSolver::attempt(SaddleProblem& problem, Vector x, const SolverOptions& options) {
  const double goal = options.tolerance > 0 ? options.tolerance : rounding_goal;
  const auto finish = [&](const Point& at, bool converged, FailureCode code) {
    result_.converged = converged;
    result_.code = code;
    result_.residual = std::max(at.norm, at.violation * at.scale);
    result_.scale = at.scale;
    return converged;
  };
  const int before_it = result_.iterations;
  Point at = evaluate(problem, x, residual_);
  if (!at.finite) return finish(at, false, FailureCode::not_finite);
  bool fresh = false;  // the factorisation is of this solve
  double before = std::numeric_limits<double>::infinity(), best = before;
  int idle = 0;
  for (;; ++result_.iterations) {
    if (result_.trace.size() < result_.trace.capacity())
      result_.trace.push_back({result_.iterations, std::max(at.norm, at.violation * at.scale), 0, 1});
    const double merit = at.merit();
    if (merit <= goal) return finish(at, true, FailureCode::none);
    // Rounding: what further steps do not improve any more. Near singular configurations progress is slow and rounding
    // large, so that one step without progress says little unless not much is left.
    const bool stalls = merit > 0.25 * before;
    idle = merit > 0.5 * best ? idle + 1 : 0;
    best = std::min(best, merit);
    if (idle >= (merit <= nearly_rounding ? 1 : refinements) && merit <= accept && options.tolerance <= accept)
      return finish(at, true, FailureCode::none);
    if (result_.iterations - before_it >= options.max_iterations || stop_requested())
      return finish(at, false, FailureCode::no_convergence);
    if (!fresh || merit > chord_region || (way_ == Regularise::gradual && merit > nearly_rounding) ||
        (stalls && (merit > accept || idle == 1))) {
      if (!factorise(problem, x, merit)) return finish(at, false, FailureCode::singular);
      fresh = true;
    }
    for (std::size_t i = 0; i < direction_.size(); ++i) direction_[i] = -residual_[i] * balance_[i];
    lu_->solve(direction_);
    for (std::size_t i = unknowns_; i < direction_.size(); ++i) direction_[i] *= balance_[i];
    double length = 1;
    Point next;
    for (int cut = 0;; ++cut, length /= 2) {
      for (std::size_t i = 0; i < x.size(); ++i) trial_[i] = x[i] + length * direction_[i];
      next = evaluate(problem, trial_, trial_residual_);
      if (next.finite && (next.merit() <= largest_growth * merit || next.merit() <= accept)) break;
      if (cut == max_cuts) return finish(at, false, next.finite ? FailureCode::no_decrease : FailureCode::not_finite);
      ++result_.cuts;
    }
    std::copy(trial_.begin(), trial_.end(), x.begin());
    residual_.swap(trial_residual_);
    before = merit;
    at = next;
  }
}

}  // namespace livens
