// The nodes of asynchronous stepping. Each has the time t_a of its last event and moves freely from there,
//   x_a(t) = x_a + (t - t_a) p_a / m_a
#pragma once

#include <array>
#include <span>
#include <vector>

#include <livens/integrator.hpp>

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

// Puts a node at the time of its last event onto supports that move, and adds what that does to its x cross p.
void place_node(const StencilSystem& system, int number, MovingNode& node, std::vector<double>& carried);

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
  // Puts those that belong to supports which move where these are, at the time of the nodes.
  template <int N>
  void place(const int* nodes, Pack* x) {
    for (int a = 0; a < N; ++a) {
      if (!system_->moves(nodes[a])) continue;
      place_node(*system_, nodes[a], nodes_[nodes[a]], carried_);
      x[a] = nodes_[nodes[a]].x;
    }
  }
  // Angular momentum that supports have given by carrying nodes with free components along, three numbers per node;
  // empty if none moves.
  const std::vector<double>& carried() const { return carried_; }
  std::vector<double>& carried() { return carried_; }
  void visit_memory(MemoryVisitor& visitor);

 private:
  const StencilSystem* system_;
  std::vector<MovingNode> nodes_;
  std::vector<double> carried_;
};

// All nodes at t, those of supports that move included.
void drift_all(const StencilSystem& system, double t, std::vector<MovingNode>& nodes, std::vector<double>& carried);

// q, p and v of nodes as they are, each at its own time.
void write_nodes(const StencilSystem& system, std::span<const MovingNode> nodes, State& state);

}  // namespace livens
