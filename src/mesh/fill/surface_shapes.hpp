// Closed surfaces of simple shapes, oriented outwards.
#pragma once

#include <array>

#include "mesh/core/mesh_tools.hpp"

namespace livens {

// An icosahedron whose triangles are cut in four `levels` times, at most 8: 20*4^levels triangles.
Surface sphere_surface(double radius, const std::array<double, 3>& centre, int levels);
// Two triangles a side.
Surface box_surface(const std::array<double, 3>& size, const std::array<double, 3>& corner);
// About the z axis: `around` x `across` quadrilaterals, at least 3 each.
Surface torus_surface(double radius, double tube, const std::array<double, 3>& centre, int around, int across);

}  // namespace livens
