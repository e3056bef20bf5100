// Selections of nodes: the sections [[selection]], and body.group for what a mesh names itself.
#pragma once

#include "mesh/core/mesh_tools.hpp"
#include "scene/build.hpp"

namespace livens {

struct SelectionRecord : Record {
  // Sorted nodes of the mesh; nothing is a fault that add_selection reports.
  std::vector<int> (*select)(const Settings& settings, const Mesh& mesh, double within) = nullptr;
};

const std::vector<SelectionRecord>& selection_records();

// Keeps the nodes in build.selections; an empty selection is a fault.
void add_selection(const Settings& settings, const std::string& name, const SelectionRecord& record, Build& build);

// The nodes that the key `selection` of a table names; without that key, all nodes of the bodies it acts on. Empty with
// a fault in the build.
std::vector<NodeSet> selected_nodes(const Settings& settings, Build& build);

// Selections speak of a scene that is being built; a finished model has all that they look at. For those who read keys
// `selection` later: faults are in the result.
struct ValidatedScene;
Build selections_of(const ValidatedScene& scene, const Model& model);

// Which nodes of their body are selected.
std::vector<bool> marks_of(const NodeSet& set, int nodes);

}  // namespace livens
