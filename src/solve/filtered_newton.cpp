#include "solve/filtered_newton.hpp"

#include <algorithm>
#include <cmath>

#include "math/parallel.hpp"
#include "solve/newton_tuning.hpp"
#include "solve/stop_request.hpp"

namespace livens {
namespace {

using Tuning = NewtonTuning;

constexpr double of_free_way = 0.9;
constexpr double decrease = 0.1;      // of |r|, for a full step
constexpr double slope_growth = 0.5;  // of the slope at the start, with the other sign
constexpr double shortest_cut = 0.1, longest_cut = 0.7;
constexpr int most_cuts = 14;
constexpr int patience = 8;                 // iterations without progress, after which the other Jacobian is taken
constexpr double progress = 0.5;            // of |r|
constexpr double summed_roundings = 128;    // of elements and contacts at a node, where the residual stalls
constexpr double stall_at_rounding = 0.7;   // of |r|: with friction, whose matrix leaves something out, it falls slowly
constexpr int settled = 1;                  // iterations, in which contacts come and go
constexpr double quick = 0.1;               // of |r|: what a good matrix leaves
constexpr std::size_t most_iterations = 6;  // of minimal residuals: beyond, slow ones get a new preconditioner
// Of a linear solve with the Jacobian: what conjugate gradients leave of each residual, what is enough at most and at
// least, and what is wanted while an iteration leaves less than `brisk`: it costs much less than a step of Newton's
// method, which evaluates all forces and contacts.
constexpr double preconditioned = 0.1, loosest = 0.02, tightest = 1e-4, largest_left = 0.5;
constexpr double loosest_wanted = 1e-4, tightest_wanted = 1e-5, tightest_end = 1e-6, brisk = 0.2;
constexpr double of_rounding = 0.1;  // where the last solve ends

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

// As NewtonSolver::forcing, in |r|. The last solve goes for what ends the iteration, those before for what the next one
// gains as well.
FlexibleGmres::Reduction FilteredNewton::forcing(const FilteredProblem& problem) const {
  const double ratio = std::sqrt(at_.square / before_),
               end = std::max(Tuning::forcing_goal * goal_ * at_.scale, of_rounding * rounding(problem)) / at_.norm,
               share = std::max(Tuning::forcing_weight * std::pow(ratio, Tuning::forcing_power), end);
  const double wanted = end >= tightest_end ? end : tightest_wanted;
  return {std::clamp(share, tightest, loosest), std::clamp(share, wanted, loosest_wanted), brisk};
}

// By conjugate gradients on the pattern of the model.
bool FilteredNewton::find_beside(FilteredProblem& problem, ConstVector x, const SolverOptions& options) {
  if (!problem.couples_beside()) return false;
  if (!beside_.directions) beside_.directions = std::make_unique<NewtonDirections>(problem.plain_pattern());
  now_ = beside_.directions.get();
  const bool exact = problem.touches();
  const bool made = exact && matrix_made_ && !slow_ && !worn_;
  if (!made) {
    now_->begin(options, true, result_);
    if (!now_->by_cg()) return false;
    const Vector values = now_->clear_matrix();
    using Base = FilteredProblem::Base;
    general_ = exact && (general_ || slow_);
    slow_ = false;
    now_->couple(problem.jacobian_beside(x, general_ ? Base::general : Base::symmetric, values));
  }
  matrix_made_ = exact;
  if (!exact) {
    const FailureCode code = now_->solve_any(true, residual_, Tuning::forcing_with_updates);
    if (code == FailureCode::none) now_->keep_matrix();
    return code == FailureCode::none && std::isfinite(largest_of(now_->direction()));
  }
  if (!made && !now_->prepare_preconditioner()) return matrix_made_ = false;
  problem.take_contacts();
  if (find_residual_minimum(problem)) return true;
  matrix_made_ = false;
  return made && find_beside(problem, x, options);  // once more, with an S of now
}

// Minimal residuals with J, preconditioned by conjugate gradients with S.
bool FilteredNewton::find_residual_minimum(FilteredProblem& problem) {
  for (std::size_t i = 0; i < trial_.size(); ++i) trial_[i] = -residual_[i];
  const auto precondition = [&](ConstVector v, Vector y) {
    if (!now_->precondition(v, y, preconditioned)) return false;
    now_->image(v, image_);
    return true;
  };
  const auto multiply = [&](ConstVector v, Vector y) { problem.multiply(v, image_, y); };
  const bool found = gmres_.solve(multiply, precondition, trial_, trial_residual_, forcing(problem));
  worn_ = gmres_.iterations() > most_iterations && gmres_.left() > std::pow(brisk, most_iterations);
  if (!found) return false;
  now_->give_direction(trial_residual_);
  // What is not solved well enough is left to a factorisation.
  return gmres_.left() <= largest_left && std::isfinite(largest_of(now_->direction()));
}

bool FilteredNewton::find_factorised(FilteredProblem& problem, ConstVector x, const SolverOptions& options) {
  long number = 0;
  const SparsePattern& pattern = problem.pattern(symmetric_, number);
  Directions& used = number == 0 ? plain_ : coupled_;
  if (!used.directions || used.number != number) {
    used.directions = std::make_unique<NewtonDirections>(pattern);
    used.number = number;
  }
  const bool symmetric = symmetric_ && problem.symmetric_matrix();
  now_ = used.directions.get();
  now_->begin(options, symmetric, result_);
  matrix_made_ = false;
  problem.jacobian(x, symmetric_, now_->clear_matrix());
  return now_->solve_any(symmetric, residual_, Tuning::forcing_with_updates) == FailureCode::none &&
         std::isfinite(largest_of(now_->direction()));
}

bool FilteredNewton::find_direction(FilteredProblem& problem, ConstVector x, const SolverOptions& options) {
  const double fast = Tuning::slow_progress * Tuning::slow_progress;
  if (now_ != nullptr && now_->matrix_kept() && at_.square <= fast * before_ &&
      now_->solve_updated(residual_, Tuning::forcing_with_updates))
    return updated_ = true;
  updated_ = false;
  for (int attempt = 0; attempt < 2; ++attempt) {
    bool found = false;
    if (symmetric_ && beside_works_) found = beside_works_ = find_beside(problem, x, options);
    if (!found) found = find_factorised(problem, x, options);
    if (found) return true;
    symmetric_ = !symmetric_;
  }
  return false;
}

// What a change of every unknown in its last bit makes of the residual.
double FilteredNewton::rounding(const FilteredProblem& problem) const {
  return Tuning::epsilon * problem.size_of_unknowns() * (now_->matrix_norm() + problem.left_out());
}

bool FilteredNewton::small_enough(const FilteredProblem& problem, const Point& at) const {
  const double roundings = down_to_rounding_ ? Tuning::residual_rounding : summed_roundings;
  return at.norm <= accept_ * at.scale || at.norm <= roundings * rounding(problem);
}

bool FilteredNewton::search(FilteredProblem& problem, ConstVector x, Point& next, double& length) {
  const ConstVector direction = now_->direction();
  bool changed = false;
  const double free = problem.free_fraction(x, direction, changed);
  if (changed) {
    at_ = evaluate(problem, x, residual_);
    now_->remember_step(0);
  }
  const double slope = problem.slope(residual_, direction);
  length = free < 1 ? of_free_way * free : 1;
  for (int cut = 0; cut < most_cuts && length > Tuning::shortest; ++cut) {
    for_chunks(x.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) trial_[i] = x[i] + length * direction[i];
    });
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

void FilteredNewton::begin(FilteredProblem& problem, ConstVector x, const SolverOptions& options) {
  auto trace = std::move(result_.trace);
  trace.clear();
  result_ = SolveResult{};
  result_.trace = std::move(trace);
  for (auto* vector : {&residual_, &trial_residual_, &trial_, &image_}) vector->resize(x.size());
  goal_ = std::max(options.tolerance, Tuning::rounding_goal);
  accept_ = std::max(options.tolerance, Tuning::default_accept);
  down_to_rounding_ = options.tolerance == 0;
  symmetric_ = problem.begins_symmetric();
  beside_works_ = true;
  now_ = nullptr;
  waited_ = 0;
  matrix_made_ = slow_ = worn_ = general_ = false;
  at_ = evaluate(problem, x, residual_);
  best_ = before_ = at_.square;
}

void FilteredNewton::take(Vector x, const Point& next, double length) {
  ++result_.iterations;
  now_->remember_step(length);
  std::copy(trial_.begin(), trial_.end(), x.begin());
  residual_.swap(trial_residual_);
  before_ = at_.square;
  at_ = next;
  // Contacts are settled, and still that of the model is not good enough.
  slow_ = (length == 1 && result_.iterations > settled && at_.square > quick * quick * before_);
  waited_ = at_.square <= progress * progress * best_ ? 0 : waited_ + 1;
  best_ = std::min(best_, at_.square);
}

const SolveResult& FilteredNewton::solve(FilteredProblem& problem, Vector x, const SolverOptions& options) {
  begin(problem, x, options);
  if (!at_.feasible) return finish(false, FailureCode::not_finite);
  for (int iteration = 1; iteration <= options.max_iterations; ++iteration) {
    if (stop_requested()) return finish(false, FailureCode::no_convergence);
    if (at_.norm <= goal_ * at_.scale) return finish(true, FailureCode::none);
    if (now_ != nullptr && !down_to_rounding_ && at_.norm <= Tuning::residual_rounding * rounding(problem))
      return finish(true, FailureCode::none);
    if (!find_direction(problem, x, options)) return finish(false, FailureCode::singular);
    const bool below_rounding =
        down_to_rounding_ && largest_of(now_->direction()) <= Tuning::unknown_rounding * problem.size_of_unknowns();
    const double before = at_.norm;
    Point next;
    double length = 1;
    const bool found = search(problem, x, next, length);
    result_.trace.push_back({iteration, before, 0, found ? length : 0});
    if (!found) {
      const bool solved = small_enough(problem, at_) || below_rounding;
      at_ = evaluate(problem, x, residual_);
      if (!solved && updated_) {
        now_->remember_step(0);  // with a new matrix
        continue;
      }
      if (solved || waited_ > patience) return finish(solved, FailureCode::no_decrease);
      symmetric_ = !symmetric_;  // once; the other form may know a way
      now_->remember_step(0);
      waited_ = patience + 1;
      continue;
    }
    // Slopes let a step pass that rounding made worse (closest points between parallel edges may jump for the last
    // digit): where it began was the solution.
    if (next.norm > before && (small_enough(problem, at_) || below_rounding)) {
      at_ = evaluate(problem, x, residual_);
      return finish(true, FailureCode::none);
    }
    take(x, next, length);
    if (at_.norm > (down_to_rounding_ ? stall_at_rounding : Tuning::stall) * before &&
        (small_enough(problem, at_) || below_rounding))
      return finish(true, FailureCode::none);
    if (waited_ > patience) {
      symmetric_ = !symmetric_;
      now_->remember_step(0);
      waited_ = 0;
    }
  }
  return finish(small_enough(problem, at_), FailureCode::no_convergence);
}

const SolveResult& FilteredNewton::finish(bool converged, FailureCode code) {
  result_.end(converged, code, at_.norm, at_.scale, residual_);
  return result_;
}

}  // namespace livens
