// Reverse Cuthill-McKee numbering (E. Cuthill, J. McKee 1969; A. George 1971): breadth first from a node at the rim,
// neighbours by growing degree, then reversed. Neighbours in the mesh become neighbours in memory, and matrices narrow.
// Where the layers of this order are so wide that a few of them do not stay in the cache, and factorisations do not
// profit either, nodes follow Hilbert's curve instead.
#include <algorithm>

#include <livens/meshes.hpp>

#include "mesh/core/edit.hpp"
#include "mesh/core/space_curve.hpp"
#include "mesh/core/topology.hpp"

namespace livens {
namespace {

struct Adjacency {
  std::vector<int> start, neighbour;

  explicit Adjacency(const Mesh& mesh) {
    const std::size_t nodes = at(mesh.nodes()), each = at(nodes_of(mesh.kind));
    std::vector<int> first(nodes + 1, 0);
    for (const int a : mesh.connectivity) ++first[at(a) + 1];
    for (std::size_t a = 1; a <= nodes; ++a) first[a] += first[a - 1];
    std::vector<int> elements(mesh.connectivity.size()), next(first.begin(), first.end() - 1);
    for (std::size_t i = 0; i < mesh.connectivity.size(); ++i)
      elements[at(next[at(mesh.connectivity[i])]++)] = static_cast<int>(i / each);

    start.assign(nodes + 1, 0);
    std::vector<int> seen(nodes, -1);
    for (std::size_t a = 0; a < nodes; ++a) {
      for (int i = first[a]; i < first[a + 1]; ++i) {
        const int* node = mesh.element(elements[at(i)]);
        for (std::size_t k = 0; k < each; ++k) {
          if (at(node[k]) == a || seen[at(node[k])] == static_cast<int>(a)) continue;
          seen[at(node[k])] = static_cast<int>(a);
          neighbour.push_back(node[k]);
        }
      }
      start[a + 1] = static_cast<int>(neighbour.size());
    }
  }
  int degree(int a) const { return start[at(a) + 1] - start[at(a)]; }
};

// Breadth first from the root over nodes that have no number yet; appends them to `order` and gives where the last
// layer begins. width: grows to that of the widest.
std::size_t spread(const Adjacency& graph, int root, std::vector<char>& done, std::vector<int>& order,
                   std::size_t& width) {
  std::size_t layer = order.size(), at_node = layer;
  order.push_back(root);
  done[at(root)] = 1;
  std::size_t layer_end = order.size();
  while (at_node < order.size()) {
    if (at_node == layer_end) {
      width = std::max(width, layer_end - layer);
      layer = layer_end;
      layer_end = order.size();
    }
    const int a = order[at_node++];
    const std::size_t begin = order.size();
    for (int i = graph.start[at(a)]; i < graph.start[at(a) + 1]; ++i) {
      const int b = graph.neighbour[at(i)];
      if (done[at(b)]) continue;
      done[at(b)] = 1;
      order.push_back(b);
    }
    std::sort(order.begin() + static_cast<std::ptrdiff_t>(begin), order.end(), [&](int b, int c) {
      return graph.degree(b) != graph.degree(c) ? graph.degree(b) < graph.degree(c) : b < c;
    });
  }
  return layer;
}

// Nodes in their order, by layers from the rim; the width of the widest layer.
std::vector<int> order_by_layers(const Mesh& mesh, std::size_t& width) {
  const Adjacency graph(mesh);
  std::vector<char> done(at(mesh.nodes()), 0);
  std::vector<int> order;
  order.reserve(done.size());
  for (int seed = 0; seed < mesh.nodes(); ++seed) {
    if (done[at(seed)]) continue;
    // The node of least degree in the last layer is about as far away as a node can be; begin there.
    const std::size_t begin = order.size();
    const std::size_t layer = spread(graph, seed, done, order, width);
    const int root = *std::min_element(
        order.begin() + static_cast<std::ptrdiff_t>(layer), order.end(),
        [&](int a, int b) { return graph.degree(a) != graph.degree(b) ? graph.degree(a) < graph.degree(b) : a < b; });
    for (std::size_t i = begin; i < order.size(); ++i) done[at(order[i])] = 0;
    order.resize(begin);
    spread(graph, root, done, order, width);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace

void order_for_locality(Mesh& mesh, int widest_layer) {
  std::size_t width = 0;
  std::vector<int> order = order_by_layers(mesh, width);
  if (width > at(widest_layer)) order = order_along_curve(mesh.X, mesh.dimension());
  std::vector<int> number(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) number[at(order[i])] = static_cast<int>(i);
  renumber_nodes(mesh, number, mesh.nodes());
}

}  // namespace livens
