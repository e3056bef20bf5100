// What the files of materials share. A material is one function w(I1, I2, J), written once over the scalar type; its
// file makes the block of elements (see livens/solid_block.hpp) and its record.
#pragma once

#include <memory>
#include <string>

#include <livens/materials.hpp>

namespace livens {

// Volumetric energies of nearly incompressible materials: bulk/2 (ln J)^2, bulk/2 (J - 1)^2, bulk/4 (J^2 - 1 - 2 ln J).
enum class Volumetric { log, square, mixed };
Volumetric volumetric_of(const std::string& name);
Parameter volumetric_parameter();

}  // namespace livens
