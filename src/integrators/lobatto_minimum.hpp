// The step of order 4 that is a minimum: the parabola through q0, Q and q1 with three Lobatto points, for
// L = 1/2 v'Mv - W(q). Of the equations of `galerkin` only the middle is implicit, and its equation is a gradient:
//
//   E(y) = 1/2 y'My - p0.y + h/6 dW(q0).y + 1/6 W(Q),   Q = q0 + h/2 y,
//   q1 = q0 + h M^-1 [ p0 - h (1/6 dW(q0) + 1/3 dW(Q)) ],   p1 = p0 - h [ 1/6 dW(q0) + 2/3 dW(Q) + 1/6 dW(q1) ].
//
// It is convex wherever M + h^2/24 d2W is positive definite. No other Galerkin step is a minimum: docs/errata.md.
#pragma once

#include <memory>

#include <livens/stepper.hpp>

namespace livens {

// For separable models without forces and multipliers.
std::unique_ptr<Stepper> make_lobatto_minimum(const SolverOptions& solver, const Model& model);

}  // namespace livens
