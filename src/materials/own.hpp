// Materials whose energy is known point by point: those of users, and expressions.
#pragma once

#include <memory>
#include <string>

#include "elements/strain_energy.hpp"
#include "materials/material.hpp"

namespace livens {

// Lane by lane, less the value at rest.
std::shared_ptr<const StrainEnergy> make_strain_energy(std::shared_ptr<const InvariantEnergy> energy,
                                                       bool survives_inversion);

Moduli moduli_at_rest(const InvariantEnergy& energy);
// Why the rest shape is no stable one without stress; empty if it is.
std::string rest_refusal(const InvariantEnergy& energy);

}  // namespace livens
