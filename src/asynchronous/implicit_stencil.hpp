// One stencil solved for implicitly. L04 4.7 has, with P the momentum between the last events of its nodes and this
// one, d the time since those events and w the step of the stencil,
//
//   P = p - (1 - alpha) w dW(x*),  x* = x + alpha d P/m,  x+ = x + d P/m,  p+ = P - alpha w dW(x*)
//
// that is x* = X - alpha (1 - alpha) w d/m dW(x*) at the place X = x + alpha d p/m of free flight: an explicit impulse
// -w dW_s(X) of the softened potential
//
//   W_s(X) = min over y of  W(y) + sum_a m_a |y_a - X_a|^2 / (2 s),   dW_s(X) = dW(y),   s = alpha (1 - alpha) w d
//
// at the time of X. Since d ends at whatever event of a neighbour came last, that time is not the middle of the step
// that the impulse belongs to, and the order is 1. Here the impulse is in the middle, and d = w: the potential changes
// by O(w^2), so that the order is 2 and all else is as with explicit stencils (symplectic, both momenta), for any
// alpha. An isolated stencil moves as in L04 (alpha = 1/2: the midpoint rule), but for where in its step it is looked
// at. m_a is the part of the mass of a node that belongs to the stencil: then sum_K d2W_s <= M / (alpha (1 - alpha)
// w^2), and stencils with equal steps and alpha = 1/2 have no limit of stability, however many share a node.
#pragma once

#include "asynchronous/stencil_system.hpp"

namespace livens {

// Writes y and dW(y); returns W_s(x), which is not finite if Newton's method does not converge.
double evaluate_softened(const StencilSystem& system, const StencilSystem::Set& set, int stencil, double softness,
                         const Pack* x, Pack* y, Pack* gradient);

}  // namespace livens
