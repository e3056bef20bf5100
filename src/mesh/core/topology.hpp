// Edges and facets of the simplices, by local node, and small helpers of the mesh code.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include <livens/mesh.hpp>

namespace livens {

inline std::size_t at(int index) { return static_cast<std::size_t>(index); }

ElementKind kind_named(const std::string& name);  // tet10 for an unknown name

// Counts are ints everywhere behind this limit.
inline constexpr double most_entries = 2147483647.0;

// Midsides follow the vertices in this order; a triangle has the first three.
inline constexpr std::array<std::array<int, 2>, 6> simplex_edges{{{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}};
constexpr int edges_of(ElementKind kind) { return dimension_of(kind) == 2 ? 3 : 6; }

// Facets with outward orientation for elements of positive volume: vertices, then midsides of the edges 01 12 20.
inline constexpr std::array<std::array<int, 6>, 4> tet_facets{
    {{0, 2, 1, 6, 5, 4}, {0, 1, 3, 4, 8, 7}, {1, 2, 3, 5, 9, 8}, {0, 3, 2, 7, 9, 6}}};
inline constexpr std::array<std::array<int, 3>, 3> triangle_facets{{{0, 1, 3}, {1, 2, 4}, {2, 0, 5}}};

constexpr int facets_of(ElementKind kind) { return vertices_of(kind); }
constexpr int nodes_of_facet(ElementKind kind) {
  return dimension_of(kind) == 2 ? (quadratic(kind) ? 3 : 2) : (quadratic(kind) ? 6 : 3);
}
constexpr const int* facet_nodes(ElementKind kind, int facet) {
  return dimension_of(kind) == 2 ? triangle_facets[facet].data() : tet_facets[facet].data();
}

// The part of an element's mass that its node a has when the mass is lumped: the diagonal of the consistent matrix,
// scaled (Hinton, Rock, Zienkiewicz 1976).
constexpr double lumped_share(ElementKind kind, int a) {
  switch (kind) {
    case ElementKind::tri3: return 1.0 / 3;
    case ElementKind::tri6: return a < 3 ? 1.0 / 19 : 16.0 / 57;
    case ElementKind::tet4: return 1.0 / 4;
    case ElementKind::tet10: break;
  }
  return a < 4 ? 1.0 / 36 : 4.0 / 27;
}

// Pairs of elements that share a facet, and facets of one element only. Facets are numbered
// element * facets_of(kind) + local facet.
struct FacetPairs {
  std::vector<int> single;                // sorted
  std::vector<std::array<int, 2>> equal;  // pairs with the same orientation: both elements lie on the same side
  std::vector<int> crowded;               // the third and further of a facet
};
// skip: elements to leave out; may be empty.
FacetPairs pair_facets(const Mesh& mesh, const std::vector<char>& skip = {});

}  // namespace livens
