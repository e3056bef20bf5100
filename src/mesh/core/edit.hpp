// Changes of a mesh as a whole: elements left out, nodes renumbered, joined or left out.
#pragma once

#include <vector>

#include <livens/mesh.hpp>

namespace livens {

void keep_elements(Mesh& mesh, const std::vector<char>& keep);

// Node a becomes number[a]; -1 leaves it out, which no element may hold. Where several become one, the first gives
// position and tag. Groups follow; those that lose all nodes go.
void renumber_nodes(Mesh& mesh, const std::vector<int>& number, int count);

// For each node the first node within the distance, itself if there is none before it. Nodes that are not used stay
// alone.
std::vector<int> coincident_nodes(const Mesh& mesh, const std::vector<char>& used, double distance);

// Mirrors the numbering of an element, which changes the sign of its volume.
void flip_element(Mesh& mesh, int element);

}  // namespace livens
