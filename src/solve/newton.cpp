#include "solve/newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/finite.hpp"
#include "math/parallel.hpp"
#include "solve/sweep_order.hpp"

namespace livens {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double rounding_goal = 4 * epsilon;      // where the default tolerance stops asking
constexpr double unknown_rounding = 16 * epsilon;  // shorter steps change nothing
constexpr double chord_region = 1e-6;              // below, the last factorisation is good enough
constexpr double quadratic_region = 1e-3;          // below, a full step that shrinks the gradient is Newton's own
constexpr double armijo = 1e-4;
constexpr double good_start = 3e-3;  // below, no other start is asked for
constexpr double resolution = 1e-9;  // differences of the objective below this share of it may be rounding
constexpr double shortest = 1e-9;    // of the step: below, differences of the objective are rounding
constexpr int max_doublings = 8;

constexpr int direct_limit = 240;  // unknowns; below, a factorisation costs less than the iterations
constexpr int thin_limit = 24;     // and for any length below this bandwidth
constexpr double loosest_forcing = 0.05, tightest_forcing = 1e-5;
constexpr double forcing_with_updates = 0.01;  // the updates need the same inverse every time
constexpr double slow_progress = 0.3;          // of the residual in one step: a new matrix is made
constexpr std::size_t most_updates = 12;

// Four sums side by side: the order is fixed, and they keep the pipeline busy.
double dot(ConstVector a, ConstVector b) {
  return sum_chunks(a.size(), [&](std::size_t begin, std::size_t end) {
    double sum[4] = {};
    std::size_t i = begin;
    for (; i + 4 <= end; i += 4)
      for (std::size_t k = 0; k < 4; ++k) sum[k] += a[i + k] * b[i + k];
    for (; i < end; ++i) sum[0] += a[i] * b[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  });
}

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

double RootProblem::size_of_unknowns(ConstVector x) const { return largest_of(x); }

NewtonSolver::NewtonSolver(const SparsePattern& pattern) : pattern_(pattern), values_(pattern.nonzeros()) {
  const auto n = static_cast<std::size_t>(pattern.n);
  residual_.resize(n);
  trial_residual_.resize(n);
  direction_.resize(n);
  trial_.resize(n);
  result_.trace.reserve(64);
}

bool NewtonSolver::prefers_cg() const {
  if (pattern_.n <= direct_limit) return false;
  if (width_ < 0) width_ = level_width(pattern_);
  return width_ * pattern_.block > thin_limit;
}

void NewtonSolver::begin(const SolverOptions& options, bool symmetric) {
  auto trace = std::move(result_.trace);
  trace.clear();
  result_ = SolveResult{};
  result_.trace = std::move(trace);
  const auto linear = options.linear;
  by_cg_ =
      symmetric && linear != SolverOptions::Linear::direct && (linear == SolverOptions::Linear::cg || prefers_cg());
  may_switch_ = linear == SolverOptions::Linear::automatic;
  convex_ = kept_ = false;
  step_count_ = 0;
  factor_ = nullptr;
}

NewtonSolver::Point NewtonSolver::evaluate(RootProblem& problem, MinimumProblem* minimum, ConstVector x, Vector r) {
  ++result_.evaluations;
  Point at;
  at.feasible = minimum != nullptr ? minimum->evaluate(x, r, at.scale, at.value) && std::isfinite(at.value)
                                   : problem.residual(x, r, at.scale);
  at.feasible = at.feasible && std::isfinite(at.scale);
  if (!at.feasible) return at;
  at.norm = largest_of(r);
  at.feasible = std::isfinite(at.norm);
  return at;
}

// The start that is given, or the other one that the problem knows if that is lower: with steps much longer than the
// periods of a body the velocity at the start of a step says little about the step, and may even invert elements.
NewtonSolver::Point NewtonSolver::find_start(RootProblem& problem, MinimumProblem* minimum, Vector x) {
  const Point given = evaluate(problem, minimum, x, residual_);
  if (minimum == nullptr || (given.feasible && given.norm <= good_start * given.scale)) return given;
  std::copy(x.begin(), x.end(), trial_.begin());
  if (!minimum->other_start(trial_)) return given;
  const Point other = evaluate(problem, minimum, trial_, trial_residual_);
  if (other.feasible && !(given.feasible && given.value <= other.value)) {
    std::copy(trial_.begin(), trial_.end(), x.begin());
    residual_.swap(trial_residual_);
    return other;
  }
  return given;
}

bool NewtonSolver::assemble(RootProblem& problem, MinimumProblem* minimum, ConstVector x, Level level, double shift) {
  double* values = values_.data();
  for_chunks(values_.size(), [=](std::size_t a, std::size_t b) { std::fill(values + a, values + b, 0.0); });
  if (level == Level::exact) {
    problem.jacobian(x, values_);
    return true;
  }
  const bool convex = minimum->convex_jacobian(x, values_);
  if (!convex) {
    std::fill(values_.begin(), values_.end(), 0.0);
    problem.jacobian(x, values_);
  }
  if (level == Level::convex) return convex;
  minimum->add_metric(shift, values_);
  return true;
}

// direction = -A^-1 residual for the matrix in values_; definite: only if it is positive definite.
FailureCode NewtonSolver::solve_linear(Matrix matrix, double forcing) {
  for (std::size_t i = 0; i < direction_.size(); ++i) direction_[i] = -residual_[i];
  factor_ = nullptr;
  if (by_cg_) {
    if (!cg_) cg_ = make_block_cg(pattern_);
    if (!cg_->prepare(values_)) return FailureCode::indefinite;
    // A factorisation takes about as long as this many iterations: 3D bodies of 300 to 4000 nodes, measured.
    const int limit = 200 + pattern_.n / pattern_.block / 2;
    const CgResult solved = cg_->solve(direction_, trial_, forcing, limit);
    result_.linear_iterations += solved.iterations;
    if (solved.end == CgResult::End::negative_curvature) return FailureCode::indefinite;
    if (solved.end == CgResult::End::converged || !may_switch_) {
      direction_.swap(trial_);
      return FailureCode::none;
    }
    by_cg_ = false;  // a factorisation is cheaper
  }
  ++result_.factorisations;
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
  factor_->solve(direction_);
  return FailureCode::none;
}

FailureCode NewtonSolver::find_direction(RootProblem& problem, MinimumProblem* minimum, ConstVector x, const Point& at,
                                         double forcing) {
  if (minimum == nullptr) {
    assemble(problem, nullptr, x, Level::exact, 0);
    // A symmetric matrix is tried as a positive definite one, which costs half or less.
    FailureCode code = FailureCode::indefinite;
    if (problem.symmetric()) code = solve_linear(Matrix::definite, forcing);
    if (code == FailureCode::none || (by_cg_ && !may_switch_)) return code;
    by_cg_ = false;
    return solve_linear(problem.symmetric() ? Matrix::symmetric : Matrix::general, forcing);
  }
  // The Hessian; where it has negative curvature its convex stand-in; and if even that is not positive definite, the
  // metric on top in growing amounts.
  const auto usable = [&] {
    return solve_linear(Matrix::definite, forcing) == FailureCode::none && dot(direction_, residual_) < 0;
  };
  if (!convex_) {
    assemble(problem, minimum, x, Level::exact, 0);
    if (usable()) return FailureCode::none;
    if (at.norm <= default_accept * at.scale) return FailureCode::rounding_floor;
  }
  ++result_.convexified;
  convex_ = true;
  if (assemble(problem, minimum, x, Level::convex, 0) && usable()) return FailureCode::none;
  double shift = 0.1;
  for (int attempt = 0; attempt < 30; ++attempt, shift *= 4) {
    assemble(problem, minimum, x, Level::shifted, shift);
    if (usable()) return FailureCode::none;
  }
  return FailureCode::indefinite;
}

// A trial that may be taken. The objective decides (Armijo) as long as its differences are more than rounding, which
// grows with the positions it is made from; then its slope does, which has no such cancellation (W. W. Hager, H. Zhang,
// SIAM J. Optim. 16 (2005), approximate Wolfe conditions), or the residual.
bool NewtonSolver::acceptable(bool minimise, const Point& at, const Point& next, double length, double slope) const {
  const bool falls = next.norm <= (1 - armijo * length) * at.norm;
  if (!minimise || at.norm <= chord_region * at.scale) return falls;
  if (next.value <= at.value + armijo * length * slope) return true;
  if (length == 1 && at.norm <= quadratic_region * at.scale && next.norm <= 0.5 * at.norm) return true;
  if (std::abs(next.value - at.value) > resolution * std::abs(at.value)) return false;
  const double next_slope = dot(trial_residual_, direction_);
  return next_slope <= (2 * armijo - 1) * slope && next_slope >= 0.9 * slope;
}

// Energies of bodies near rest are what rounding leaves of larger ones: close to x they do not follow their slope. A
// full step to where gradient and slope are much smaller goes down, whatever they say.
bool NewtonSolver::is_noise(MinimumProblem& problem, ConstVector x, const Point& at, double slope) {
  for (const double part : {1e-3, 2e-3, -1e-3}) {
    for (std::size_t i = 0; i < x.size(); ++i) trial_[i] = x[i] + part * direction_[i];
    const Point near = evaluate(problem, &problem, trial_, trial_residual_);
    if (near.feasible && std::abs(near.value - at.value - part * slope) > 0.05 * std::abs(slope)) return true;
  }
  return false;
}

NewtonSolver::Search NewtonSolver::search_line(RootProblem& problem, MinimumProblem* minimum, ConstVector x,
                                               const Point& at, bool single_trial, Point& next, double& length) {
  const double slope = minimum != nullptr ? dot(residual_, direction_) : 0;
  bool any_feasible = false;
  length = 1;
  for (int cut = 0; length >= shortest; ++cut) {
    for (std::size_t i = 0; i < x.size(); ++i) trial_[i] = x[i] + length * direction_[i];
    next = evaluate(problem, minimum, trial_, trial_residual_);
    any_feasible = any_feasible || next.feasible;
    if (next.feasible && acceptable(minimum != nullptr, at, next, length, slope)) {
      if (convex_ && cut == 0) expand(*minimum, x, at, slope, next, length);
      return Search::found;
    }
    if (single_trial) break;
    if (cut == 0 && next.feasible && minimum != nullptr && !convex_ && next.norm <= 0.25 * at.norm &&
        std::abs(dot(trial_residual_, direction_)) <= 0.5 * std::abs(slope) && is_noise(*minimum, x, at, slope)) {
      for (std::size_t i = 0; i < x.size(); ++i) trial_[i] = x[i] + direction_[i];
      next = evaluate(problem, minimum, trial_, trial_residual_);
      return Search::found;
    }
    ++result_.cuts;
    double shorter = 0.5 * length;
    if (next.feasible && minimum != nullptr) {  // minimum of the parabola through value, slope and trial value
      const double excess = next.value - at.value - slope * length;
      if (excess > 0) shorter = std::clamp(-0.5 * slope * length * length / excess, 0.1 * length, 0.5 * length);
    }
    length = shorter;
  }
  if (!any_feasible) return minimum != nullptr ? Search::all_infeasible : Search::no_decrease;
  const bool drowned = minimum != nullptr && std::abs(slope) <= resolution * std::abs(at.value);
  return drowned ? Search::below_rounding : Search::no_decrease;
}

// The convex stand-in knows nothing of negative curvature and is timid along it: out of a saddle (buckling) steps may
// be many times longer. Doubles the step as long as it goes downhill nearly as steeply as at its start.
void NewtonSolver::expand(MinimumProblem& problem, ConstVector x, const Point& at, double slope, Point& next,
                          double& length) {
  const auto go = [&](double to) {
    for (std::size_t i = 0; i < x.size(); ++i) trial_[i] = x[i] + to * direction_[i];
    return evaluate(problem, &problem, trial_, trial_residual_);
  };
  for (int k = 0; k < max_doublings && dot(trial_residual_, direction_) <= 0.5 * slope; ++k) {
    const Point further = go(2 * length);
    if (!further.feasible || further.value > next.value || !acceptable(true, at, further, 2 * length, slope)) {
      next = go(length);
      return;
    }
    next = further;
    length *= 2;
  }
}

// Share of the residual that the linear solve may leave (S. C. Eisenstat, H. F. Walker, SIAM J. Sci. Comput. 17
// (1996)): as much as keeps Newton's own order, and no less than the goal asks for.
// Broyden's good update, B_n+1 = B_n + (F_n+1 s_n') / |s_n|^2 for full steps s_n, kept as the steps alone
// (C. T. Kelley, Iterative Methods for Linear and Nonlinear Equations, SIAM 1995, 7.3).
bool NewtonSolver::find_updated_direction(double forcing) {
  for (std::size_t i = 0; i < direction_.size(); ++i) direction_[i] = -residual_[i];
  if (factor_ != nullptr) {
    factor_->solve(direction_);
  } else {
    const CgResult solved = cg_->solve(direction_, trial_, forcing, 200 + pattern_.n / pattern_.block / 2);
    result_.linear_iterations += solved.iterations;
    if (solved.end != CgResult::End::converged) return false;
    direction_.swap(trial_);
  }
  for (std::size_t n = 0; n + 1 < step_count_; ++n) {
    const double share = dot(steps_[n], direction_) / dot(steps_[n], steps_[n]);
    for (std::size_t i = 0; i < direction_.size(); ++i) direction_[i] += share * steps_[n + 1][i];
  }
  const std::vector<double>& last = steps_[step_count_ - 1];
  const double share = dot(last, direction_) / dot(last, last);
  if (!(share < 0.9)) return false;
  for (double& d : direction_) d /= 1 - share;
  return true;
}

void NewtonSolver::remember_step(double length) {
  if (length != 1 || step_count_ == most_updates) {
    kept_ = false;
    step_count_ = 0;
    return;
  }
  if (steps_.size() == step_count_) steps_.emplace_back();
  steps_[step_count_++] = direction_;
}

double NewtonSolver::forcing(const Point& at, const Point& before, double goal) const {
  if (!by_cg_) return 0;
  double share = loosest_forcing;
  if (before.norm > 0) share = std::min(share, 0.5 * std::pow(at.norm / before.norm, 1.5));
  share = std::max(share, 0.2 * goal * at.scale / at.norm);
  return std::clamp(share, tightest_forcing, loosest_forcing);
}

const SolveResult& NewtonSolver::finish(const Point& at, bool converged, FailureCode code) {
  result_.converged = converged;
  result_.code = converged ? FailureCode::none : code;
  result_.residual = at.norm;
  result_.scale = at.scale;
  const auto worst = std::max_element(residual_.begin(), residual_.end(),
                                      [](double a, double b) { return std::abs(a) < std::abs(b); });
  result_.worst_coordinate = static_cast<int>(worst - residual_.begin());
  return result_;
}

const SolveResult& NewtonSolver::iterate(RootProblem& problem, MinimumProblem* minimum, Vector x,
                                         const SolverOptions& options) {
  begin(options, minimum != nullptr || problem.symmetric());
  const double asked = options.tolerance > 0 ? options.tolerance : by_cg_ ? default_accept : 0;
  const Aim aim{std::max(asked, rounding_goal), std::max(asked, default_accept)};
  // Every way out leaves the problem evaluated at x.
  Point at, before;
  const auto leave = [&](bool converged, FailureCode code) -> const SolveResult& {
    at = evaluate(problem, minimum, x, residual_);
    return finish(at, converged, code);
  };
  const bool updates = minimum == nullptr && problem.approximate();
  const auto small_enough = [&] { return at.norm <= aim.accept * at.scale; };
  // Bodies that have come to rest have no forces left that rounding could refer to, and what it leaves of those within
  // their elements is all there is. Steps below the rounding of the unknowns then say that this is the solution.
  const auto drowned = [&] {
    return options.tolerance == 0 && largest_of(direction_) <= unknown_rounding * problem.size_of_unknowns(x);
  };

  at = find_start(problem, minimum, x);
  if (!at.feasible)
    return finish(at, false,
                  minimum != nullptr && std::isfinite(largest_of(x)) ? FailureCode::inverted : FailureCode::not_finite);
  for (int iteration = 1; iteration <= options.max_iterations; ++iteration) {
    if (at.norm <= aim.goal * at.scale) return finish(at, true, FailureCode::none);
    bool chord = !updates && factor_ != nullptr && at.norm <= chord_region * at.scale;
    for (;;) {
      if (chord) {
        for (std::size_t i = 0; i < direction_.size(); ++i) direction_[i] = -residual_[i];
        factor_->solve(direction_);
      } else if (updates && kept_ && at.norm <= slow_progress * before.norm &&
                 find_updated_direction(forcing_with_updates)) {
      } else {
        const double share = updates ? forcing_with_updates : forcing(at, before, aim.goal);
        const FailureCode code = find_direction(problem, minimum, x, at, share);
        if (code != FailureCode::none) return leave(small_enough(), code);
        kept_ = updates;
        step_count_ = 0;
      }
      Point next;
      double length = 1;
      // A cut does not help against rounding or an old factor.
      const bool still = drowned();
      const Search search = search_line(problem, minimum, x, at, chord || small_enough() || still, next, length);
      const bool found = search == Search::found;
      result_.trace.push_back({iteration, at.norm, at.value, found ? length : 0});
      if (!found && (small_enough() || still)) return leave(true, FailureCode::none);
      if (!found && chord) {
        chord = false;
        continue;
      }
      if (!found)
        return leave(false, search == Search::all_infeasible   ? FailureCode::inverted
                            : search == Search::below_rounding ? FailureCode::rounding_floor
                                                               : FailureCode::no_decrease);
      ++result_.iterations;
      if (updates) remember_step(length);
      std::copy(trial_.begin(), trial_.end(), x.begin());
      residual_.swap(trial_residual_);
      before = at;
      at = next;
      const bool stalled = at.norm > 0.25 * before.norm;
      if (stalled && (small_enough() || still)) return finish(at, true, FailureCode::none);
      // The stand-in converges linearly only: it is left behind with the first full step.
      if (length >= 1 && at.norm <= before.norm) convex_ = false;
      break;
    }
  }
  return finish(at, small_enough(), FailureCode::no_convergence);
}

const SolveResult& NewtonSolver::find_root(RootProblem& problem, Vector x, const SolverOptions& options) {
  return iterate(problem, nullptr, x, options);
}

const SolveResult& NewtonSolver::minimise(MinimumProblem& problem, Vector x, const SolverOptions& options) {
  return iterate(problem, &problem, x, options);
}

}  // namespace livens
