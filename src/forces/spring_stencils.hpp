// Springs one at a time, and the damping along them.
#pragma once

#include "forces/spring.hpp"

namespace livens {

// direction: of each spring, dimension numbers, for springs linearised about a shape; empty for others.
std::shared_ptr<const Stencils> make_spring_stencils(std::shared_ptr<const SpringSet> springs, SpringLaw law,
                                                     std::vector<double> direction);
std::shared_ptr<const DampingStencils> make_spring_damping_stencils(std::shared_ptr<const SpringSet> springs,
                                                                    double coefficient);

}  // namespace livens
