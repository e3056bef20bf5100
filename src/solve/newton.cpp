#include "solve/newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace livens {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double rounding_goal = 4 * epsilon;  // where the default tolerance stops asking
constexpr double default_accept = 1e-10;       // where stagnation counts as convergence by default
constexpr double chord_region = 1e-6;          // below, the last factorisation is good enough
constexpr double quadratic_region = 1e-3;      // below, a full step that shrinks the gradient tenfold is Newton's own
constexpr double armijo = 1e-4;
constexpr int max_cuts = 40;

double dot(ConstVector a, ConstVector b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double max_norm(ConstVector r) {
  double norm = 0;
  for (const double value : r) norm = std::max(norm, std::abs(value));
  return norm;
}

}  // namespace

// A full step from LU, cut until the residual falls.
struct NewtonSolver::RootStrategy {
  NewtonSolver& solver;

  bool prepare(RootProblem& problem, ConstVector x) {
    std::fill(solver.values_.begin(), solver.values_.end(), 0.0);
    problem.jacobian(x, solver.values_);
    if (!solver.lu_) solver.lu_ = make_lu(solver.pattern_);
    return solver.lu_->factorise(solver.values_);
  }
  const LinearSolver& factor() const { return *solver.lu_; }
  void start(ConstVector, double, bool) {}
  bool acceptable(ConstVector, double length, double norm, double trial_norm, bool) const {
    return trial_norm <= (1 - armijo * length) * norm;
  }
  double objective() const { return 0; }
};

// A Newton direction that is always downhill, cut until the objective falls (Armijo); close to the minimum, where
// differences of the objective drown in rounding, until the gradient falls.
struct NewtonSolver::MinimumStrategy {
  NewtonSolver& solver;
  MinimumProblem& problem;
  double value = 0, slope = 0, trial_value = 0;

  bool prepare(RootProblem&, ConstVector x) {
    if (!solver.cholesky_) solver.cholesky_ = make_cholesky(solver.pattern_);
    double shift = 0;
    for (int attempt = 0; attempt < 30; ++attempt) {
      std::fill(solver.values_.begin(), solver.values_.end(), 0.0);
      problem.jacobian(x, solver.values_);
      if (shift > 0) problem.add_metric(shift, solver.values_);
      if (solver.cholesky_->factorise(solver.values_)) {
        if (shift > 0) ++solver.result_.convexified;
        return true;
      }
      shift = shift == 0 ? 0.1 : 4 * shift;
    }
    return false;
  }
  const LinearSolver& factor() const { return *solver.cholesky_; }
  void start(ConstVector x, double, bool near) {
    slope = dot(solver.residual_, solver.direction_);
    if (!near) {
      double scale = 0;
      problem.evaluate(x, solver.trial_residual_, scale, value);
    }
  }
  bool acceptable(ConstVector trial, double length, double norm, double trial_norm, bool near) {
    if (near) return trial_norm <= (1 - armijo * length) * norm;
    // The rounding of the objective grows with the positions it is made from, far from the origin beyond the decrease.
    const bool quadratic = norm <= quadratic_region * solver.result_.scale;
    if (quadratic && length == 1 && trial_norm <= 0.1 * norm) return true;
    double scale = 0;
    if (!problem.evaluate(trial, solver.trial_residual_, scale, trial_value)) return false;
    return std::isfinite(trial_value) && trial_value <= value + armijo * length * slope + 8 * epsilon * std::abs(value);
  }
  double objective() const { return value; }
};

NewtonSolver::NewtonSolver(const SparsePattern& pattern)
    : pattern_(pattern), values_(static_cast<std::size_t>(pattern.nonzeros())) {
  const auto n = static_cast<std::size_t>(pattern.n);
  residual_.resize(n);
  trial_residual_.resize(n);
  direction_.resize(n);
  trial_.resize(n);
  result_.trace.reserve(64);
}

