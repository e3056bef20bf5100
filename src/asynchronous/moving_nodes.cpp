#include "asynchronous/moving_nodes.hpp"

#include "asynchronous/memory_lists.hpp"

namespace livens {

MovingNodes::MovingNodes(const StencilSystem& system) : system_(&system), nodes_(system.node_count()) {}

void MovingNodes::start(const State& state) {
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

void MovingNodes::visit_memory(MemoryVisitor& visitor) { visit_list(visitor, "event_nodes", nodes_); }

void drift_all(const StencilSystem& system, double t, std::vector<MovingNode>& nodes) {
  for (int a = 0; a < system.node_count(); ++a) {
    nodes[a].drift_to(t);
    if (system.moves(a)) system.place(a, t, nodes[a].x);
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
