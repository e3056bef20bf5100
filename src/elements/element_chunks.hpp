// Some elements of a part in chunks, with the kernels of whole blocks: see ElementChunks.
#pragma once

#include <memory>

#include <livens/solid_block.hpp>

#include "elements/strain_energy.hpp"

namespace livens {

// places: in part.elements.
std::shared_ptr<const ElementChunks> make_elastic_chunks(const SolidPart& part, std::span<const int> places,
                                                         std::shared_ptr<const StrainEnergy> energy);
std::shared_ptr<const ElementChunks> make_linear_chunks(const SolidPart& part, std::span<const int> places,
                                                        double lambda, double mu);

}  // namespace livens
