#include "asynchronous/element_steps.hpp"

#include <algorithm>
#include <cmath>

#include "asynchronous/neighbourhood_steps.hpp"
#include "math/symmetric_eigen.hpp"

namespace livens {
namespace {

constexpr double gradient_difference = 1e-6;  // of the size of a stencil, to difference its gradient

double extent(const double* x, int nodes) {
  double size = 0;
  for (int a = 1; a < nodes; ++a)
    for (int c = 0; c < 3; ++c) size = std::max(size, std::abs(x[4 * a + c] - x[c]));
  return size > 0 ? size : 1;
}

}  // namespace

ElementSteps::ElementSteps(const StencilSystem& system, const StepRule& rule) : system_(system), rule_(rule) {
  if (!rule.update || rule.kind == StepRule::Kind::courant) return;
  modes_.assign(rule.kind == StepRule::Kind::eigenvalue ? 4 * system.place_count() : system.size(), 0.0);
}

// Lagged damping lowers the limit 2/w to (2/w) (sqrt(1 + z^2) - z) with z = time w/2, the fraction of critical damping.
double ElementSteps::limited(const StencilSystem::Set& set, double step) const {
  double time = 0;
  for (const auto& damping : set.damping) time += damping.stencils->time();
  if (time > 0 && std::isfinite(step)) {
    const double z = time * rule_.factor / step;
    step *= std::sqrt(1 + z * z) - z;
  }
  return std::min(step, rule_.longest);
}

double ElementSteps::from_frequency(const StencilSystem::Set& set, double omega) const {
  return limited(set, omega > 0 ? rule_.factor * 2 / omega : std::numeric_limits<double>::infinity());
}

// From the largest eigenvalue of the second derivatives (differences of the gradient) over the stencil's own masses.
double ElementSteps::frequency(int stencil, const double* x) {
  const auto& set = system_.set_of(stencil);
  const int N = set.per_stencil, D = system_.dimension(), n = N * D, k = stencil - set.first;
  const double* mass = system_.masses(set, stencil);
  const double bound = set.stencils->stiffness(k);
  if (bound > 0) return std::sqrt(bound / *std::min_element(mass, mass + N));
  if (set.term == nullptr) return 0;
  alignas(32) double y[4 * most_nodes], up[4 * most_nodes], down[4 * most_nodes];
  std::copy(x, x + 4 * N, y);
  const double eps = gradient_difference * extent(x, N);
  Eigen::MatrixXd H(n, n);
  for (int j = 0; j < n; ++j) {
    const int at = 4 * (j / D) + j % D;
    y[at] = x[at] + eps;
    set.stencils->evaluate(k, y, up);
    y[at] = x[at] - eps;
    set.stencils->evaluate(k, y, down);
    y[at] = x[at];
    for (int i = 0; i < n; ++i) {
      const int from = 4 * (i / D) + i % D;
      H(i, j) = (up[from] - down[from]) / (2 * eps) / std::sqrt(mass[i / D] * mass[j / D]);
    }
  }
  const SymmetricEigen modes = symmetric_eigen(0.5 * (H + H.transpose()));
  if (!modes_.empty()) {
    double* mode = modes_.data() + 4 * system_.place(set, stencil);
    for (int i = 0; i < n; ++i) mode[4 * (i / D) + i % D] = modes.vectors(i, n - 1) / std::sqrt(mass[i / D]);
  }
  return std::sqrt(std::max(0.0, modes.values(n - 1)));
}

double ElementSteps::first(int stencil, const double* x) {
  const auto& set = system_.set_of(stencil);
  if (const double given = rule_.given_for(set.name); given > 0) return given;
  const double courant = set.stencils->courant_time(stencil - set.first, x);
  if (rule_.kind == StepRule::Kind::courant && courant > 0) return limited(set, rule_.factor * courant);
  return from_frequency(set, frequency(stencil, x));
}

std::vector<double> ElementSteps::of_each(const std::vector<Pack>& x) {
  std::vector<double> steps(system_.size());
  Pack own[most_nodes];
  for (const auto& set : system_.sets())
    for (int k = set.first; k < set.first + set.stencils->count(); ++k) {
      for (int a = 0; a < set.per_stencil; ++a) own[a] = x[system_.nodes(set, k)[a]];
      steps[k] = first(k, lanes(own));
    }
  return steps;
}

std::vector<double> ElementSteps::on_levels(const std::vector<double>& limits) {
  levels_ = assign_levels(system_, limits);
  if (!(levels_.base > 0)) return limits;  // nothing bounds any step
  std::vector<double> steps(limits.size());
  for (int k = 0; k < system_.size(); ++k) steps[k] = levels_.step(k);
  return steps;
}

// How much longer all steps may be, by (1) of neighbourhood_steps.hpp: weights are the squares of what the steps are a
// fraction of, with lagged damping h^2 + 2 time h. Beside a coarser level they count twice, (1) of levels.hpp.
double ElementSteps::lengthening(const NeighbourhoodSteps& neighbourhood, const std::vector<double>& steps) const {
  const LevelRules rules;
  std::vector<double> coarsest = steps, weights(steps.size());
  if (rule_.levels) spread_largest(system_, rules.buffer, coarsest);
  const auto full = [&](int k) {  // the step that is fully taken by the weight
    if (!std::isfinite(steps[k])) return 0.0;
    return steps[k] / rule_.factor * (coarsest[k] > steps[k] ? rules.interface : 1);
  };
  const auto time_of = [](const StencilSystem::Set& set) {
    double time = 0;
    for (const auto& damping : set.damping) time += damping.stencils->time();
    return time;
  };
  for (int k = 0; k < system_.size(); ++k) weights[k] = full(k) * (full(k) + 2 * time_of(system_.set_of(k)));
  const double taken = neighbourhood.largest(weights) / 4;
  if (!(taken > 0 && taken < 1)) return 1;
  // The least s with (s h)^2 + 2 time s h = (h^2 + 2 time h) / taken.
  double longer = std::numeric_limits<double>::infinity();
  for (int k = 0; k < system_.size(); ++k) {
    if (!(full(k) > 0)) continue;
    const double time = time_of(system_.set_of(k));
    longer = std::min(longer, (std::sqrt(time * time + weights[k] / taken) - time) / full(k));
  }
  return longer;
}

std::vector<double> ElementSteps::of_neighbourhoods(const std::vector<Pack>& x) {
  const NeighbourhoodSteps neighbourhood(system_, x);
  std::vector<double> steps = neighbourhood.limits();
  for (const auto& set : system_.sets())
    for (int k = set.first; k < set.first + set.stencils->count(); ++k) {
      const double given = rule_.given_for(set.name);
      steps[k] = given > 0 ? given : limited(set, rule_.factor * steps[k]);
    }
  if (rule_.levels) steps = on_levels(steps);
  double longest = 0;
  for (const double step : steps)
    if (std::isfinite(step)) longest = std::max(longest, step);
  if (!(longest > 0)) return steps;
  const double longer = std::min(lengthening(neighbourhood, steps), rule_.longest / longest);
  if (longer > 1) {
    levels_.base *= longer;
    for (int k = 0; k < system_.size(); ++k) steps[k] = rule_.levels ? levels_.step(k) : longer * steps[k];
  }
  return steps;
}

std::vector<double> ElementSteps::start(const std::vector<Pack>& x) {
  if (rule_.equal > 0) {
    const std::vector<double> steps(system_.size(), rule_.equal);
    return rule_.levels ? on_levels(steps) : steps;
  }
  if (rule_.kind != StepRule::Kind::neighbourhood) {
    const std::vector<double> steps = of_each(x);
    return rule_.levels ? on_levels(steps) : steps;
  }
  const std::vector<double> steps = of_neighbourhoods(x);
  if (!modes_.empty()) keep_ratios(x, steps);
  return steps;
}

void ElementSteps::keep_ratios(const std::vector<Pack>& x, const std::vector<double>& steps) {
  Pack own[most_nodes];
  for (const auto& set : system_.sets())
    for (int k = set.first; k < set.first + set.stencils->count(); ++k) {
      for (int a = 0; a < set.per_stencil; ++a) own[a] = x[system_.nodes(set, k)[a]];
      const double courant = set.stencils->courant_time(k - set.first, lanes(own));
      modes_[k] = courant > 0 && std::isfinite(steps[k]) ? steps[k] / courant : 0;
    }
}

double ElementSteps::next(int stencil, const double* x, const double* gradient) {
  const auto& set = system_.set_of(stencil);
  const int N = set.per_stencil, k = stencil - set.first;
  if (!rule_.given.empty() && rule_.given_for(set.name) > 0) return 0;  // as before
  const double courant = set.stencils->courant_time(k, x);
  if (rule_.kind == StepRule::Kind::courant && courant > 0) return limited(set, rule_.factor * courant);
  if (modes_.empty() || courant == 0) return 0;  // as before
  if (rule_.kind == StepRule::Kind::neighbourhood) return std::min(modes_[stencil] * courant, rule_.longest);
  const double* mass = system_.masses(set, stencil);
  double* mode = modes_.data() + 4 * system_.place(set, stencil);
  alignas(32) double y[4 * most_nodes], g[4 * most_nodes];
  double longest = 0;
  for (int i = 0; i < 4 * N; ++i) longest = std::max(longest, std::abs(mode[i]));
  const double eps = longest > 0 ? gradient_difference * extent(x, N) / longest : 0;
  for (int i = 0; i < 4 * N; ++i) y[i] = x[i] + eps * mode[i];
  set.stencils->evaluate(k, y, g);
  double above = 0, below = 0;
  for (int i = 0; i < 4 * N; ++i) {
    const double Ku = eps > 0 ? (g[i] - gradient[i]) / eps : 0;
    above += mode[i] * Ku;
    below += mode[i] * mode[i] * mass[i / 4];
    mode[i] = Ku / mass[i / 4];
  }
  double norm = 0;
  for (int i = 0; i < 4 * N; ++i) norm += mode[i] * mode[i] * mass[i / 4];
  for (int i = 0; i < 4 * N && norm > 0; ++i) mode[i] /= std::sqrt(norm);
  const double square = below > 0 ? above / below : 0;
  return square > 0 ? from_frequency(set, std::sqrt(square)) : 0;
}

}  // namespace livens
