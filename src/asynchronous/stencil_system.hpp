// The stencils of a model side by side, with their nodes, masses, constant loads, supports, drag, and which nodes
// constraints hold together: what asynchronous stepping works on. It does not change during a run.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <livens/model.hpp>

#include "asynchronous/impulse_book.hpp"
#include "asynchronous/stencil_kernels.hpp"

namespace livens {

class StencilSystem {
 public:
  // Why nodes cannot move on their own between impulses; empty if they can.
  static std::string refusal(const Model& model);
  // Whether a term is a sum over stencils, one stencil of few nodes, or a constant load on them; whether a force is
  // damping of stencils or drag of nodes. Others act as a whole.
  static bool covers(const Model& model, const EnergyTerm& term);
  static bool covers(const Model& model, const Force& force);

  explicit StencilSystem(const Model& model);

  // A force -c v, and the part that it has in all drag of each node, component by component.
  struct Drag {
    std::size_t force = 0;  // of the model
    std::vector<Pack> share;
  };
  struct Damping {
    std::shared_ptr<const DampingStencils> stencils;
    std::size_t force = 0;  // of the model
  };
  // The stencils of one term; they have consecutive numbers.
  struct Set {
    std::shared_ptr<const Stencils> stencils;
    int first = 0, per_stencil = 0;
    std::size_t first_node = 0;  // of the first stencil, in nodes_
    std::vector<Damping> damping;
    bool invariant = false;            // under rigid motions
    std::string name;                  // of the term
    const EnergyTerm* term = nullptr;  // null for loads on nodes that have no stencil
  };

  int size() const { return static_cast<int>(set_of_.size()); }
  int node_count() const { return static_cast<int>(coordinate_.size()); }
  int dimension() const { return dimension_; }
  const std::vector<Set>& sets() const { return sets_; }
  const Set& set_of(int stencil) const { return sets_[set_of_[stencil]]; }
  const int* nodes(const Set& set, int stencil) const {
    return nodes_.data() + set.first_node + static_cast<std::size_t>((stencil - set.first) * set.per_stencil);
  }
  // Nodes of all stencils one after the other: the place of a stencil's first, and how many there are.
  std::size_t place(const Set& set, int stencil) const {
    return static_cast<std::size_t>(nodes(set, stencil) - nodes_.data());
  }
  std::size_t place_count() const { return nodes_.size(); }
  int coordinate(int node) const { return coordinate_[node]; }  // the first of the node
  double mass(int node) const { return mass_[node]; }
  // The part of the mass of its nodes that belongs to a stencil, in the order of its nodes.
  const double* masses(const Set& set, int stencil) const { return share_.data() + place(set, stencil); }
  // Constant forces on the nodes of a stencil; null if there are none in the model.
  const Pack* loads(const Set& set, int stencil) const {
    return load_.empty() ? nullptr : load_.data() + place(set, stencil);
  }
  // 1 for coordinates that are free, 0 for supported ones; null without supports.
  const Pack* free_coordinates() const { return free_.empty() ? nullptr : free_.data(); }
  // Supports that move: whether a node has coordinates of one, and where these are at t. velocity may be null.
  bool moves(int node) const { return !moving_at_.empty() && moving_at_[node] != moving_at_[node + 1]; }
  void place(int node, double t, Pack& x, Pack* velocity = nullptr) const;
  bool has_moving_supports() const { return !moving_.empty(); }
  // Drag -c v: whether a node feels it, and c/m.
  bool slows(int node) const { return !drag_rate_.empty() && slows_[node] != 0; }
  const Pack& drag_rate(int node) const { return drag_rate_[node]; }
  const std::vector<Drag>& drags() const { return drags_; }
  // Whether all nodes move freely between impulses, but for constraints.
  bool coasts() const { return moving_.empty() && drag_rate_.empty(); }
  // Nodes that constraints hold together, directly or through others, are a cluster: its number, -1 for free nodes.
  int cluster_of(int node) const { return cluster_of_.empty() ? -1 : cluster_of_[node]; }
  int cluster_count() const { return cluster_count_; }
  int node_of(int coordinate) const;
  // Books an impulse on a node at x. Periodic bodies have no angular momentum.
  void book(int node, const Pack& x, const Pack& impulse, ImpulseBook& book) const {
    book.add_linear(impulse);
    book_carried(node, x, impulse, book);
  }
  // The angular momentum that a momentum p gains by being moved.
  void book_carried(int node, const Pack& moved, const Pack& p, ImpulseBook& book) const {
    if (periodic_[node] == 0) book.add_turn(moved, p);
  }
  // Whether a stencil is only elastic: neither loaded, supported nor damped, and invariant under rigid motions.
  bool plain(int stencil) const { return plain_[stencil] != 0; }
  // Whether its impulses change the momenta of the whole.
  bool booked(int stencil) const { return booked_[stencil] != 0; }

  // Stencils that must keep their order with each other, as each node has them: those at the node, or at any node of
  // its cluster; ascending.
  std::vector<std::vector<int>> stencils_at_nodes() const;

 private:
  void add_set(Set set);
  void add_damping(const Model& model);
  void share_masses();
  void share_loads(const Model& model);
  void add_loaded_nodes(const std::vector<double>& load);
  void hold_supports(const Model& model);
  void move_supports(const Model& model);
  void slow_nodes(const Model& model);
  void find_clusters(const Model& model);
  void classify(const Model& model);

  int dimension_ = 0;
  std::vector<Set> sets_;
  std::vector<std::uint16_t> set_of_;
  std::vector<int> nodes_;  // of all stencils, one after the other
  std::vector<int> coordinate_, node_of_coordinate_;
  std::vector<double> mass_;   // per node
  std::vector<double> share_;  // per place
  std::vector<Pack> load_;     // per place
  std::vector<Pack> free_;     // per node
  struct Moving {
    int support = 0, at = 0, lane = 0;  // coordinate `at` of a support, and where it stands in its node
  };
  std::vector<Support> supports_;
  std::vector<Moving> moving_;  // of all nodes, one after the other
  std::vector<int> moving_at_;  // where those of a node begin; empty: nothing moves
  std::vector<Drag> drags_;
  std::vector<Pack> drag_rate_;  // per node; empty: no drag
  std::vector<char> slows_;
  std::vector<int> cluster_of_;  // per node; empty: no constraints
  int cluster_count_ = 0;
  std::vector<char> plain_, booked_, periodic_;
};

}  // namespace livens
