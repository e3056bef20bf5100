#include "integrators/advice.hpp"

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

Advice implicit_method() { return {"integrator.kind", "implicit_midpoint", "has no step limit on linear systems"}; }

}  // namespace livens
