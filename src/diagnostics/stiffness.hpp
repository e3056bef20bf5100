// The fastest oscillation of a model about a state, and with it the longest step of explicit methods.
#pragma once

#include <cmath>
#include <optional>

#include <livens/model.hpp>

namespace livens {

// omega_max^2 = largest |eigenvalue| of M^-1 d2W/dq2 at the state, by Lanczos' method; from above, to about
// one part in a million.
// Nothing for general Lagrangians and for models with more than 200 000 unknowns.
std::optional<double> omega_max(const Model& model, const State& state);

// Verlet and the symplectic Eulers are stable up to h = 2 / omega_max on linear systems. Damping proportional to
// stiffness enters them with a lag and lowers that to the root of h^2 + 2 kD h = 4 / omega_max^2.
inline double explicit_step_limit(double omega, double damping_time = 0) {
  if (damping_time == 0) return 2 / omega;
  return 4 / (omega * omega) / (damping_time + std::sqrt(damping_time * damping_time + 4 / (omega * omega)));
}

}  // namespace livens
