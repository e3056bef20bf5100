#include "solve/filtered_newton.hpp"

#include <algorithm>
#include <cmath>

#include "solve/newton_tuning.hpp"

namespace livens {
namespace {

using Tuning = NewtonTuning;

constexpr double of_free_way = 0.9;
constexpr double decrease = 0.1;      // of |r|, for a full step
constexpr double slope_growth = 0.5;  // of the slope at the start, with the other sign
constexpr double shortest_cut = 0.1, longest_cut = 0.7;
constexpr int most_cuts = 14;
constexpr int patience = 8;       // iterations without progress, after which the other Jacobian is taken
constexpr double progress = 0.5;  // of |r|

}  // namespace

FilteredNewton::Point FilteredNewton::evaluate(FilteredProblem& problem, ConstVector x, Vector r) {
  ++result_.evaluations;
  Point at;
  at.feasible = problem.residual(x, r, at.scale) && std::isfinite(at.scale);
  if (!at.feasible) return at;
  at.norm = largest_of(ConstVector(r));
  at.square = problem.square(r);
  at.feasible = std::isfinite(at.norm) && std::isfinite(at.square);
  return at;
}

NewtonDirections& FilteredNewton::directions_for(FilteredProblem& problem, const SolverOptions& options) {
  long number = 0;
  const SparsePattern& pattern = problem.pattern(symmetric_, number);
  Directions& used = number == 0 ? plain_ : coupled_;
  if (!used.directions || used.number != number) {
    used.directions = std::make_unique<NewtonDirections>(pattern);
    used.number = number;
  }
  used.directions->begin(options, symmetric_ && problem.symmetric_matrix(), result_);
  return *used.directions;
}

bool FilteredNewton::find_direction(FilteredProblem& problem, ConstVector x, const SolverOptions& options) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    now_ = &directions_for(problem, options);
    problem.jacobian(x, symmetric_, now_->clear_matrix());
    if (now_->solve_any(symmetric_ && problem.symmetric_matrix(), residual_, Tuning::forcing_with_updates) ==
            FailureCode::none &&
        std::isfinite(largest_of(now_->direction())))
      return true;
    symmetric_ = !symmetric_;
  }
  return false;
}

bool FilteredNewton::small_enough(const FilteredProblem& problem) const {
  if (at_.norm <= accept_ * at_.scale) return true;
  const double rounding = Tuning::residual_rounding * Tuning::epsilon * problem.size_of_unknowns();
  return at_.norm <= rounding * (now_->matrix_norm() + problem.left_out());
}

bool FilteredNewton::search(FilteredProblem& problem, ConstVector x, Point& next, double& length) {
  const ConstVector direction = now_->direction();
  bool changed = false;
  const double free = problem.free_fraction(x, direction, changed);
  if (changed) at_ = evaluate(problem, x, residual_);
  const double slope = problem.slope(residual_, direction);
  length = free < 1 ? of_free_way * free : 1;
  for (int cut = 0; cut < most_cuts && length > Tuning::shortest; ++cut) {
    for (std::size_t i = 0; i < x.size(); ++i) trial_[i] = x[i] + length * direction[i];
    next = evaluate(problem, trial_, trial_residual_);
    double part = Tuning::usual_cut;
    if (next.feasible) {
      const double end = problem.slope(trial_residual_, direction), least = 1 - decrease * length;
      if (next.square <= least * least * at_.square) return true;
      if (slope < 0 && end <= -slope_growth * slope) return true;
      if (slope < 0) part = std::clamp(slope / (slope - end), shortest_cut, longest_cut);
    }
    ++result_.cuts;
    length *= part;
  }
  return false;
}

const SolveResult& FilteredNewton::solve(FilteredProblem& problem, Vector x, const SolverOptions& options) {
  auto trace = std::move(result_.trace);
  trace.clear();
  result_ = SolveResult{};
  result_.trace = std::move(trace);
  for (auto* vector : {&residual_, &trial_residual_, &trial_}) vector->resize(x.size());
  goal_ = std::max(options.tolerance, Tuning::rounding_goal);
  accept_ = std::max(options.tolerance, Tuning::default_accept);
  down_to_rounding_ = options.tolerance == 0;
  symmetric_ = problem.begins_symmetric();
  at_ = evaluate(problem, x, residual_);
  if (!at_.feasible) return finish(false, FailureCode::not_finite);
  double best = at_.square;
  int waited = 0;
  for (int iteration = 1; iteration <= options.max_iterations; ++iteration) {
    if (at_.norm <= goal_ * at_.scale) return finish(true, FailureCode::none);
    if (!find_direction(problem, x, options)) return finish(false, FailureCode::singular);
    const bool below_rounding =
        down_to_rounding_ && largest_of(now_->direction()) <= Tuning::unknown_rounding * problem.size_of_unknowns();
    const double before = at_.norm;
    Point next;
    double length = 1;
    const bool found = search(problem, x, next, length);
    result_.trace.push_back({iteration, before, 0, found ? length : 0});
    if (!found) {
      const bool solved = small_enough(problem) || below_rounding;
      at_ = evaluate(problem, x, residual_);
      if (solved || waited > 0) return finish(solved, FailureCode::no_decrease);
      symmetric_ = !symmetric_;  // once; the other form may know a way
      waited = patience;
      continue;
    }
    ++result_.iterations;
    std::copy(trial_.begin(), trial_.end(), x.begin());
    residual_.swap(trial_residual_);
    at_ = next;
    if (at_.norm > Tuning::stall * before && (small_enough(problem) || below_rounding))
      return finish(true, FailureCode::none);
    waited = at_.square <= progress * progress * best ? 0 : waited + 1;
    best = std::min(best, at_.square);
    if (waited > patience) {
      symmetric_ = !symmetric_;
      waited = 0;
    }
  }
  return finish(small_enough(problem), FailureCode::no_convergence);
}

const SolveResult& FilteredNewton::finish(bool converged, FailureCode code) {
  result_.end(converged, code, at_.norm, at_.scale, residual_);
  return result_;
}

}  // namespace livens