bool NewtonSolver::evaluate(RootProblem& problem, ConstVector x, Vector r, double& norm) {
  ++result_.evaluations;
  double scale = 0;
  const bool finite = problem.residual(x, r, scale) && std::isfinite(scale);
  norm = max_norm(r);
  if (!finite || !std::isfinite(norm)) return false;
  result_.scale = std::max(result_.scale, scale);
  return true;
}

template <class Strategy>
const SolveResult& NewtonSolver::iterate(RootProblem& problem, Vector x, const SolverOptions& options,
                                         Strategy& strategy) {
  auto trace = std::move(result_.trace);
  trace.clear();
  result_ = SolveResult{};
  result_.trace = std::move(trace);
  const double goal = std::max(options.tolerance, rounding_goal);
  const double accept = options.tolerance > 0 ? goal : default_accept;

  double norm = 0;
  const auto finish = [&](bool converged, FailureCode code) -> const SolveResult& {
    result_.converged = converged;
    result_.code = converged ? FailureCode::none : code;
    result_.residual = norm;
    const auto worst = std::max_element(residual_.begin(), residual_.end(),
                                        [](double a, double b) { return std::abs(a) < std::abs(b); });
    result_.worst_coordinate = static_cast<int>(worst - residual_.begin());
    return result_;
  };
  // Every way out leaves the problem evaluated at x.
  const auto leave = [&](bool converged, FailureCode code) -> const SolveResult& {
    evaluate(problem, x, residual_, norm);
    return finish(converged, code);
  };

  if (!evaluate(problem, x, residual_, norm)) return finish(false, FailureCode::not_finite);
  bool fresh = false;  // the factorisation belongs to a point close by
  for (int iteration = 1; iteration <= options.max_iterations; ++iteration) {
    if (norm <= goal * result_.scale) return finish(true, FailureCode::none);
    const bool near = norm <= chord_region * result_.scale;
    bool chord = fresh && near;
    for (;;) {
      if (!chord) {
        ++result_.factorisations;
        if (!strategy.prepare(problem, x)) return leave(norm <= accept * result_.scale, FailureCode::singular);
      }
      for (std::size_t i = 0; i < x.size(); ++i) direction_[i] = -residual_[i];
      strategy.factor().solve(direction_);
      strategy.start(x, norm, near);

      double length = 1, trial_norm = 0;
      bool found = false;
      for (int cut = 0; cut <= max_cuts; ++cut, length /= 2) {
        for (std::size_t i = 0; i < x.size(); ++i) trial_[i] = x[i] + length * direction_[i];
        if (evaluate(problem, trial_, trial_residual_, trial_norm) &&
            strategy.acceptable(trial_, length, norm, trial_norm, near)) {
          found = true;
          break;
        }
        if (chord || norm <= accept * result_.scale) break;  // a cut does not help against rounding or an old factor
        ++result_.cuts;
      }
      result_.trace.push_back({iteration, norm, strategy.objective(), found ? length : 0});
      if (!found && norm <= accept * result_.scale) return leave(true, FailureCode::none);
      if (!found && chord) {
        chord = false;
        continue;
      }
      if (!found) return leave(false, FailureCode::no_decrease);

      ++result_.iterations;
      std::copy(trial_.begin(), trial_.end(), x.begin());
      residual_.swap(trial_residual_);
      const bool stalled = trial_norm > 0.25 * norm && trial_norm <= accept * result_.scale;
      norm = trial_norm;
      fresh = true;
      if (stalled) return finish(true, FailureCode::none);
      break;
    }
  }
  const bool reached = norm <= accept * result_.scale;
  return finish(reached, FailureCode::no_convergence);
}

const SolveResult& NewtonSolver::find_root(RootProblem& problem, Vector x, const SolverOptions& options) {
  RootStrategy strategy{*this};
  return iterate(problem, x, options, strategy);
}

const SolveResult& NewtonSolver::minimise(MinimumProblem& problem, Vector x, const SolverOptions& options) {
  MinimumStrategy strategy{*this, problem};
  return iterate(problem, x, options, strategy);
}

}  // namespace livens
