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

// Value, and the derivatives that the order asks for, of one lane; less the value at rest.
void evaluate_lane(const InvariantEnergy& energy, double rest, int order, int lane, EnergyPoint& point);
inline void evaluate_lane(const InvariantEnergy& energy, int order, int lane, EnergyPoint& point) {
  evaluate_lane(energy, energy.value(3, 3, 1), order, lane, point);
}

Moduli moduli_at_rest(const InvariantEnergy& energy);
// Why the rest shape is no stable one without stress; empty if it is.
std::string rest_refusal(const InvariantEnergy& energy);

}  // namespace livens
