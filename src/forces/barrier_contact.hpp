// Contact by a barrier as a term of a model (src/contact/contact_barrier.hpp). It is infinite where surfaces touch, and
// its second derivatives couple other nodes at every position: methods that step with it ask for its barrier and filter
// their steps; they find no Hessian here.
#pragma once

#include <livens/energy.hpp>

#include "contact/contact_barrier.hpp"

namespace livens {

class BarrierTerm final : public EnergyTerm {
 public:
  // obstacles: the planes as they are drawn.
  BarrierTerm(std::string name, ContactBarrier barrier, std::vector<Obstacle> obstacles);

  double energy(double, ConstVector q) const override { return barrier_.energy(q); }
  void add_gradient(double, ConstVector q, double scale, Vector gradient) const override {
    barrier_.add_gradient(q, scale, gradient);
  }
  void add_hessian(double, ConstVector, double, MatrixSink&) const override {}
  bool add_discrete_gradient(double t, ConstVector x, ConstVector y, double scale, Vector gradient) const override;
  void add_discrete_hessian(double, ConstVector, ConstVector, double, bool, MatrixSink&) const override {}
  Invariance invariance() const override {
    const bool free = barrier_.planes().empty();
    return {free, free};
  }
  std::span<const Obstacle> obstacles() const override { return obstacles_; }
  ContactState contact(ConstVector q) const override;  // the depth is 0: nothing penetrates
  const ContactBarrier* barrier() const override { return &barrier_; }
  const ContactBarrier& surfaces() const { return barrier_; }

 private:
  ContactBarrier barrier_;
  std::vector<Obstacle> obstacles_;
};

// Its friction. The step that finds the pressure finds it (src/contact/friction.hpp); by itself it adds nothing.
class BarrierFriction final : public Force {
 public:
  BarrierFriction(std::string name, std::shared_ptr<const BarrierTerm> term)
      : Force(std::move(name)), term_(std::move(term)) {}
  void add_force(double, ConstVector, ConstVector, double, Vector) const override {}
  void add_jacobian(double, ConstVector, ConstVector, double, double, MatrixSink&) const override {}
  LedgerSide ledger_side() const override { return LedgerSide::dissipated; }
  bool linear_in_velocity() const override { return true; }  // what it adds by itself
  Invariance invariance() const override { return term_->invariance(); }
  const ContactBarrier* friction_of() const override { return &term_->surfaces(); }

 private:
  std::shared_ptr<const BarrierTerm> term_;
};

// What a barrier keeps of what it releases (src/contact/restitution.hpp): a row of the ledger.
class BarrierRestitution final : public Force {
 public:
  BarrierRestitution(std::string name, std::shared_ptr<const BarrierTerm> term)
      : Force(std::move(name)), term_(std::move(term)) {}
  void add_force(double, ConstVector, ConstVector, double, Vector) const override {}
  void add_jacobian(double, ConstVector, ConstVector, double, double, MatrixSink&) const override {}
  LedgerSide ledger_side() const override { return LedgerSide::dissipated; }
  bool linear_in_velocity() const override { return true; }
  Invariance invariance() const override { return {true, true}; }
  const ContactBarrier* restitution_of() const override { return &term_->surfaces(); }

 private:
  std::shared_ptr<const BarrierTerm> term_;
};

}  // namespace livens
