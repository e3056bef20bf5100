// The energy of what a step strains, of elements: the start of the step is their stress-free shape [K06 5.2].
#pragma once

#include <memory>

#include <livens/energy.hpp>
#include <livens/solid_block.hpp>

#include "elements/element_block.hpp"
#include "elements/strain_energy.hpp"

namespace livens {

// time * sum V w(F), with F the gradient of the end of the step by its start and V the volumes of the start.
std::unique_ptr<StepEnergy> make_step_elastic(ElementKind kind, const ElementLayout& layout,
                                              std::shared_ptr<const StrainEnergy> energy, double time);

// time * W(X + q1 - q0) of linear elasticity, whose energy is one of displacements from the reference shape X.
std::unique_ptr<StepEnergy> make_step_linear(std::shared_ptr<const SolidBlock> block, double time);

}  // namespace livens
