// Selections of nodes: the sections [[selection]], and body.group for what a mesh names itself.
#pragma once

#include <livens/mesh.hpp>

#include "model/assembly.hpp"

namespace livens {

struct SelectionRecord : Record {
  // Sorted nodes of the mesh; nothing is a fault that add_selection reports.
  std::vector<int> (*select)(const Settings& settings, const Mesh& mesh, double within) = nullptr;
};

Registry<SelectionRecord>& selection_records();

// Keeps the nodes in assembly.selections; an empty selection is a fault.
void add_selection(const Settings& settings, const std::string& name, const SelectionRecord& record,
                   Assembly& assembly);

// The nodes that the key `selection` of a table names; without that key, all nodes of the bodies it acts on. Throws
// SceneError.
std::vector<NodeSet> selected_nodes(const Settings& settings, const Assembly& assembly);

// Which nodes of their body are selected.
std::vector<bool> marks_of(const NodeSet& set, int nodes);

}  // namespace livens
