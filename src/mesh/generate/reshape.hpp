// What makes other bodies out of generated grids of linear elements: moved nodes, regions, smaller elements.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "mesh/core/mesh_tools.hpp"

namespace livens {

using MeshFunction = std::function<double(std::span<const double>)>;  // of X, Y, Z

// Moves every node at random, along each axis by at most `part` (0 to 0.5) of its shortest edge along that axis; nodes
// of a group x_min, x_max, ... not along that axis, so that flat faces stay flat. A move that would leave one of the
// node's elements less than a tenth of its volume is halved, and dropped in the end. The same on every platform.
void jitter_nodes(Mesh& mesh, double part, unsigned long seed);

// X_c becomes shape[c](X). Throws MeshError where that is not finite, or where elements end up flat or inside out.
void map_nodes(Mesh& mesh, const std::vector<MeshFunction>& shape);

// An element belongs to the first region whose function is positive at its centroid, the others stay in "all".
// Throws MeshError for a region without elements.
void divide_into_regions(Mesh& mesh, const std::vector<std::string>& names, const std::vector<MeshFunction>& inside);

// Every triangle into 4 or tetrahedron into 8 by the middles of its edges; regions and groups follow. Four tetrahedra
// stand at the corners, the octahedron between them is cut along its shortest diagonal.
Mesh refined(const Mesh& mesh);

}  // namespace livens
