// Whether a mesh that came from outside is usable, and the repairs that were asked for.
#pragma once

#include <string>

#include <livens/meshes.hpp>

namespace livens {

// Finds inverted, degenerate, duplicate, unreferenced and non-finite entities; repairs what was asked for, refuses the
// rest. `place` names the source of an element or node for messages (line or byte); may be empty.
using MeshPlace = std::string (*)(const void* source, bool element, int index);
void check_mesh(Mesh& mesh, const std::string& name, const MeshRepair& repair, MeshNotes& notes,
                MeshPlace place = nullptr, const void* source = nullptr);

}  // namespace livens
