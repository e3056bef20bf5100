#include "asynchronous/levels.hpp"

#include <algorithm>
#include <limits>

namespace livens {
namespace {

constexpr int finest = 60;

// Of all bases the one with the fewest updates per second. With limit = 2^(o + f), 0 <= f < 1, and base 2^phi times a
// whole power of two, a stencil goes every 2^(o + phi) if f >= phi, else every 2^(o - 1 + phi). In between the limits
// the number of updates falls with phi: the best phi is the f of some stencil.
double best_fraction(std::span<const double> limits) {
  struct Limit {
    double fraction, rate;  // rate: 2^-o
  };
  std::vector<Limit> sorted;
  double all = 0, below = 0;
  for (const double limit : limits) {
    if (!std::isfinite(limit)) continue;
    int exponent = 0;
    const double mantissa = std::frexp(limit, &exponent);  // in [1/2, 1)
    sorted.push_back({mantissa, std::ldexp(1.0, -exponent)});
    all += sorted.back().rate;
  }
  std::sort(sorted.begin(), sorted.end(), [](const Limit& a, const Limit& b) { return a.fraction < b.fraction; });
  double best = 0.5, least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    const double updates = (all + below) / sorted[k].fraction;
    if (updates < least) {
      least = updates;
      best = sorted[k].fraction;
    }
    below += sorted[k].rate;
  }
  return best;
}

}  // namespace

void spread_largest(const StencilSystem& system, int layers, std::vector<double>& values) {
  std::vector<double> at_node(system.node_count());
  for (int layer = 0; layer < layers; ++layer) {
    std::fill(at_node.begin(), at_node.end(), -std::numeric_limits<double>::infinity());
    for (const auto& set : system.sets())
      for (int k = set.first; k < set.first + set.stencils->count(); ++k)
        for (int a = 0; a < set.per_stencil; ++a) {
          double& here = at_node[system.nodes(set, k)[a]];
          here = std::max(here, values[k]);
        }
    for (const auto& set : system.sets())
      for (int k = set.first; k < set.first + set.stencils->count(); ++k)
        for (int a = 0; a < set.per_stencil; ++a) values[k] = std::max(values[k], at_node[system.nodes(set, k)[a]]);
  }
}

Levels assign_levels(const StencilSystem& system, std::span<const double> limits, const LevelRules& rules) {
  Levels levels;
  levels.level.assign(system.size(), 0);
  // A stencil of step H bears finer ones of limit tau around it if H/2 <= tau / interface.
  std::vector<double> least(limits.size());  // with the opposite sign
  for (std::size_t k = 0; k < limits.size(); ++k) least[k] = -limits[k];
  spread_largest(system, rules.buffer, least);
  std::vector<double> bound(limits.begin(), limits.end());
  double longest = 0;
  for (std::size_t k = 0; k < limits.size(); ++k) {
    if (rules.buffer > 0) bound[k] = std::min(limits[k], -2 * least[k] / rules.interface);
    if (std::isfinite(bound[k])) longest = std::max(longest, bound[k]);
  }
  if (!(longest > 0)) return levels;
  int exponent = 0;
  const double mantissa = std::frexp(longest, &exponent), fraction = best_fraction(bound);
  levels.base = std::ldexp(fraction, mantissa >= fraction ? exponent : exponent - 1);
  const auto refine = [&](int stencil, double limit) {
    bool changed = false;
    for (; levels.step(stencil) > limit && levels.level[stencil] < finest; changed = true) ++levels.level[stencil];
    return changed;
  };
  for (int k = 0; k < system.size(); ++k) refine(k, bound[k]);
  for (bool changed = rules.buffer > 0; changed;) {
    for (int k = 0; k < system.size(); ++k) least[k] = -2 * levels.step(k);
    spread_largest(system, rules.buffer, least);
    changed = false;
    for (int k = 0; k < system.size(); ++k) changed = refine(k, -least[k]) || changed;
  }
  return levels;
}

}  // namespace livens
