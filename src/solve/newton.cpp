#include "solve/newton.hpp"

#include <algorithm>
#include <cmath>

#include "math/finite.hpp"
#include "math/parallel.hpp"
#include "math/team.hpp"
#include "solve/stop_request.hpp"

namespace livens {
namespace {

using Tuning = NewtonTuning;

}  // namespace

double largest_of(ConstVector r) {
  double norm[4] = {}, check[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= r.size(); i += 4)
    for (std::size_t k = 0; k < 4; ++k) {
      const double value = std::abs(r[i + k]);
      norm[k] = norm[k] > value ? norm[k] : value;
      check[k] += zero_if_finite(value);
    }
  for (; i < r.size(); ++i) {
    norm[0] = std::max(norm[0], std::abs(r[i]));
    check[0] += zero_if_finite(r[i]);
  }
  return std::max({norm[0], norm[1], norm[2], norm[3]}) + (check[0] + check[1] + check[2] + check[3]);
}

void SolveResult::end(bool good, FailureCode reason, double norm, double size, ConstVector r) {
  converged = good;
  code = good ? FailureCode::none : reason;
  residual = norm;
  scale = size;
  const auto worst = std::max_element(r.begin(), r.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
  worst_coordinate = static_cast<int>(worst - r.begin());
}

double RootProblem::size_of_unknowns(ConstVector x) const { return largest_of(x); }

NewtonSolver::NewtonSolver(const SparsePattern& pattern, Matrices matrices)
    : directions_(pattern, matrices), small_(SmallNewton::make(pattern)) {
  for (auto* vector : {&residual_, &trial_residual_, &trial_}) vector->resize(pattern.n);
  result_.trace.reserve(64);
}

const SolveResult& NewtonSolver::find_root(RootProblem& problem, Vector x, const SolverOptions& options) {
  if (const SolveResult* result = solve_small({problem}, x, options)) return *result;
  ResidualMerit merit(problem);
  return iterate(merit, x, options);
}

const SolveResult& NewtonSolver::minimise(MinimumProblem& problem, Vector x, const SolverOptions& options) {
  if (const SolveResult* result = solve_small({problem, &problem, true}, x, options)) return *result;
  ObjectiveMerit merit(problem);
  return iterate(merit, x, options);
}

const SolveResult* NewtonSolver::solve_small(SmallNewton::Task task, Vector x, const SolverOptions& options) {
  using Linear = SolverOptions::Linear;
  constexpr int most_full_steps = 12;
  const bool by_factor = options.linear == Linear::automatic || options.linear == Linear::direct;
  if (small_ == nullptr || !by_factor || task.problem.approximate()) return nullptr;
  forget_result();
  task.goal = std::max(options.tolerance, Tuning::rounding_goal);
  task.accept = std::max(options.tolerance, Tuning::default_accept);
  task.most_iterations = std::min(options.max_iterations, most_full_steps);
  return small_->solve(task, x, result_) ? &result_ : nullptr;
}

const SolveResult& NewtonSolver::iterate(Merit& merit, Vector x, const SolverOptions& options) {
  begin(merit, options);
  const std::size_t threads = x.size() / Tuning::unknowns_of_a_thread;
  if (directions_.by_cg() && threads > 1)
    Team::gather(threads, [&] { iterate_from(merit, x, options); });
  else
    iterate_from(merit, x, options);
  return result_;
}

void NewtonSolver::iterate_from(Merit& merit, Vector x, const SolverOptions& options) {
  at_ = find_start(merit, x);
  if (!at_.feasible) {
    finish(false, merit.infeasible_start(x));
    return;
  }
  for (int iteration = 1; iteration <= options.max_iterations; ++iteration) {
    if (stop_requested()) {
      finish(false, FailureCode::no_convergence);
      return;
    }
    if (!improve(merit, x, iteration)) return;
  }
  finish(small_enough(merit, x), FailureCode::no_convergence);
}

void NewtonSolver::begin(Merit& merit, const SolverOptions& options) {
  forget_result();
  directions_.begin(options, merit.symmetric(), result_, &merit.problem());
  const double asked = options.tolerance > 0 ? options.tolerance : directions_.by_cg() ? Tuning::default_accept : 0;
  aim_ = {std::max(asked, Tuning::rounding_goal), std::max(asked, Tuning::default_accept), options.tolerance == 0};
  before_ = Point{};
}

void NewtonSolver::forget_result() {
  auto trace = std::move(result_.trace);
  trace.clear();
  result_ = SolveResult{};
  result_.trace = std::move(trace);
}

bool NewtonSolver::improve(Merit& merit, Vector x, int iteration) {
  if (at_.norm <= aim_.goal * at_.scale) return finish(true, FailureCode::none);
  const bool near = at_.norm <= Tuning::chord_region * at_.scale;
  for (bool chord = near && directions_.has_factor() && !merit.takes_updates();; chord = false) {
    if (chord)
      directions_.solve_again(residual_);
    else if (const FailureCode code = find_direction(merit, x); code != FailureCode::none)
      return leave(merit, x, small_enough(merit, x), code);
    // A cut does not help against rounding or an old factor.
    const bool below_rounding = step_below_rounding(merit, x);
    Step step = search_line(merit, x, chord || below_rounding);
    step.below_rounding = below_rounding;
    const bool found = step.code == FailureCode::none;
    result_.trace.push_back({iteration, at_.norm, at_.value, found ? step.length : 0});
    if (found) return take(merit, x, step);
    if (small_enough(merit, x) || below_rounding) return leave(merit, x, true, FailureCode::none);
    if (!chord) return leave(merit, x, false, step.code);
  }
}

bool NewtonSolver::take(Merit& merit, Vector x, const Step& step) {
  ++result_.iterations;
  if (merit.takes_updates()) directions_.remember_step(step.length);
  std::copy(trial_.begin(), trial_.end(), x.begin());
  residual_.swap(trial_residual_);
  before_ = at_;
  at_ = step.next;
  const bool stalled = at_.norm > Tuning::stall * before_.norm;
  if (stalled && (small_enough(merit, x) || step.below_rounding)) return finish(true, FailureCode::none);
  merit.took_step(before_, at_, step.length);
  return true;
}

bool NewtonSolver::small_enough(Merit& merit, ConstVector x) {
  if (at_.norm <= aim_.accept * at_.scale) return true;
  const double rounding = Tuning::residual_rounding * Tuning::epsilon;
  return at_.norm <= rounding * directions_.matrix_norm() * merit.problem().size_of_unknowns(x);
}

// Bodies that have come to rest have no forces left that rounding could refer to, and what it leaves of those within
// their elements is all there is. Steps below the rounding of the unknowns then say that this is the solution.
bool NewtonSolver::step_below_rounding(Merit& merit, ConstVector x) const {
  return aim_.down_to_rounding &&
         largest_of(directions_.direction()) <= Tuning::unknown_rounding * merit.problem().size_of_unknowns(x);
}

NewtonSolver::Point NewtonSolver::evaluate(Merit& merit, ConstVector x, Vector r) {
  ++result_.evaluations;
  Point at;
  at.feasible = merit.evaluate(x, r, at.scale, at.value) && std::isfinite(at.scale);
  if (!at.feasible) return at;
  at.norm = largest_of(r);
  at.feasible = std::isfinite(at.norm);
  return at;
}

// The start that is given, or the other one that the problem knows if that is lower: with steps much longer than the
// periods of a body the velocity at the start of a step says little about the step, and may even invert elements.
NewtonSolver::Point NewtonSolver::find_start(Merit& merit, Vector x) {
  const Point given = evaluate(merit, x, residual_);
  if (given.feasible && given.norm <= Tuning::good_start * given.scale) return given;
  std::copy(x.begin(), x.end(), trial_.begin());
  if (!merit.other_start(trial_)) return given;
  const Point other = evaluate(merit, trial_, trial_residual_);
  if (other.feasible && !(given.feasible && given.value <= other.value)) {
    std::copy(trial_.begin(), trial_.end(), x.begin());
    residual_.swap(trial_residual_);
    return other;
  }
  return given;
}

FailureCode NewtonSolver::find_direction(Merit& merit, ConstVector x) {
  const bool updates = merit.takes_updates();
  if (updates && directions_.matrix_kept() && at_.norm <= Tuning::slow_progress * before_.norm &&
      directions_.solve_updated(residual_, Tuning::forcing_with_updates))
    return FailureCode::none;
  const double share = updates ? Tuning::forcing_with_updates : forcing(merit);
  const FailureCode code = merit.find_direction(directions_, x, at_, residual_, share, result_);
  if (code == FailureCode::none && updates) directions_.keep_matrix();
  return code;
}

// Share of the residual that the linear solve may leave (S. C. Eisenstat, H. F. Walker, SIAM J. Sci. Comput. 17
// (1996)): as much as keeps Newton's own order, and no less than the goal asks for.
double NewtonSolver::forcing(Merit& merit) const {
  if (!directions_.by_cg()) return 0;
  const bool linear = merit.problem().constant_matrix().constant();  // one solve is all there is
  double share = linear ? 0 : Tuning::loosest_forcing;
  if (before_.norm > 0)
    share = std::min(share, Tuning::forcing_weight * std::pow(at_.norm / before_.norm, Tuning::forcing_power));
  share = std::max(share, Tuning::forcing_goal * aim_.goal * at_.scale / at_.norm);
  return std::clamp(share, Tuning::tightest_forcing, Tuning::loosest_forcing);
}

// trial_ and trial_residual_ at x + length * direction.
NewtonSolver::Point NewtonSolver::try_step(Merit& merit, ConstVector x, double length) {
  const double* direction = directions_.direction().data();
  for_chunks(x.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) trial_[i] = x[i] + length * direction[i];
  });
  return evaluate(merit, trial_, trial_residual_);
}

