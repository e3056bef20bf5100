// Straight quadratic elements: a node in the middle of every edge, X_m = (X_a + X_b) / 2.
#include <algorithm>

#include <livens/meshes.hpp>

#include "mesh/core/topology.hpp"

namespace livens {
namespace {

// Edges as sorted lists of higher ends, by lower end; an edge's number is its place.
struct EdgeTable {
  std::vector<int> start;  // of each lower end
  std::vector<int> upper;

  explicit EdgeTable(const Mesh& mesh) : start(at(mesh.nodes()) + 1, 0) {
    const int edges = edges_of(mesh.kind);
    const auto ends = [&](int e, int k) {
      const auto& local = simplex_edges[at(k)];
      return std::minmax({mesh.element(e)[local[0]], mesh.element(e)[local[1]]});
    };
    for (int e = 0; e < mesh.elements(); ++e)
      for (int k = 0; k < edges; ++k) ++start[at(ends(e, k).first) + 1];
    for (std::size_t a = 1; a < start.size(); ++a) start[a] += start[a - 1];
    upper.resize(at(start.back()));
    std::vector<int> next(start.begin(), start.end() - 1);
    for (int e = 0; e < mesh.elements(); ++e)
      for (int k = 0; k < edges; ++k) {
        const auto [low, high] = ends(e, k);
        upper[at(next[at(low)]++)] = high;
      }
    // Every list once, moved up to close the gaps.
    int kept = 0;
    for (std::size_t a = 0; a + 1 < start.size(); ++a) {
      const auto first = upper.begin() + start[a], last = upper.begin() + start[a + 1];
      std::sort(first, last);
      const auto unique = std::unique(first, last);
      start[a] = kept;
      std::copy(first, unique, upper.begin() + kept);
      kept += static_cast<int>(unique - first);
    }
    start.back() = kept;
    upper.resize(at(kept));
  }

  int count() const { return static_cast<int>(upper.size()); }
  int number(int a, int b) const {
    const auto [low, high] = std::minmax(a, b);
    const auto first = upper.begin() + start[at(low)], last = upper.begin() + start[at(low) + 1];
    return static_cast<int>(std::lower_bound(first, last, high) - upper.begin());
  }
};

[[noreturn]] void refuse_number(const Mesh& mesh) {
  throw MeshError("a quadratic mesh of " + std::to_string(mesh.elements()) +
                  " elements has more nodes than can be numbered");
}

void copy_names(const Mesh& mesh, const EdgeTable& edges, Mesh& result) {
  result.region = mesh.region;
  result.regions = mesh.regions;
  result.element_tags = mesh.element_tags;
  result.node_tags = mesh.node_tags;
  if (mesh.node_tags.empty()) return;
  long tag = *std::max_element(mesh.node_tags.begin(), mesh.node_tags.end());
  for (int k = 0; k < edges.count(); ++k) result.node_tags.push_back(++tag);
}

// Midsides behind the vertices; returns the lower end of each edge.
std::vector<int> add_midsides(const Mesh& mesh, const EdgeTable& edges, Mesh& result) {
  const std::size_t dim = at(mesh.dimension());
  result.X.reserve(dim * (at(mesh.nodes()) + edges.upper.size()));
  result.X = mesh.X;
  std::vector<int> lower(edges.upper.size());
  for (int a = 0; a < mesh.nodes(); ++a)
    for (int k = edges.start[at(a)]; k < edges.start[at(a) + 1]; ++k) {
      lower[at(k)] = a;
      for (std::size_t c = 0; c < dim; ++c)
        result.X.push_back((mesh.X[at(a) * dim + c] + mesh.X[at(edges.upper[at(k)]) * dim + c]) / 2);
    }
  return lower;
}

void connect(const Mesh& mesh, const EdgeTable& edges, Mesh& result) {
  const int vertices = vertices_of(mesh.kind), first = mesh.nodes();
  result.connectivity.reserve(at(mesh.elements()) * at(nodes_of(result.kind)));
  for (int e = 0; e < mesh.elements(); ++e) {
    const int* node = mesh.element(e);
    result.connectivity.insert(result.connectivity.end(), node, node + vertices);
    for (int k = 0; k < edges_of(mesh.kind); ++k) {
      const auto& ends = simplex_edges[at(k)];
      result.connectivity.push_back(first + edges.number(node[ends[0]], node[ends[1]]));
    }
  }
}

std::vector<char> edges_on_boundary(const Mesh& mesh, const EdgeTable& edges) {
  std::vector<char> on_boundary(edges.upper.size(), 0);
  const Facets facets = boundary_facets(mesh);
  for (std::size_t f = 0; f < facets.element.size(); ++f)
    for (int k = 0; k < (facets.nodes_each == 2 ? 1 : 3); ++k) {
      const int* node = &facets.nodes[f * at(facets.nodes_each)];
      on_boundary[at(edges.number(node[k], node[(k + 1) % facets.nodes_each]))] = 1;
    }
  return on_boundary;
}

// A midside is in a group if both ends are, and the edge is one of the boundary or of an element that is in it.
void add_groups(const Mesh& mesh, const EdgeTable& edges, const std::vector<int>& lower, Mesh& result) {
  if (mesh.groups.empty()) return;
  const int vertices = vertices_of(mesh.kind), first = mesh.nodes();
  const std::vector<char> on_boundary = edges_on_boundary(mesh, edges);
  for (const auto& [name, nodes] : mesh.groups) {
    std::vector<char> in_group(at(first), 0), in_whole_element(edges.upper.size(), 0);
    for (const int a : nodes) in_group[at(a)] = 1;
    for (int e = 0; e < mesh.elements(); ++e) {
      const int* node = mesh.element(e);
      if (!std::all_of(node, node + vertices, [&](int a) { return in_group[at(a)] != 0; })) continue;
      const int* full = result.element(e);
      for (int k = vertices; k < nodes_of(result.kind); ++k) in_whole_element[at(full[k] - first)] = 1;
    }
    auto& group = result.groups[name] = nodes;
    for (std::size_t k = 0; k < edges.upper.size(); ++k)
      if (in_group[at(lower[k])] && in_group[at(edges.upper[k])] && (on_boundary[k] || in_whole_element[k]))
        group.push_back(first + static_cast<int>(k));
  }
}

}  // namespace

Mesh to_quadratic(const Mesh& mesh) {
  if (quadratic(mesh.kind)) return mesh;
  if (static_cast<double>(mesh.elements()) * nodes_of(ElementKind::tet10) > most_entries) refuse_number(mesh);
  const EdgeTable edges(mesh);
  if ((static_cast<double>(mesh.nodes()) + edges.count()) * mesh.dimension() > most_entries) refuse_number(mesh);
  Mesh result;
  result.kind = mesh.dimension() == 2 ? ElementKind::tri6 : ElementKind::tet10;
  copy_names(mesh, edges, result);
  const std::vector<int> lower = add_midsides(mesh, edges, result);
  connect(mesh, edges, result);
  add_groups(mesh, edges, lower, result);
  return result;
}

}  // namespace livens
