// Activations, one at a time: a stencil K whose clock has come changes the momenta of its nodes [L04 4.3].
//
//   x_a += (t_K - t_a) p_a / m_a,  t_a = t_K                  for its nodes a
//   p_a -= 1/2 (step before + step after) dW_K/dx_a(x)        the mean, or the order falls to 1 when steps vary
//   t_K += step after
//
// In which order they come is for an ActivationSchedule to say.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "asynchronous/activation_watch.hpp"
#include "asynchronous/constrained_nodes.hpp"
#include "asynchronous/element_steps.hpp"
#include "asynchronous/moving_nodes.hpp"
#include "asynchronous/stencil_clocks.hpp"
#include "asynchronous/stencil_impulses.hpp"
#include "asynchronous/stencil_system.hpp"

namespace livens {

class Activations {
 public:
  Activations(std::shared_ptr<const StencilSystem> system, const StepRule& rule);

  // All clocks at the state's time; the first activation of every stencil is then, with half its impulse. Where nothing
  // bounds any step it is `unbounded`.
  void start(const State& state, double unbounded = 0);
  // Activates a stencil at the time of its clock; false if it has no energy there. Threads may activate stencils that
  // share no node.
  bool activate(int stencil);
  // Whether steps stay as they are at the start, so that the next time of a stencil is known before it goes.
  bool steps_stay() const { return !steps_.rule().update; }
  // What an activation to come will read: its clock and the numbers of its nodes, and, when these are there, the nodes.
  void fetch(int stencil) const {
    __builtin_prefetch(&clocks_[stencil]);
    __builtin_prefetch(system_->nodes(system_->set_of(stencil), stencil));
  }
  void fetch_nodes(int stencil) const {
    const StencilSystem::Set& set = system_->set_of(stencil);
    const int* nodes = system_->nodes(set, stencil);
    for (int a = 0; a < set.per_stencil; ++a) __builtin_prefetch(&nodes_[nodes[a]], 1);
  }
  // The stencil has no energy at time t. Of several failures the first in time counts.
  bool fail(int stencil, double t);

  // alpha of each stencil [L04 4.7]; those with 0 or 1 are explicit. Implicit ones have the longest step of the others.
  void make_implicit(const std::vector<double>& alpha);
  // Nodes that these hold move with them; they must outlive this.
  void constrain(ConstrainedNodes& constrained);
  // The watch is told of every activation; it must outlive this.
  void observe(ActivationWatch& watch);

  const StencilSystem& system() const { return *system_; }
  MovingNodes& nodes() { return nodes_; }
  const MovingNodes& nodes() const { return nodes_; }
  StencilClocks& clocks() { return clocks_; }
  const StencilClocks& clocks() const { return clocks_; }
  // Of the start, if the rule of the steps asks for them.
  const Levels& levels() const { return steps_.levels(); }
  StencilImpulses& impulses() { return impulses_; }
  const StencilImpulses& impulses() const { return impulses_; }
  bool implicit(int stencil) const { return !implicit_.empty() && implicit_[stencil] > 0; }
  // Of an implicit stencil with that step; 0 of explicit ones.
  double softness(int stencil, double step) const;
  // Brings a node to t, with those that constraints hold it together with. False if these have no solution.
  bool bring(int node, double t);

  // Nodes whose momentum passes a limit after an activation are told, until somebody has taken them. limits: squares of
  // momenta, node by node; empty: none. Levels in chunks do not tell.
  void limit_speeds(const std::vector<double>* limits) { limits_ = limits; }
  std::vector<int>& fast_nodes() { return fast_; }
  double fast_since() const { return fast_since_; }

  bool watched(int stencil) const { return watch_ != nullptr && watch_->notes(stencil); }

  bool failed() const { return failed_.load(std::memory_order_relaxed); }
  int failed_stencil() const { return failed_stencil_; }  // -1: none
  double failed_time() const { return failed_time_; }

  // Keeps nodes, clocks, books and modes, and goes back to them.
  void keep();
  void put_back();
  void visit_memory(MemoryVisitor& visitor);

 private:
  using Set = StencilSystem::Set;

  template <int N>
  bool activate_nodes(int stencil, const Set& set);
  template <int N>
  bool activate_special(int stencil, const Set& set);
  template <int N>
  void check_speeds(const int* nodes, double t);
  void lengthen_implicit(std::vector<double>& steps) const;
  void follow_nodes(std::vector<double>& steps) const;
  double step_after(int stencil, const Pack* x, const Pack* gradient);
  void clear_failure();

  std::shared_ptr<const StencilSystem> system_;
  ElementSteps steps_;
  MovingNodes nodes_;
  StencilClocks clocks_;
  StencilImpulses impulses_;
  std::vector<double> implicit_;                 // alpha (1 - alpha); empty: none
  ActivationWatch* watch_ = nullptr;             // null: nobody looks on
  ConstrainedNodes* constrained_ = nullptr;      // null: all nodes are free
  const std::vector<double>* limits_ = nullptr;  // null: of no node
  std::vector<int> fast_;
  double fast_since_ = 0;
  bool special_ = false;  // nodes are constrained, or somebody looks on

  struct Kept {
    MovingNodes nodes;
    StencilClocks clocks;
    StencilImpulses impulses;
    std::vector<double> modes;
  } kept_;

  std::atomic<bool> failed_{false};
  int failed_stencil_ = -1;
  double failed_time_ = 0;
};

}  // namespace livens
