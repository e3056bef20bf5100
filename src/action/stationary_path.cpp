// Stationary paths by Newton's method over all inner points at once, on a block tridiagonal pattern.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <livens/path.hpp>

#include "action/discrete_action.hpp"
#include "solve/newton.hpp"

namespace livens {
namespace {

struct Interrupted {};

// dS/dQ = 0 for the inner points x of a path.
class PathProblem final : public MinimumProblem {
 public:
  PathProblem(DiscreteAction& action, std::vector<double>& path, const PathOptions& options)
      : action_(action), path_(path), options_(options), gradient_(path.size()), sizes_(path.size()) {}

  bool residual(ConstVector x, Vector r, double& scale) override {
    double value = 0;
    return evaluate(x, r, scale, value);
  }
  bool evaluate(ConstVector x, Vector r, double& scale, double& objective) override {
    const std::size_t n = action_.coordinates();
    std::copy(x.begin(), x.end(), path_.begin() + static_cast<std::ptrdiff_t>(n));
    objective = action_.gradient(path_, gradient_, sizes_);
    std::copy_n(gradient_.begin() + static_cast<std::ptrdiff_t>(n), r.size(), r.begin());
    scale = *std::max_element(sizes_.begin(), sizes_.end());
    scale_ = scale;
    residual_ = largest_of(r);
    return std::isfinite(scale) && std::isfinite(objective);
  }
  void jacobian(ConstVector x, Vector values) override {
    tell();
    std::copy(x.begin(), x.end(), path_.begin() + static_cast<std::ptrdiff_t>(action_.coordinates()));
    action_.hessian(path_, values);
  }
  // h L_vv / T^2 at the current path: the diagonal of a free particle's action for the slowest variation.
  void add_metric(double scale, Vector values) override {
    const std::vector<double> metric = action_.metric(path_);
    const SparsePattern& pattern = action_.pattern();
    double hessian = 0, mass = 0;
    for (int i = 0; i < pattern.n; ++i) {
      hessian += std::abs(values[pattern.slot(i, i)]);
      mass += metric[i];
    }
    for (int i = 0; i < pattern.n; ++i) values[pattern.slot(i, i)] += scale * hessian / mass * metric[i];
  }
  bool symmetric() const override { return true; }

 private:
  void tell() {
    if (options_.told && !options_.told({iteration_, scale_ > 0 ? residual_ / scale_ : 0})) throw Interrupted{};
    ++iteration_;
  }

