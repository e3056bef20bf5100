#include "mesh/core/edit.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "mesh/core/topology.hpp"

namespace livens {

void keep_elements(Mesh& mesh, const std::vector<char>& keep) {
  const std::size_t each = at(nodes_of(mesh.kind));
  const bool tagged = !mesh.element_tags.empty();
  if (!tagged && std::find(keep.begin(), keep.end(), 0) != keep.end()) {
    // Numbers that were positions must outlive the move.
    mesh.element_tags.resize(keep.size());
    for (std::size_t e = 0; e < keep.size(); ++e) mesh.element_tags[e] = static_cast<long>(e) + 1;
  }
  std::size_t kept = 0;
  for (std::size_t e = 0; e < keep.size(); ++e) {
    if (!keep[e]) continue;
    if (kept != e) {
      std::copy_n(mesh.connectivity.begin() + static_cast<std::ptrdiff_t>(e * each), each,
                  mesh.connectivity.begin() + static_cast<std::ptrdiff_t>(kept * each));
      mesh.region[kept] = mesh.region[e];
      mesh.element_tags[kept] = mesh.element_tags[e];
    }
    ++kept;
  }
  mesh.connectivity.resize(kept * each);
  mesh.region.resize(kept);
  if (!mesh.element_tags.empty()) mesh.element_tags.resize(kept);
}

void renumber_nodes(Mesh& mesh, const std::vector<int>& number, int count) {
  const std::size_t dim = at(mesh.dimension()), old_count = number.size();
  std::vector<double> X(at(count) * dim);
  std::vector<long> tags(at(count));
  std::vector<char> taken(at(count), 0);
  bool positions_are_tags = true;
  for (std::size_t a = 0; a < old_count; ++a) {
    if (number[a] < 0 || taken[at(number[a])]) continue;
    const std::size_t b = at(number[a]);
    taken[b] = 1;
    std::copy_n(&mesh.X[a * dim], dim, &X[b * dim]);
    tags[b] = mesh.node_tag(static_cast<int>(a));
    positions_are_tags = positions_are_tags && tags[b] == static_cast<long>(b) + 1;
  }
  mesh.X = std::move(X);
  if (positions_are_tags)
    mesh.node_tags.clear();
  else
    mesh.node_tags = std::move(tags);
  for (int& node : mesh.connectivity) node = number[at(node)];
  for (auto group = mesh.groups.begin(); group != mesh.groups.end();) {
    std::vector<int> nodes;
    for (const int a : group->second)
      if (number[at(a)] >= 0) nodes.push_back(number[at(a)]);
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    group->second = std::move(nodes);
    group = group->second.empty() ? mesh.groups.erase(group) : std::next(group);
  }
}

// Cells of four distances hold a bounded number of nodes that are further apart than one distance; each node looks into
// the one to eight cells that its ball touches. Cells of unlike place may share a bucket: the distance decides.
std::vector<int> coincident_nodes(const Mesh& mesh, const std::vector<char>& used, double distance) {
  const std::size_t dim = at(mesh.dimension()), count = at(mesh.nodes());
  std::vector<int> first(count);
  for (std::size_t a = 0; a < count; ++a) first[a] = static_cast<int>(a);
  if (count == 0 || !(distance > 0)) return first;

  std::array<double, 3> low{};
  for (std::size_t c = 0; c < dim; ++c) {
    low[c] = mesh.X[c];
    for (std::size_t a = 0; a < count; ++a) low[c] = std::min(low[c], mesh.X[a * dim + c]);
    low[c] -= 1.618 * distance;  // regular meshes begin at their lowest corner: not on the border of a cell
  }
  const double width = 4 * distance;
  const std::size_t buckets = std::bit_ceil(2 * count);
  std::vector<int> head(buckets, -1), next(count, -1);
  const auto bucket = [&](const std::array<std::int64_t, 3>& cell) {
    std::uint64_t hash = 0;
    for (const std::int64_t c : cell) {
      hash = (hash ^ static_cast<std::uint64_t>(c)) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 29;
    }
    return static_cast<std::size_t>(hash) & (buckets - 1);
  };

  for (std::size_t a = 0; a < count; ++a) {
    if (!used[a]) continue;
    const double* X = &mesh.X[a * dim];
    std::array<std::int64_t, 3> from{}, to{}, own{}, cell{};
    for (std::size_t c = 0; c < dim; ++c) {
      const double place = (X[c] - low[c]) / width, reach = distance / width;
      own[c] = static_cast<std::int64_t>(std::floor(place));
      from[c] = static_cast<std::int64_t>(std::floor(place - reach));
      to[c] = static_cast<std::int64_t>(std::floor(place + reach));
    }
    int found = -1;
    for (cell[2] = from[2]; cell[2] <= to[2]; ++cell[2])
      for (cell[1] = from[1]; cell[1] <= to[1]; ++cell[1])
        for (cell[0] = from[0]; cell[0] <= to[0]; ++cell[0])
          for (int b = head[bucket(cell)]; b >= 0; b = next[at(b)]) {
            double square = 0;
            for (std::size_t c = 0; c < dim; ++c) {
              const double d = X[c] - mesh.X[at(b) * dim + c];
              square += d * d;
            }
            if (square <= distance * distance && (found < 0 || b < found)) found = b;
          }
    if (found >= 0) {
      first[a] = found;
      continue;
    }
    const std::size_t k = bucket(own);
    next[a] = head[k];
    head[k] = static_cast<int>(a);
  }
  return first;
}

void flip_element(Mesh& mesh, int element) {
  int* node = &mesh.connectivity[at(element) * at(nodes_of(mesh.kind))];
  const int first_midside = vertices_of(mesh.kind);
  std::swap(node[1], node[2]);
  if (!quadratic(mesh.kind)) return;
  std::swap(node[first_midside], node[first_midside + 2]);                                 // 01 and 20
  if (mesh.dimension() == 3) std::swap(node[first_midside + 4], node[first_midside + 5]);  // 13 and 23
}

}  // namespace livens
