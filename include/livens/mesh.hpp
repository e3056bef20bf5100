// Simplicial meshes: plain data, in two or three dimensions.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace livens {

// Node order as in VTK: vertices, then midsides of edges 01 12 20 (triangles), 01 12 20 03 13 23 (tetrahedra).
enum class ElementKind { tri3, tri6, tet4, tet10 };

constexpr int nodes_of(ElementKind kind) {
  return kind == ElementKind::tri3 ? 3 : kind == ElementKind::tri6 ? 6 : kind == ElementKind::tet4 ? 4 : 10;
}
constexpr int dimension_of(ElementKind kind) { return kind == ElementKind::tri3 || kind == ElementKind::tri6 ? 2 : 3; }
constexpr int vertices_of(ElementKind kind) { return dimension_of(kind) + 1; }
constexpr bool quadratic(ElementKind kind) { return kind == ElementKind::tri6 || kind == ElementKind::tet10; }
std::string to_string(ElementKind kind);

struct Mesh {
  ElementKind kind = ElementKind::tet4;
  std::vector<double> X;                           // reference positions, nodes x dimension
  std::vector<int> connectivity;                   // elements x nodes_of(kind)
  std::vector<int> region;                         // of each element, an index of `regions`
  std::vector<std::string> regions;                // at least one; "all" where the file names none
  std::map<std::string, std::vector<int>> groups;  // named selections of nodes, sorted
  std::vector<long> node_tags, element_tags;       // numbers in the file, for messages; empty: position + 1

  int dimension() const { return dimension_of(kind); }
  int nodes() const { return static_cast<int>(X.size()) / dimension(); }
  int elements() const { return static_cast<int>(connectivity.size()) / nodes_of(kind); }
  const int* element(int e) const {
    return connectivity.data() + static_cast<std::size_t>(e) * static_cast<std::size_t>(nodes_of(kind));
  }
  long node_tag(int a) const { return node_tags.empty() ? a + 1 : node_tags[a]; }
  long element_tag(int e) const { return element_tags.empty() ? e + 1 : element_tags[e]; }
};

// A mesh that cannot be used; what() is ready to show: file:line, entity, what is wrong, what to try.
class MeshError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What was skipped, repaired or looks odd: a sentence each, beginning with the file's name.
struct MeshNotes {
  std::vector<std::string> warnings, repairs;
};

// Facets that belong to one element only, with outward orientation: edges (2 or 3 nodes) or triangles (3 or 6 nodes,
// VTK order), nodes_each per facet.
struct Facets {
  int nodes_each = 3;
  std::vector<int> nodes;
  std::vector<int> element;  // that each belongs to
  int count() const { return static_cast<int>(element.size()); }
};
Facets boundary_facets(const Mesh& mesh);

}  // namespace livens