  DiscreteAction& action_;
  std::vector<double>& path_;
  const PathOptions& options_;
  std::vector<double> gradient_, sizes_;
  double residual_ = 0, scale_ = 0;
  int iteration_ = 0;
};

void check_ends(const Model& model, const PathEnds& ends) {
  const auto n = static_cast<std::size_t>(model.size());
  if (ends.from.size() != n || ends.to.size() != n)
    throw std::invalid_argument("both ends of a path need a number for each of the " + std::to_string(n) +
                                " coordinates");
  if (ends.steps < 1 || !(ends.t_end > ends.t_begin))
    throw std::invalid_argument("a path needs at least one step, and to end after it begins");
  if (ends.rule.points.empty() || ends.rule.points.size() != ends.rule.weights.size() || ends.rule.nodes.size() < 2)
    throw std::invalid_argument("a discrete Lagrangian has two or more nodes, and a weight for each of its points");
  if (model.constraint_count() > 0)
    throw std::invalid_argument(
        "constraints held by multipliers ('" + model.parts().constraints.front()->name() +
        "') are not part of the action of a path. Use enforcement = \"penalty\", or coordinates without constraints");
  if (!model.parts().forces.empty())
    throw std::invalid_argument("the force '" + model.parts().forces.front()->name() +
                                "' has no potential: motions with it are no stationary paths of an action. Set its "
                                "enabled = false");
}

// The given guess with the ends in their places, or the straight line; supports do not move in it.
std::vector<double> start_path(const Model& model, const PathEnds& ends, const std::vector<double>& guess) {
  const auto n = static_cast<std::size_t>(model.size()), s = ends.rule.nodes.size() - 1;
  const std::size_t last = s * static_cast<std::size_t>(ends.steps);
  if (!guess.empty() && guess.size() != n * (last + 1))
    throw std::invalid_argument("the guess of a path needs " + std::to_string(last + 1) + " points");
  std::vector<double> path(n * (last + 1));
  for (std::size_t point = 0; point <= last; ++point) {
    const double part = (static_cast<double>(point / s) + ends.rule.nodes[point % s]) / ends.steps;
    for (std::size_t k = 0; k < n; ++k) {
      const bool inner = point > 0 && point < last;
      const double line = ends.from[k] + part * (ends.to[k] - ends.from[k]);
      path[point * n + k] = model.supported(static_cast<int>(k)) ? ends.from[k]
                            : inner && !guess.empty()            ? guess[point * n + k]
                            : point == last                      ? ends.to[k]
                                                                 : line;
    }
  }
  return path;
}

std::string failure_text(const SolveResult& result, bool minimise) {
  if (result.code == FailureCode::singular)
    return "the second variation is singular: the ends are conjugate, and the path between them is not unique. Change "
           "the times or the ends a little";
  const std::string where =
      to_string(result.code) + " after " + std::to_string(result.iterations) + " iterations of Newton's method";
  return minimise ? where +
                        ": beyond a conjugate point there may be no minimum. Look for a stationary path, or give "
                        "another guess"
                  : where + ". Give a guess nearer to a motion, or shorter times";
}

}  // namespace

ConstVector Path::at(std::size_t step) const {
  const std::size_t n = ends.from.size(), s = ends.rule.nodes.size() - 1;
  return ConstVector(q).subspan(step * s * n, n);
}

double action(const Model& model, const DiscreteLagrangian& rule, double t, double h, const std::vector<double>& q) {
  const auto n = static_cast<std::size_t>(model.size()), s = rule.nodes.size() - 1;
  const std::size_t points = q.size() / n;
  if (q.size() % n != 0 || points < 2 || (points - 1) % s != 0)
    throw std::invalid_argument("a path has degree * steps + 1 points of " + std::to_string(n) + " coordinates");
  return DiscreteAction(model, rule, t, h, static_cast<int>((points - 1) / s)).value(q);
}

Path stationary_path(const Model& model, const PathEnds& ends, const PathOptions& options) {
  check_ends(model, ends);
  Path path;
  path.ends = ends;
  path.h = (ends.t_end - ends.t_begin) / ends.steps;
  path.q = start_path(model, ends, options.guess);
  DiscreteAction action(model, ends.rule, ends.t_begin, path.h, ends.steps);
  const std::size_t n = action.coordinates();
  path.converged = action.points() == 2;  // one straight line
  if (!path.converged) {
    std::vector<double> x(path.q.begin() + static_cast<std::ptrdiff_t>(n),
                          path.q.end() - static_cast<std::ptrdiff_t>(n));
    PathProblem problem(action, path.q, options);
    NewtonSolver newton(action.pattern());
    SolverOptions solver;
    solver.linear = SolverOptions::Linear::direct;  // conjugate gradients need a definite matrix, and this is a saddle
    solver.tolerance = options.tolerance;
    solver.max_iterations = options.max_iterations;
    try {
      const SolveResult& result =
          options.minimise ? newton.minimise(problem, x, solver) : newton.find_root(problem, x, solver);
      path.converged = result.converged;
      path.iterations = result.iterations;
      if (!result.converged) path.message = failure_text(result, options.minimise);
    } catch (const Interrupted&) {
      path.interrupted = true;
      path.message = "interrupted";
    }
    std::copy(x.begin(), x.end(), path.q.begin() + static_cast<std::ptrdiff_t>(n));
  }
  std::vector<double> gradient(path.q.size()), sizes(path.q.size());
  path.action = action.gradient(path.q, gradient, sizes);
  path.scale = *std::max_element(sizes.begin(), sizes.end());
  for (std::size_t i = n; i + n < gradient.size(); ++i) path.residual = std::max(path.residual, std::abs(gradient[i]));
  path.p_begin.assign(gradient.begin(), gradient.begin() + static_cast<std::ptrdiff_t>(n));
  for (double& p : path.p_begin) p = -p;
  path.p_end.assign(gradient.end() - static_cast<std::ptrdiff_t>(n), gradient.end());
  return path;
}

}  // namespace livens
