// How the reference nodes of a mesh may move without changing the body: inside freely, on straight edges and plane
// faces along them, elsewhere not at all. Midsides stay in the middle of their edges.
#pragma once

#include <array>
#include <vector>

#include <livens/energy.hpp>
#include <livens/mesh.hpp>

namespace livens {

class Freedom {
 public:
  // held: nodes that stay. Corners, curved parts of the boundary, ends of slits and bends of interfaces stay anyway.
  // direction: of unit length, the only one nodes move along; zero: any. Nodes on edges and faces that it leaves
  // stay in place.
  Freedom(const Mesh& mesh, const std::vector<bool>& held, const std::array<double, 3>& direction = {});

  int variables() const { return static_cast<int>(node_.size()); }
  int moving_nodes() const { return moving_nodes_; }
  int node(int variable) const { return node_[variable]; }

  // Motion of all nodes by the variables, and its transpose: what acts on the variables.
  void expand(ConstVector y, Vector motion) const;
  void reduce(ConstVector G, Vector g) const;

 private:
  struct Midside {
    int node, a, b;
  };
  int dimension_, nodes_, moving_nodes_ = 0;
  std::vector<int> node_;      // of each variable
  std::vector<double> along_;  // its direction, `dimension` numbers
  std::vector<Midside> middle_;
};

}  // namespace livens
