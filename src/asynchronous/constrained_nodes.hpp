// Nodes that constraints hold together. They move as a cluster: whenever a stencil that touches one of its nodes goes,
// the whole cluster is brought to that time by a step of SHAKE [L04 3.5], whose length is whatever the clocks make it,
//
//   q1 = q0 + d w,  w = M^-1 (p - G(q0)'L),  dg/dt = 0 of the motion w in the middle of q0 and q1
//
// which for constraints that are quadratic in q is g(q1) = g(q0). Written so, nothing is divided by the step d: two
// clocks may come as close as they like. What rounding leaves of g is taken back slowly, by g / 'recovery'. Supports
// that move have their own w. Drag acts half before and half after.
//
// Stencils at any node of a cluster keep their order with each other (StencilSystem::stencils_at_nodes): threads may
// bring different clusters along at the same time, and each has its own memory and book.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include <livens/ledger.hpp>
#include <livens/model.hpp>

#include "asynchronous/moving_nodes.hpp"

namespace livens {

class ConstrainedNodes {
 public:
  ConstrainedNodes(const Model& model, const StencilSystem& system);
  ~ConstrainedNodes();

  bool empty() const { return clusters_.empty(); }
  // The model of the run: the one given, or one made of the same parts.
  void use(const Model& model) { model_ = &model; }
  // recovery: about the longest step.
  void start(double recovery);
  // Brings the cluster to time t. False if its equations have no solution.
  bool drift(int cluster, double t, MovingNodes& nodes) {
    return drift(cluster, t, nodes.all(), nodes.books(), books_[cluster]);
  }
  // Brings all clusters of nodes that somebody looks at to T, and adds what constraints have given and taken.
  bool read(double T, std::vector<MovingNode>& nodes, NodeBooks& books, Ledger& ledger) const;

  void keep() { kept_ = books_; }
  void put_back() {
    books_ = kept_;
    failed_ = false;
  }
  bool failed() const { return failed_; }  // some equations had no solution
  void visit_memory(MemoryVisitor& visitor);

 private:
  struct Cluster;
  class Solve;
  bool drift(int cluster, double t, std::vector<MovingNode>& nodes, NodeBooks& node_books, ImpulseBook& book) const;
  void gather(Cluster& cluster, double t0, double d, const std::vector<MovingNode>& nodes) const;

  const Model* model_;
  const StencilSystem* system_;
  std::vector<std::unique_ptr<Cluster>> clusters_;
  std::vector<int> place_of_;  // of a coordinate in its cluster
  std::vector<ImpulseBook> books_, kept_;
  double recovery_ = 0;
  mutable std::atomic<bool> failed_ = false;
  mutable std::vector<double> q_, v_, outer_, inner_;  // of all coordinates; clusters have different ones
};

}  // namespace livens
