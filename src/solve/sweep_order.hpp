// The order in which sweeps visit the nodes of a pattern, cut into pieces that threads can take up. It depends on the
// pattern only.
#pragma once

#include <vector>

#include "math/sparse_pattern.hpp"

namespace livens {

struct NodeRange {
  int begin = 0, end = 0;  // positions in the order
};

// Levels of a breadth-first search from an end of the graph, cut into slices. The last level of a slice separates it
// from the next, so the interiors do not touch each other, nor do the separators; no interior node touches two
// separators. Order: all interiors, then all separators.
struct SweepOrder {
  std::vector<int> node;  // at each position
  std::vector<NodeRange> interiors, separators;
};
SweepOrder make_sweep_order(const SparsePattern& pattern);

// Nodes in the largest level: 1 for a chain, a cross-section for a bar. Bounds the fill of a factorisation.
int level_width(const SparsePattern& pattern);

}  // namespace livens
