// The action of one step over polynomials in time [L04 (21)-(23)]: q(t) is a polynomial through control points
// Q_0 = q0, Q_1, ..., Q_s = q1 at the times d_j; the action is summed over quadrature points c_i with weights w_i,
//
//   S(Q) = h sum_i w_i L(t0 + c_i h, sum_j phi_j(c_i) Q_j, (1/h) sum_j phi_j'(c_i) Q_j),
//   p0 = -dS/dQ_0 - F_0,   0 = dS/dQ_j + F_j (0 < j < s),   p1 = dS/dQ_s + F_s,   F_j = h sum_i w_i phi_j(c_i) f(i).
//
// The unknowns are Z_j = Q_j - q0, j = 1 ... s; unknown j and equation j - 1 of coordinate k are at k * s + j - 1.
// p1 = p0 + h sum_i w_i (L_q + f)(i), the sum of all equations, keeps the linear momentum at any tolerance.
#pragma once

#include <vector>

#include <livens/integrator.hpp>

#include "integrators/carried_momentum.hpp"
#include "math/quadrature.hpp"
#include "math/sparse_pattern.hpp"

namespace livens {

class PolynomialAction {
 public:
  // nodes: d_0 = 0 ... d_s = 1
  PolynomialAction(std::vector<double> nodes, Quadrature rule, const Model& model);

  std::size_t degree() const { return s_; }
  const std::vector<double>& nodes() const { return nodes_; }
  std::size_t points() const { return rule_.x.size(); }

  // The step in hand; q0 and p0 are views.
  void begin(const Model& model, double t0, double h, ConstVector q0, ConstVector p0);
  // z for a motion with constant velocity.
  void guess(ConstVector v, Vector z) const;
  // The equations 0 ... s - 1, and the scale of their summands; false if that is not finite.
  bool residual(ConstVector z, Vector r, double& scale);
  // h sum_i w_i (L_q + f)(i) of the last residual.
  ConstVector impulse() const { return sum_by_q_; }
  // d r / d z, added to values of a pattern whose columns begin with the model's own blocks.
  void jacobian(ConstVector z, const SparsePattern& pattern, Vector values);
  // Work and impulses by the quadrature of the action; without the forces where they are booked where they act.
  void book(ConstVector z, bool forces, Ledger& ledger);
  // start = F_0, end = F_s of force number k: what it does at the ends of the step.
  void end_impulses(ConstVector z, std::size_t k, Vector start, Vector end);
  // -dS/dh at fixed control points: sum_i w_i [ L_v.v - L ](i).
  double discrete_energy(const Model& model, ConstVector q0, ConstVector z);
  // Q_j, j = 1 ... s
  void control_point(std::size_t j, ConstVector z, Vector q) const;

 private:
  double phi(std::size_t i, std::size_t j) const { return phi_[i * (s_ + 1) + j]; }
  double dphi(std::size_t i, std::size_t j) const { return dphi_[i * (s_ + 1) + j]; }
  void place(std::size_t i, ConstVector z);
  void book_carried(std::size_t i, bool forces, Ledger& ledger);
  void scatter(std::size_t i, const SparsePattern& pattern, Vector values) const;

  std::size_t s_;
  std::vector<double> nodes_;
  Quadrature rule_;
  std::vector<double> phi_, dphi_;
  std::vector<double> q_, v_, by_q_, by_v_, impulse_, sum_by_q_, qq_, qv_, vq_, vv_;
  CarriedMomentum carried_;
  const Model* model_ = nullptr;
  double t0_ = 0, h_ = 0;
  ConstVector q0_, p0_;
};

// The pattern of a model with every entry replaced by a dense s x s block.
SparsePattern expand(const SparsePattern& base, int s);

}  // namespace livens
