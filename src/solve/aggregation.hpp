// Nodes of a graph gathered into groups of neighbours, the nodes of the next coarser level of a multilevel method
// (P. Vanek, J. Mandel, M. Brezina, Computing 56 (1996)). Which neighbours go together is decided by distances alone,
// so that the groups are a property of the mesh: they serve every matrix, and a run that is resumed has them again.
#pragma once

#include <span>
#include <vector>

#include "math/sparse_pattern.hpp"

namespace livens {

// Neighbours of each node, ascending, without the node itself.
struct NodeGraph {
  std::vector<int> start, neighbour;
  int size() const { return static_cast<int>(start.size()) - 1; }
  std::span<const int> at(int node) const {
    return {neighbour.data() + start[node], static_cast<std::size_t>(start[node + 1] - start[node])};
  }
};

NodeGraph node_graph(const SparsePattern& pattern);
// As a pattern of single numbers, the diagonal included: what sweeps are ordered by.
SparsePattern to_pattern(const NodeGraph& graph);
// The same graph with other numbers: node[i] is the old number of i.
NodeGraph renumbered(const NodeGraph& graph, const std::vector<int>& node);

struct Aggregates {
  int count = 0;
  std::vector<int> of;  // of each node
};

// place: `dimension` numbers per node. Neighbours are strong up to a multiple of the distance of the nearest one: in a
// thin layer of flat elements groups reach across the layer, where the coupling is, and not along it.
Aggregates aggregate(const NodeGraph& graph, std::span<const double> place, int dimension);
// The mean place of every group.
std::vector<double> centres(const Aggregates& groups, std::span<const double> place, int dimension);

}  // namespace livens
