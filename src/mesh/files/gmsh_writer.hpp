// Gmsh files, version 2.2 in ASCII.
#pragma once

#include <string>

#include <livens/mesh.hpp>

namespace livens {

// Regions are physical groups of elements, groups of nodes are physical groups of points. Numbers are exact: what
// read_mesh makes of it has the same positions, elements, regions and groups.
std::string gmsh_text(const Mesh& mesh);

}  // namespace livens
