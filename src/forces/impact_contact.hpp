// Contact by impacts at instants as a term of a model (src/contact/impacts.hpp). It has no energy: methods that stop at
// impacts ask for it.
#pragma once

#include <livens/contact.hpp>
#include <livens/energy.hpp>

#include "contact/impacts.hpp"

namespace livens {

class ImpactTerm final : public EnergyTerm {
 public:
  // obstacles: the walls as they are drawn.
  ImpactTerm(std::string name, ContactImpacts impacts, std::vector<Obstacle> obstacles)
      : EnergyTerm(std::move(name)), impacts_(std::move(impacts)), obstacles_(std::move(obstacles)) {}

  double energy(double, ConstVector) const override { return 0; }
  void add_gradient(double, ConstVector, double, Vector) const override {}
  void add_hessian(double, ConstVector, double, MatrixSink&) const override {}
  bool add_discrete_gradient(double, ConstVector, ConstVector, double, Vector) const override { return true; }
  void add_discrete_hessian(double, ConstVector, ConstVector, double, bool, MatrixSink&) const override {}
  Invariance invariance() const override { return {true, true}; }
  bool depends_on_time() const override { return false; }
  std::span<const Obstacle> obstacles() const override { return obstacles_; }
  const ContactImpacts* impacts() const override { return &impacts_; }

 private:
  ContactImpacts impacts_;
  std::vector<Obstacle> obstacles_;
};

// What impacts take, by friction or by restitution: a row of the ledger.
class ImpactLoss final : public Force {
 public:
  explicit ImpactLoss(std::string name) : Force(std::move(name)) {}
  void add_force(double, ConstVector, ConstVector, double, Vector) const override {}
  void add_jacobian(double, ConstVector, ConstVector, double, double, MatrixSink&) const override {}
  LedgerSide ledger_side() const override { return LedgerSide::dissipated; }
  bool add_constant_drag(Vector) const override { return true; }
  bool depends_on_velocity() const override { return false; }
  bool linear_in_velocity() const override { return true; }
  Invariance invariance() const override { return {true, true}; }
};

// Adds the term and the rows of what it takes, if nothing overlaps at the start; otherwise throws AssemblyError.
void add_impacts(Assembly& assembly, const std::string& name, ContactImpacts impacts, std::vector<Obstacle> obstacles);
// Walls of one obstacle for a body by its name, "": all that are not held.
void add_impact_walls(Assembly& assembly, const std::string& name, const std::string& body, const ImpactRule& rule,
                      Obstacle obstacle, bool inside);
void add_impacts_between(Assembly& assembly, const ContactBodies& contact, const std::vector<int>& bodies,
                         const std::vector<char>& excluded, const std::string& name);

}  // namespace livens
