// What integrators advise after a failure.
#pragma once

#include <livens/integrator.hpp>

namespace livens {

std::string short_text(double value);  // four digits, for messages and advice

Advice shorter_step(double h);
Advice halve_failed_steps();  // solver.retry_halvings
Advice implicit_method();

}  // namespace livens
