// Elements one at a time: the quadrature points of one element are the lanes of a pack.
#pragma once

#include <memory>

#include <livens/solid_block.hpp>

#include "elements/strain_energy.hpp"

namespace livens {

std::shared_ptr<const Stencils> make_elastic_stencils(const SolidPart& part, std::shared_ptr<const StrainEnergy> energy,
                                                      double lambda, double mu);
std::shared_ptr<const Stencils> make_linear_stencils(const SolidPart& part, double lambda, double mu);
std::shared_ptr<const DampingStencils> make_damping_stencils(const SolidPart& part, double time, double lambda,
                                                             double mu);

}  // namespace livens
