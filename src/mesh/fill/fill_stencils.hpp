// The tetrahedra of a lattice that lie inside, whole or cut: four nodes each, positively oriented and conforming.
#pragma once

#include <vector>

#include "mesh/fill/fill_lattice.hpp"

namespace livens::geometry {

std::vector<int> stuff(const Lattice& lattice);

}  // namespace livens::geometry
