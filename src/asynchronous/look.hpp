// The state of all nodes at one instant, from nodes that are each at their own time. It works on copies: nodes drift to
// T, and every stencil adds or takes back the part of its last impulse that belongs to the other side,
//   p_a -= (T - t_last - 1/2 step) dW_K/dx_a(x(T))
#pragma once

#include "asynchronous/activation_schedule.hpp"

namespace livens {

// q, p, v and the ledger of all impulses at T.
void look(const Activations& activations, ImpulseSpan span, double T, State& state, Ledger& ledger);

}  // namespace livens
