#include <cmath>
#include <limits>

#include "diagnostics/quantities.hpp"
#include "math/scratch.hpp"

namespace livens {

double energy_rounding(const Model& model, const State& state) {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  constexpr int trials = 4;
  if (!model.separable()) {
    const double H = energy(model, state).total;
    return eps * (std::abs(H) + std::abs(energy(model, state).kinetic));
  }
  const double W = model.potential(state.t, state.q);
  ScratchVector q(state.q.size());
  unsigned bits = 1;
  double squares = 0;
  for (int trial = 0; trial < trials; ++trial) {
    for (std::size_t i = 0; i < q.size(); ++i) {
      bits = 1664525u * bits + 1013904223u;  // the linear congruential generator of Numerical Recipes
      q[i] = state.q[i] * (1 + ((bits >> 31) != 0 ? eps : -eps));
    }
    const double change = model.potential(state.t, ConstVector(q)) - W;
    squares += change * change;
  }
  return std::sqrt(squares / trials) + eps * (std::abs(W) + model.kinetic(state.v));
}

}  // namespace livens
