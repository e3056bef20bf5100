#include "solve/sweep_order.hpp"

#include <algorithm>

namespace livens {
namespace {

constexpr int nodes_per_slice = 384;  // smaller pieces cost more in convergence and hand-over than they gain
constexpr int most_slices = 64;

struct Graph {
  const SparsePattern& pattern;
  int nodes() const { return pattern.n / pattern.block; }
  template <class Visit>
  void neighbours(int node, const Visit& visit) const {
    const auto column = static_cast<std::size_t>(node * pattern.block);
    for (int k = pattern.column_start[column]; k < pattern.column_start[column + 1]; k += pattern.block)
      visit(pattern.row[k] / pattern.block);
  }
};

// Appends the component of root to order, level by level, and the end of each level to level_end.
void search(const Graph& graph, int root, std::vector<int>& mark, int stamp, std::vector<int>& order,
            std::vector<int>& level_end) {
  std::size_t next = order.size();
  order.push_back(root);
  mark[root] = stamp;
  while (next < order.size()) {
    const std::size_t end = order.size();
    level_end.push_back(static_cast<int>(end));
    for (; next < end; ++next)
      graph.neighbours(order[next], [&](int other) {
        if (mark[other] == stamp) return;
        mark[other] = stamp;
        order.push_back(other);
      });
  }
}

struct Levels {
  std::vector<int> node, end;
};

Levels find_levels(const SparsePattern& pattern) {
  const Graph graph{pattern};
  const int nodes = graph.nodes();
  Levels result;
  std::vector<int> mark(nodes, 0);
  int stamp = 1;  // nodes placed for good have the mark -1
  for (int seed = 0; seed < nodes; ++seed) {
    if (mark[seed] == -1) continue;
    // The far end of a search, twice, is a good place to start from.
    int root = seed;
    for (int turn = 0; turn < 2; ++turn) {
      std::vector<int> trial, trial_ends;
      search(graph, root, mark, ++stamp, trial, trial_ends);
      root = trial.back();
    }
    search(graph, root, mark, -1, result.node, result.end);
  }
  return result;
}

}  // namespace

int level_width(const SparsePattern& pattern) {
  int width = 0, begin = 0;
  for (const int end : find_levels(pattern).end) {
    width = std::max(width, end - begin);
    begin = end;
  }
  return width;
}

SweepOrder make_sweep_order(const SparsePattern& pattern) {
  const auto [levels, level_end] = find_levels(pattern);
  const int nodes = pattern.n / pattern.block;
  const auto level_count = static_cast<int>(level_end.size());
  const int slices = std::clamp(std::min(nodes / nodes_per_slice, level_count / 4), 1, most_slices);
  SweepOrder result;
  std::vector<NodeRange> walls;
  int begin = 0, first_level = 0;
  for (int s = 0; s < slices; ++s) {
    // A slice has an interior of at least two levels and, but for the last, one level of separator.
    int last = first_level + 2;
    const int goal = static_cast<int>(static_cast<long>(nodes) * (s + 1) / slices);
    const int latest = level_count - 1 - 3 * (slices - 1 - s);
    while (last < latest && level_end[last] < goal) ++last;
    const bool final = s == slices - 1;
    const int end = final ? nodes : level_end[last - 1];
    const auto at = static_cast<int>(result.node.size());
    result.node.insert(result.node.end(), levels.begin() + begin, levels.begin() + end);
    result.interiors.push_back({at, static_cast<int>(result.node.size())});
    if (final) break;
    walls.push_back({end, level_end[last]});
    begin = walls.back().end;
    first_level = last + 1;
  }
  for (const NodeRange& wall : walls) {
    const auto at = static_cast<int>(result.node.size());
    result.node.insert(result.node.end(), levels.begin() + wall.begin, levels.begin() + wall.end);
    result.separators.push_back({at, static_cast<int>(result.node.size())});
  }
  return result;
}

}  // namespace livens
