// What a solve leaves behind: work in the counters, and a report with advice if it failed.
#pragma once

#include <livens/integrator.hpp>

#include "solve/newton.hpp"

namespace livens {

// Adds the work of a solve to the counters.
void book_solve(const SolveResult& result, Counters& counters);

// q: the shape where the solve stood.
StepReport failed_solve(const Model& model, const SolveResult& result, double t, double h, ConstVector q);

}  // namespace livens
