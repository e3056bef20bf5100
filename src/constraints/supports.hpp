// Supports: coordinates that are held or moved, and therefore eliminated.
#pragma once

#include "model/assembly.hpp"

namespace livens {

// Which of x, y, z a text such as "xz" names; false with a fault.
bool read_components(const Settings& settings, int dimension, std::vector<bool>& components);

// Adds a support after taking out the coordinates that another constraint holds already: those of `fixed` may overlap,
// others are faults.
void add_support(const Settings& settings, Support support, Assembly& assembly);

}  // namespace livens