NewtonSolver::Step NewtonSolver::search_line(Merit& merit, ConstVector x, bool single_trial) {
  const double slope = merit.slope(residual_, directions_.direction());
  bool any_feasible = false;
  Step step;
  for (int cut = 0; step.length >= Tuning::shortest; ++cut) {
    step.next = try_step(merit, x, step.length);
    const Trial tried = trial(step.length, slope);
    any_feasible = any_feasible || step.next.feasible;
    if (step.next.feasible && merit.accepts(at_, step.next, tried)) {
      if (cut == 0 && merit.is_timid()) expand(merit, x, slope, step);
      if (slope < 0 && at_.norm > Tuning::quadratic_region * at_.scale) come_back(merit, x, slope, step);
      return step;
    }
    if (single_trial || small_enough(merit, x)) break;
    if (cut == 0 && step.next.feasible && merit.accepts_if_noise(at_, step.next, tried) &&
        values_are_noise(merit, x, slope)) {
      step.next = try_step(merit, x, 1);
      return step;
    }
    ++result_.cuts;
    step.length = merit.shorter(at_, step.next, tried);
  }
  step.code = merit.search_failure(at_, slope, any_feasible);
  return step;
}

bool NewtonSolver::values_are_noise(Merit& merit, ConstVector x, double slope) {
  for (const double part : Tuning::noise_parts)
    if (merit.is_noise(at_, try_step(merit, x, part), part, slope)) return true;
  return false;
}

