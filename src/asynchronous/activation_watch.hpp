// Looks on at activations and changes nothing: the local energy balance of some stencils, and the first activations of
// all for diagrams in space and time.
#pragma once

#include <span>
#include <vector>

#include <livens/asynchronous.hpp>
#include <livens/integrator.hpp>

#include "asynchronous/moving_nodes.hpp"

namespace livens {

// The local energy balance of one stencil, T- + V(x_j) = T+ + V(x_j+1) [L04 (97)-(99)], as the run goes: T of its nodes
// before and after its impulse, V its own energy. Every `stride`-th activation is kept.
struct LocalBalance {
  int stencil = 0;
  long stride = 1, seen = 0;
  double before = 0, after = 0;  // T- + V and T+ of the last activation
  std::vector<double> t, energy, residual;

  void add(double t_now, double potential, double kinetic_before, double kinetic_after);
};

class ActivationWatch {
 public:
  void watch(const std::vector<int>& stencils);
  void trace(int activations) { trace_length_ = activations; }
  bool idle() const { return balances_.empty() && trace_length_ == 0; }
  bool notes(int stencil) const {
    return trace_length_ > 0 || (stencil < static_cast<int>(place_.size()) && place_[stencil] >= 0);
  }
  const std::vector<LocalBalance>& balances() const { return balances_; }
  const std::vector<Activation>& traced() const { return traced_; }

  void start();
  // After an impulse at time t; p_before are the momenta of the stencil's nodes before it.
  void note(double t, int stencil, std::span<const int> of, const MovingNodes& nodes, const Pack* p_before,
            double potential);

  void keep() { kept_ = balances_; }
  void put_back() { balances_ = kept_; }
  void visit_memory(MemoryVisitor& visitor);

 private:
  static void note_balance(LocalBalance& balance, double t, std::span<const int> of, const MovingNodes& nodes,
                           const Pack* p_before, double potential);

  std::vector<LocalBalance> balances_, kept_;
  std::vector<int> place_;  // in balances_, by stencil; -1 or beyond the end: not watched
  int trace_length_ = 0;
  std::vector<Activation> traced_;
};

}  // namespace livens
