// Elements of a hyperelastic material given by its derivatives in the invariants, or of linear elasticity.
#pragma once

#include <functional>
#include <memory>

#include <livens/solid_block.hpp>

#include "elements/strain_energy.hpp"

namespace livens {

// lambda, mu: small-strain moduli, for the damping. Energy and damping are multiplied by the stiffness factor of the
// part.
std::shared_ptr<SolidBlock> make_elastic(const SolidPart& part, std::shared_ptr<const StrainEnergy> energy,
                                         double lambda, double mu);

// s(X) w
std::shared_ptr<const StrainEnergy> make_graded(std::shared_ptr<const StrainEnergy> energy,
                                                std::function<double(const double* X)> factor);

// The same with an energy that depends on position itself; the stiffness factor applies to the damping only.
std::shared_ptr<SolidBlock> make_elastic_of_place(const SolidPart& part, std::shared_ptr<const StrainEnergy> energy,
                                                  double lambda, double mu);

// w = mu |e|^2 + lambda/2 tr^2 e, e = sym(F) - I: not frame-indifferent.
std::shared_ptr<SolidBlock> make_linear_elastic(const SolidPart& part, double lambda, double mu);

// f = -time * K(q) v on the elements of a part (see SolidBlock::make_damping). make_step: the energy of the strain of a
// step, for the published form.
std::shared_ptr<Force> make_strain_damping(const SolidPart& part, const std::string& name, double time, double lambda,
                                           double mu, DampingForm form,
                                           std::function<std::unique_ptr<StepEnergy>()> make_step);

}  // namespace livens
