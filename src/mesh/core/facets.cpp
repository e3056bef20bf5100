#include <algorithm>

#include <livens/mesh.hpp>

#include "mesh/core/topology.hpp"

namespace livens {
namespace {

// The sorted vertices of a facet without the lowest, and whether sorting them was an odd permutation.
struct FacetKey {
  int second, third;  // third is -1 in two dimensions
  int facet;
  bool odd;
};

struct SortedFacet {
  std::array<int, 3> vertex{-1, -1, -1};
  bool odd = false;
};

SortedFacet sorted_facet(const Mesh& mesh, int element, int facet) {
  const int* node = mesh.element(element);
  const int* local = facet_nodes(mesh.kind, facet);
  SortedFacet sorted;
  auto& v = sorted.vertex;
  const auto order = [&](std::size_t a, std::size_t b) {
    if (v[a] <= v[b]) return;
    std::swap(v[a], v[b]);
    sorted.odd = !sorted.odd;
  };
  v[0] = node[local[0]];
  v[1] = node[local[1]];
  order(0, 1);
  if (mesh.dimension() == 3) {
    v[2] = node[local[2]];
    order(1, 2);
    order(0, 1);
  }
  return sorted;
}

}  // namespace

// Facets are put into buckets of their lowest vertex, which hold a few dozen each; the work grows like the elements.
FacetPairs pair_facets(const Mesh& mesh, const std::vector<char>& skip) {
  const int facets = facets_of(mesh.kind), elements = mesh.elements();
  const auto left_out = [&](int e) { return !skip.empty() && skip[at(e)] != 0; };
  std::vector<int> start(at(mesh.nodes()) + 1, 0);
  for (int e = 0; e < elements; ++e)
    for (int f = 0; f < facets && !left_out(e); ++f) ++start[at(sorted_facet(mesh, e, f).vertex[0]) + 1];
  for (std::size_t a = 1; a < start.size(); ++a) start[a] += start[a - 1];

  std::vector<FacetKey> keys(at(start.back()));
  std::vector<int> next(start.begin(), start.end() - 1);
  for (int e = 0; e < elements; ++e)
    for (int f = 0; f < facets && !left_out(e); ++f) {
      const SortedFacet s = sorted_facet(mesh, e, f);
      keys[at(next[at(s.vertex[0])]++)] = {s.vertex[1], s.vertex[2], e * facets + f, s.odd};
    }

  FacetPairs pairs;
  const auto less = [](const FacetKey& a, const FacetKey& b) {
    return a.second != b.second ? a.second < b.second : a.third != b.third ? a.third < b.third : a.facet < b.facet;
  };
  for (std::size_t a = 0; a + 1 < start.size(); ++a) {
    const std::size_t end = at(start[a + 1]);
    std::sort(keys.begin() + start[a], keys.begin() + start[a + 1], less);
    for (std::size_t i = at(start[a]); i < end;) {
      std::size_t j = i + 1;
      while (j < end && keys[j].second == keys[i].second && keys[j].third == keys[i].third) ++j;
      if (j - i == 1) pairs.single.push_back(keys[i].facet);
      if (j - i >= 2 && keys[i].odd == keys[i + 1].odd) pairs.equal.push_back({keys[i].facet, keys[i + 1].facet});
      for (std::size_t k = i + 2; k < j; ++k) pairs.crowded.push_back(keys[k].facet);
      i = j;
    }
  }
  std::sort(pairs.single.begin(), pairs.single.end());
  return pairs;
}

Facets boundary_facets(const Mesh& mesh) {
  const FacetPairs pairs = pair_facets(mesh);
  const int facets = facets_of(mesh.kind);
  Facets boundary;
  boundary.nodes_each = nodes_of_facet(mesh.kind);
  for (const int facet : pairs.single) {
    const int* node = mesh.element(facet / facets);
    const int* local = facet_nodes(mesh.kind, facet % facets);
    for (int k = 0; k < boundary.nodes_each; ++k) boundary.nodes.push_back(node[local[k]]);
    boundary.element.push_back(facet / facets);
  }
  return boundary;
}

}  // namespace livens
