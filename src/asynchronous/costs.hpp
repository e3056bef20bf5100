// What an activation costs [L04 (60)-(63)], measured on copies for some hundredths of a second; in seconds.
#pragma once

#include "asynchronous/activations.hpp"

namespace livens {

// C_EU: the update of a stencil by itself, one stencil after the other.
double update_cost(const Activations& activations);
// C_PQ: a pop and push of the queue.
double queue_cost(const StencilClocks& clocks);

}  // namespace livens
