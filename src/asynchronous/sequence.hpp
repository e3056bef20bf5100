// Any sequence of (component, step) is a splitting method [L04 Appendix A]; no clock decides.
#pragma once

#include <span>

#include "asynchronous/activations.hpp"

namespace livens {

// The impulse of a stencil, or for component -1 the drift of all nodes.
struct SplittingPart {
  int component;
  double step;
};

// False if a stencil has no energy. The result is in activations.nodes().
bool play(Activations& activations, std::span<const SplittingPart> sequence);

}  // namespace livens
