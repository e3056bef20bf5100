#include "asynchronous/moving_nodes.hpp"

#include <algorithm>

#include "asynchronous/memory_lists.hpp"

namespace livens {

MovingNodes::MovingNodes(const StencilSystem& system)
    : system_(&system),
      nodes_(system.node_count()),
      carried_(system.has_moving_supports() ? 3 * static_cast<std::size_t>(system.node_count()) : 0) {}

void place_node(const StencilSystem& system, int number, MovingNode& node, std::vector<double>& carried) {
  const Pack before = node.x;
  system.place(number, node.time(), node.x);
  const Pack moved = node.x - before;
  for (int c = 0; c < 3; ++c) {
    const int i = (c + 1) % 3, j = (c + 2) % 3;
    carried[3 * number + c] += moved[i] * node.p[j] - moved[j] * node.p[i];
  }
}

void MovingNodes::start(const State& state) {
  std::fill(carried_.begin(), carried_.end(), 0.0);
  for (int a = 0; a < system_->node_count(); ++a) {
    MovingNode& node = nodes_[a];
    node.x = node.p = Pack{};
    const int first = system_->coordinate(a);
    for (int c = 0; c < system_->dimension(); ++c) {
      node.x[c] = state.q[first + c];
      node.p[c] = state.p[first + c];
    }
    node.x[3] = state.t;
    node.p[3] = 1 / system_->mass(a);
  }
}

void MovingNodes::visit_memory(MemoryVisitor& visitor) {
  visit_list(visitor, "event_nodes", nodes_);
  if (!carried_.empty()) visitor.visit("event_carried", carried_);
}

void drift_all(const StencilSystem& system, double t, std::vector<MovingNode>& nodes, std::vector<double>& carried) {
  for (int a = 0; a < system.node_count(); ++a) {
    nodes[a].drift_to(t);
    if (system.moves(a)) place_node(system, a, nodes[a], carried);
  }
}

void write_nodes(const StencilSystem& system, std::span<const MovingNode> nodes, State& state) {
  for (int a = 0; a < system.node_count(); ++a) {
    const MovingNode& node = nodes[a];
    const int first = system.coordinate(a);
    for (int c = 0; c < system.dimension(); ++c) {
      state.q[first + c] = node.x[c];
      state.p[first + c] = node.p[c];
      state.v[first + c] = node.p[c] * node.inverse_mass();
    }
  }
}

}  // namespace livens
