#include "solve/aggregation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace livens {
namespace {

// Of the geometric mean of the nearest distances of both: all neighbours in a mesh of even tetrahedra.
constexpr double reach = 2.5;

class Strength {
 public:
  Strength(const NodeGraph& graph, std::span<const double> place, int dimension)
      : place_(place), dimension_(dimension), nearest_(graph.size(), std::numeric_limits<double>::infinity()) {
    for (int i = 0; i < graph.size(); ++i)
      for (const int j : graph.at(i)) nearest_[i] = std::min(nearest_[i], square(i, j));
  }
  double square(int i, int j) const {
    double sum = 0;
    for (int c = 0; c < dimension_; ++c) {
      const double difference = place_[i * dimension_ + c] - place_[j * dimension_ + c];
      sum += difference * difference;
    }
    return sum;
  }
  bool strong(int i, int j) const {
    return square(i, j) <= reach * reach * std::sqrt(nearest_[i]) * std::sqrt(nearest_[j]);
  }

 private:
  std::span<const double> place_;
  int dimension_;
  std::vector<double> nearest_;  // squares
};

}  // namespace

NodeGraph node_graph(const SparsePattern& pattern) {
  NodeGraph graph;
  const int block = pattern.block, nodes = pattern.n / block;
  graph.start.reserve(nodes + 1);
  graph.start.push_back(0);
  for (int i = 0; i < nodes; ++i) {
    for (int k = pattern.column_start[i * block]; k < pattern.column_start[i * block + 1]; k += block)
      if (const int j = pattern.row[k] / block; j != i) graph.neighbour.push_back(j);
    graph.start.push_back(static_cast<int>(graph.neighbour.size()));
  }
  return graph;
}

SparsePattern to_pattern(const NodeGraph& graph) {
  SparsePattern pattern;
  pattern.n = graph.size();
  pattern.column_start.push_back(0);
  for (int i = 0; i < graph.size(); ++i) {
    const auto neighbours = graph.at(i);
    const auto after = std::lower_bound(neighbours.begin(), neighbours.end(), i);
    pattern.row.insert(pattern.row.end(), neighbours.begin(), after);
    pattern.row.push_back(i);
    pattern.row.insert(pattern.row.end(), after, neighbours.end());
    pattern.column_start.push_back(static_cast<int>(pattern.row.size()));
  }
  return pattern;
}

NodeGraph renumbered(const NodeGraph& graph, const std::vector<int>& node) {
  std::vector<int> position(node.size());
  for (std::size_t i = 0; i < node.size(); ++i) position[node[i]] = static_cast<int>(i);
  NodeGraph result;
  result.start.push_back(0);
  result.neighbour.reserve(graph.neighbour.size());
  for (const int old : node) {
    const auto begin = static_cast<std::ptrdiff_t>(result.neighbour.size());
    for (const int j : graph.at(old)) result.neighbour.push_back(position[j]);
    std::sort(result.neighbour.begin() + begin, result.neighbour.end());
    result.start.push_back(static_cast<int>(result.neighbour.size()));
  }
  return result;
}

Aggregates aggregate(const NodeGraph& graph, std::span<const double> place, int dimension) {
  const int nodes = graph.size();
  const Strength strength(graph, place, dimension);
  Aggregates groups;
  groups.of.assign(nodes, -1);
  std::vector<int>& of = groups.of;
  // Whole neighbourhoods that no group has touched yet.
  for (int i = 0; i < nodes; ++i) {
    bool untouched = of[i] < 0, any = false;
    for (const int j : graph.at(i))
      if (strength.strong(i, j)) {
        untouched = untouched && of[j] < 0;
        any = true;
      }
    if (!untouched || !any) continue;
    of[i] = groups.count;
    for (const int j : graph.at(i))
      if (strength.strong(i, j)) of[j] = groups.count;
    ++groups.count;
  }
  // What is left over joins the group of its nearest strong neighbour.
  const std::vector<int> first = of;
  for (int i = 0; i < nodes; ++i) {
    if (of[i] >= 0) continue;
    double nearest = std::numeric_limits<double>::infinity();
    for (const int j : graph.at(i))
      if (first[j] >= 0 && strength.strong(i, j) && strength.square(i, j) < nearest) {
        nearest = strength.square(i, j);
        of[i] = first[j];
      }
  }
  // Groups of what no group is near to.
  for (int i = 0; i < nodes; ++i) {
    if (of[i] >= 0) continue;
    of[i] = groups.count;
    for (const int j : graph.at(i))
      if (of[j] < 0 && strength.strong(i, j)) of[j] = groups.count;
    ++groups.count;
  }
  return groups;
}

std::vector<double> centres(const Aggregates& groups, std::span<const double> place, int dimension) {
  std::vector<double> centre(groups.count * dimension, 0.0);
  std::vector<int> members(groups.count, 0);
  for (std::size_t i = 0; i < groups.of.size(); ++i) {
    ++members[groups.of[i]];
    for (int c = 0; c < dimension; ++c)
      centre[groups.of[i] * dimension + c] += place[static_cast<int>(i) * dimension + c];
  }
  for (int k = 0; k < groups.count; ++k)
    for (int c = 0; c < dimension; ++c) centre[k * dimension + c] /= members[k];
  return centre;
}

}  // namespace livens
