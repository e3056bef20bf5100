// The nodes of a rigid body: every second corner of a box, or in the plane the corners of an equilateral triangle.
#pragma once

#include <cstddef>

#include <livens/model.hpp>

namespace livens {

// In the plane: there is nothing of the body along its third axis.
inline bool is_planar(const RigidShape& shape) { return shape.half[2] == 0; }
inline std::size_t nodes_of(const RigidShape& shape) { return is_planar(shape) ? 3 : 4; }

// Where node a is along axis i, from the centre, over half[i]: means over the nodes are those of the body, of a square
// 1, of all else 0.
double corner(const RigidShape& shape, std::size_t i, std::size_t a);

}  // namespace livens
