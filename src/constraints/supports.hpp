// Supports: coordinates that are held or moved, and therefore eliminated.
#pragma once

#include <livens/assembly.hpp>

namespace livens {

// Adds a support after taking out the coordinates that another constraint holds already: those of `fixed` may overlap,
// others are refused. Throws AssemblyError.
void add_support(Support support, Assembly& assembly);

}  // namespace livens
