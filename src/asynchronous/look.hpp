// The state of all nodes at one instant, from nodes that are each at their own time. It works on copies: nodes drift to
// T, and every stencil, and every term that acts as a whole, adds or takes back the part of its last impulse that
// belongs to the other side,
//   p_a -= (T - t_last - 1/2 step) dW_K/dx_a(x(T))
#pragma once

#include "asynchronous/activation_schedule.hpp"
#include "asynchronous/layered_contact.hpp"
#include "asynchronous/whole_terms.hpp"

namespace livens {

// q, p, v and the ledger of all impulses at T. Velocities still have to be put onto constraints. False if these have no
// solution.
bool look(const Activations& activations, const ActivationSchedule& schedule, const WholeTerms& wholes,
          const ConstrainedNodes& constrained, const LayeredContact& contact, double T, State& state, Ledger& ledger);

}  // namespace livens
