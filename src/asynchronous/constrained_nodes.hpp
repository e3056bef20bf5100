// Nodes that constraints hold together. They move as a cluster: whenever a stencil that touches one of its nodes goes,
// the whole cluster is brought to that time by a step of SHAKE [L04 3.5], whose length is whatever the clocks make it,
//
//   q1 = q0 + d w,  w = M^-1 (p - G(q0)'L),  dg/dt = 0 of the motion w in the middle of q0 and q1
//
// which for constraints that are quadratic in q is g(q1) = g(q0). Written so, nothing is divided by the step d: two
// clocks may come as close as they like. What rounding leaves of g is taken back slowly, by g / 'recovery'.
#pragma once

#include <vector>

#include <livens/ledger.hpp>
#include <livens/model.hpp>

#include "asynchronous/moving_nodes.hpp"

namespace livens {

class ConstrainedNodes {
 public:
  ConstrainedNodes(const Model& model, const StencilSystem& system);

  bool empty() const { return clusters_.empty(); }
  int cluster_of(int node) const { return cluster_of_[node]; }  // -1: it is free; not to be asked if empty
  // The model of the run: the one given, or one made of the same parts.
  void use(const Model& model) { model_ = &model; }
  // recovery: about the longest step.
  void start(double recovery);
  // Brings the cluster to time t. False if its equations have no solution.
  bool drift(int cluster, double t, std::vector<MovingNode>& nodes) { return drift(cluster, t, nodes, book_); }
  // Brings all clusters of nodes that somebody looks at to T, and adds what constraints have given and taken.
  bool read(double T, std::vector<MovingNode>& nodes, Ledger& ledger) const;
  bool drift_all(double t, std::vector<MovingNode>& nodes);

  void keep() { kept_ = book_; }
  void put_back() {
    book_ = kept_;
    failed_ = false;
  }
  bool failed() const { return failed_; }  // some equations had no solution
  void visit_memory(MemoryVisitor& visitor);

 private:
  struct Equations {
    std::size_t constraint = 0, first = 0;  // of the model; first row in the cluster
  };
  struct Cluster {
    std::vector<int> nodes;
    std::vector<int> coordinates;
    std::vector<double> inverse_mass;  // per coordinate; 0 at supports
    std::vector<Equations> equations;
    std::size_t rows = 0;
  };
  struct Book {
    double linear[3] = {0, 0, 0}, angular[3] = {0, 0, 0}, work = 0;
  };
  class Solve;
  bool drift(int cluster, double t, std::vector<MovingNode>& nodes, Book& book) const;

  const Model* model_;
  const StencilSystem* system_;
  std::vector<Cluster> clusters_;
  std::vector<int> cluster_of_;
  std::vector<int> place_of_;  // of a coordinate in its cluster
  Book book_, kept_;
  double recovery_ = 0;
  mutable bool failed_ = false;
  mutable std::vector<double> q_, v_, outer_, inner_;  // of all coordinates
};

}  // namespace livens
