#include "integrators/advice.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace livens {

std::string short_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

Advice shorter_step(double h) { return {"integrator.step", short_text(h), "", h}; }

Advice halve_failed_steps() {
  return {"solver.retry_halvings", "3", "shorter steps only where needed, each one reported", std::nullopt, true};
}

Advice more_iterations(int taken) {
  return {"solver.max_iterations", std::to_string(4 * taken), "the residual was still falling"};
}

Advice root_instead_of_minimum() { return {"solver.kind", "root", "forces are resolved where energies are not"}; }

Advice looser_tolerance(double reached) {
  const double power = std::ceil(std::log10(std::max(reached, 1e-15))) + 1;
  return {"solver.tolerance", "1e" + std::to_string(static_cast<int>(power)),
          "what rounding allows here, and a margin"};
}

Advice factorisation() { return {"solver.linear", "direct", "factorisations reach smaller residuals"}; }

Advice implicit_method() { return {"integrator.kind", "implicit_midpoint", "has no step limit on linear systems"}; }

}  // namespace livens
