// A torque tau(t) on a body, in the axes of the world: whatever way the body has turned, its nodes feel forces without
// a resultant whose moment is tau and whose power is tau . omega,
//
//   f_a = m_a theta x r_a,   r_a = x_a - centre,   I(x) theta = tau(t),   I = sum_a m_a (r_a^2 1 - r_a r_a').
//
// No potential has these forces: they are work from outside, as that of a motor.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <livens/energy.hpp>
#include <livens/forces.hpp>

namespace livens {

class Torque final : public Force {
 public:
  // coordinates: of the nodes, `dimension` each; mass: of each node. tau: three functions of t, in the plane one.
  Torque(std::string name, std::vector<int> coordinates, std::vector<double> mass, int dimension,
         std::vector<std::shared_ptr<const LoadFunction>> tau);

  void add_force(double t, ConstVector q, ConstVector v, double scale, Vector force) const override;
  void add_jacobian(double t, ConstVector q, ConstVector v, double by_q, double by_v, MatrixSink& sink) const override;
  LedgerSide ledger_side() const override { return LedgerSide::work; }
  bool depends_on_velocity() const override { return false; }
  std::vector<int> coordinates() const override { return coordinates_; }
  Invariance invariance() const override { return {true, false}; }

 private:
  struct Turn;  // arms, inverse inertia and theta at one instant
  Turn turn(double t, ConstVector q) const;

  std::vector<int> coordinates_;
  std::vector<double> mass_;
  double total_ = 0;
  int dimension_;
  std::vector<std::shared_ptr<const LoadFunction>> tau_;
};

}  // namespace livens
