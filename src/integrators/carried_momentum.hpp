// The angular momentum that supports give by moving nodes that are free in other directions. With x_s the part of the
// position that is given and p the momentum of the free directions,
//
//   d/dt (x x p) = x x f + (dx_s/dt) x p,
//
// and the last part comes from nowhere else: p has no share of the given motion. Over a step it is what the method
// itself makes of it, so that the balance closes to rounding where the method keeps angular momentum.
#pragma once

#include <vector>

#include <livens/ledger.hpp>

namespace livens {

class CarriedMomentum {
 public:
  explicit CarriedMomentum(const Model& model);
  bool any() const { return any_; }  // nodes that a support moves in some directions and that are free in others

  // (x_s(t1) - x_s(t0)) x p
  void book(const Model& model, double t0, double t1, ConstVector p, Ledger& ledger);
  // sum_j weight_j x_s(t_j) x p
  void book(const Model& model, ConstVector times, ConstVector weights, ConstVector p, Ledger& ledger);
  // weight (dx_s/dt)(t) x p
  void book_rate(const Model& model, double t, double weight, ConstVector p, Ledger& ledger);

 private:
  void add(const Model& model, double t, double position, double velocity);
  void book_moved(const Model& model, ConstVector p, Ledger& ledger);

  bool any_ = false;
  std::vector<double> moved_;  // zero but at the supports that move
  std::vector<double> x_, v_;
};

}  // namespace livens
