// Forced symplectic Euler B as S15 prints it, for comparison with the symmetric form of symplectic_euler_b:
//
//   v1 = v0 + h M^-1 [ -dW(q0) + 1/2 (f_before + f0) ],   q1 = q0 + h v1,   f0 = f(t0, q0, v0).
//
// The force lags one step behind; in the first step f0 takes the place of f_before.
#pragma once

#include <memory>

#include <livens/stepper.hpp>

namespace livens {

// For separable models without multipliers.
std::unique_ptr<Stepper> make_printed_euler(const Model& model);

}  // namespace livens
