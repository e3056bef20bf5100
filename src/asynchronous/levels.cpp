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

Levels assign_levels(const StencilSystem& system, std::span<const double> limits) {
  Levels levels;
  levels.level.assign(system.size(), 0);
  double longest = 0;
  for (const double limit : limits)
    if (std::isfinite(limit)) longest = std::max(longest, limit);
  if (!(longest > 0)) return levels;
  int exponent = 0;
  const double mantissa = std::frexp(longest, &exponent), fraction = best_fraction(limits);
  levels.base = std::ldexp(fraction, mantissa >= fraction ? exponent : exponent - 1);
  for (int k = 0; k < system.size(); ++k)
    while (levels.step(k) > limits[k] && levels.level[k] < finest) ++levels.level[k];
  return levels;
}

}  // namespace livens
