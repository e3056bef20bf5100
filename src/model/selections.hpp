// What tables that refer to a selection of nodes have in common.
#pragma once

#include <livens/mesh.hpp>
#include <livens/selections.hpp>

#include "model/assembly.hpp"

namespace livens {

// The nodes that the key `selection` of a table names; without that key, all nodes of the bodies it acts on. Throws
// SceneError.
std::vector<NodeSet> selected_nodes(const Settings& settings, const Assembly& assembly);

// Which nodes of their body are selected.
std::vector<bool> marks_of(const NodeSet& set, int nodes);

}  // namespace livens
