// Methods that combine old and new accelerations, put to equations with constraints as they stand (index 3), for
// comparison: positions keep the constraints, velocities only as far as the method is accurate, and nothing stabilises
// the multipliers.
//
//   q1 = q0 + h v0 + h^2 (b0 a0 + b1 a1),  v1 = v0 + h (c0 a0 + c1 a1),
//   M a1 = -dW(q1) + f(q1, v1) - G(q1)'lambda1,  g(t1, q1) = 0
//
// Newmark has b = (1/2 - beta, beta), c = (1 - gamma, gamma), implicit Euler b = c = (0, 1). For L = 1/2 v'Mv - W(q).
#pragma once

#include <memory>

#include <livens/stepper.hpp>

namespace livens {

struct AccelerationWeights {
  double b0, b1, c0, c1;
};

std::unique_ptr<Stepper> make_index_three(const AccelerationWeights& weights, const SolverOptions& solver,
                                          const Model& model);

}  // namespace livens