// The convex stand-in does not see negative curvature and takes short steps along it: out of a saddle (buckling) steps
// may be many times longer. Doubles the step as long as it goes downhill nearly as steeply as at its start.
void NewtonSolver::expand(Merit& merit, ConstVector x, double slope, Step& step) {
  const auto still_steep = [&] {
    return merit.slope(trial_residual_, directions_.direction()) <= Tuning::steep * slope;
  };
  for (int k = 0; k < Tuning::most_doublings && still_steep(); ++k) {
    const double length = 2 * step.length;
    const Point further = try_step(merit, x, length);
    if (!further.feasible || further.value > step.next.value || !merit.accepts(at_, further, trial(length, slope))) {
      step.next = try_step(merit, x, step.length);
      return;
    }
    step.next = further;
    step.length = length;
  }
}

// A step that leaves most of the residual and goes uphill at its end has pressed elements nearly flat, which Newton's
// method only doubles in volume from iteration to iteration. The minimum of the cubic with values and slopes of both
// ends is taken instead, if it is lower.
void NewtonSolver::come_back(Merit& merit, ConstVector x, double slope, Step& step) {
  if (step.next.norm <= Tuning::much_left * at_.norm) return;
  const double end = merit.slope(trial_residual_, directions_.direction());
  if (!(end > -Tuning::uphill * slope)) return;
  const double secant = (step.next.value - at_.value) / step.length, a = slope + end - 3 * secant,
               root = std::sqrt(std::max(0.0, a * a - slope * end)),
               part = 1 - (end + root - a) / (end - slope + 2 * root);
  const double length = std::clamp(part, Tuning::deepest_cut, Tuning::least_way_back) * step.length;
  const Point shorter = try_step(merit, x, length);
  if (!shorter.feasible || shorter.value > step.next.value) {
    step.next = try_step(merit, x, step.length);
    return;
  }
  ++result_.cuts;
  step.next = shorter;
  step.length = length;
}

bool NewtonSolver::leave(Merit& merit, ConstVector x, bool converged, FailureCode code) {
  at_ = evaluate(merit, x, residual_);
  return finish(converged, code);
}

bool NewtonSolver::finish(bool converged, FailureCode code) {
  result_.end(converged, code, at_.norm, at_.scale, residual_);
  return false;
}

}  // namespace livens
