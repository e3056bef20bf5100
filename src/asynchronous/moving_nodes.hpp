// The nodes of asynchronous stepping. Each has the time t_a of its last event and moves on its own from there: freely,
//   x_a(t) = x_a + (t - t_a) p_a / m_a
// and under drag -c v as that has it, with the rate r = c/m,
//   p_a(t) = p_a exp(-r (t - t_a)),   x_a(t) = x_a + (1 - exp(-r (t - t_a))) / r  p_a / m_a
// which is exact, needs no step, and leaves impulses of the rest of the model as they are: they keep order 2.
#pragma once

#include <array>
#include <span>
#include <vector>

#include <livens/integrator.hpp>

#include "asynchronous/impulse_book.hpp"
#include "asynchronous/stencil_system.hpp"

namespace livens {

struct alignas(64) MovingNode {
  Pack x;  // position; the last lane is t_a
  Pack p;  // momentum; the last lane is 1/m_a

  double time() const { return x[3]; }
  double inverse_mass() const { return p[3]; }
  // With t in its last lane, as x has.
  Pack position(double t) const {
    Pack y = x + (t - x[3]) * p[3] * p;
    y[3] = t;
    return y;
  }
  void drift_to(double t) { x = position(t); }

  std::array<double, 8> numbers() const { return {x[0], x[1], x[2], x[3], p[0], p[1], p[2], p[3]}; }
  void restore(const double* numbers) {
    for (int c = 0; c < 4; ++c) {
      x[c] = numbers[c];
      p[c] = numbers[4 + c];
    }
  }
};

// What nodes gave and took between impulses; empty lists if they move freely.
struct NodeBooks {
  std::vector<ImpulseBook> node;  // impulse of drag, and angular momentum of nodes that supports carry along
  std::vector<double> lost;       // energy to each drag of the system, node by node
};

// Brings a node to t: freely or under drag, and onto supports that move.
void bring_node(const StencilSystem& system, int number, double t, MovingNode& node, NodeBooks& books);
// Only the drag of a time d: for nodes that others move.
void slow_node(const StencilSystem& system, int number, double d, MovingNode& node, NodeBooks& books);

class MovingNodes {
 public:
  explicit MovingNodes(const StencilSystem& system);

  void start(const State& state);
  MovingNode& operator[](int node) { return nodes_[node]; }
  const MovingNode& operator[](int node) const { return nodes_[node]; }
  const std::vector<MovingNode>& all() const { return nodes_; }
  std::vector<MovingNode>& all() { return nodes_; }

  // Drifts the N nodes of a stencil to t and gathers their positions in x.
  template <int N>
  void drift(const int* nodes, double t, Pack* x) {
    for (int a = 0; a < N; ++a) {
      MovingNode& node = nodes_[nodes[a]];
      const Pack y = node.position(t);
      node.x = y;
      x[a] = y;
    }
  }
  void bring(int node, double t) { bring_node(*system_, node, t, nodes_[node], books_); }

  const NodeBooks& books() const { return books_; }
  NodeBooks& books() { return books_; }
  void visit_memory(MemoryVisitor& visitor);

 private:
  const StencilSystem* system_;
  std::vector<MovingNode> nodes_;
  NodeBooks books_;
};

// q, p and v of nodes as they are, each at its own time.
void write_nodes(const StencilSystem& system, std::span<const MovingNode> nodes, State& state);

}  // namespace livens
