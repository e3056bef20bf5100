// What integrators advise after a failure.
#pragma once

#include <livens/integrator.hpp>

namespace livens {

std::string short_text(double value);  // four digits, for messages and advice

Advice shorter_step(double h);
Advice halve_failed_steps();  // solver.retry_halvings
Advice implicit_method();
Advice more_iterations(int taken);
Advice root_instead_of_minimum();
Advice looser_tolerance(double reached);  // reached: residual over its scale
Advice factorisation();

}  // namespace livens
