// The envelope of implicit methods: without a step limit on linear systems, they have one where motion is large or
// bodies hit something (docs/solids.md).
#pragma once

#include <string>

#include <livens/setup.hpp>

namespace livens {

// A method that keeps the energy and both momenta of this model exactly, at any step; empty if there is none.
std::string exact_energy_method(const Model& model);

// Whether solids that touch something are stepped by a rule that bounds the energy of linear systems only, beyond what
// it takes: h omega_max above 3, and a damping that leaves the stiffest modes more than 0.7 of their size in a step.
bool beyond_envelope(const RunPlan& plan, const Model& model, double step, double omega);

}  // namespace livens
