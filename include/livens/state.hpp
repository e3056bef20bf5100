// The state of a mechanical system at one instant.
#pragma once

#include <vector>

namespace livens {

// Always synchronous: q, p and v belong to the same t. p is the canonical momentum dL/dv and v = dH/dp.
// The velocity of a step, staggered momenta and asynchronous clocks stay inside their integrator.
struct State {
  double t = 0;
  std::vector<double> q, p, v;
  std::vector<double> lambda;  // multipliers of the constraints; empty without constraints
};

}  // namespace livens
