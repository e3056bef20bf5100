// Discrete derivatives Df(x, y) with Df.(y - x) = f(y) - f(x) [E04 4], of functions of a few coordinates. With the
// middle m = (x + y) / 2, d = y - x and the remainder R = f(y) - f(x) - f'(m).d, which is of third order in d:
//
//   scaled_midpoint (A)     (1 + R / f'(m).d) f'(m)
//   collocation (B)         f'(x + beta d), beta near 1/2
//   corrected_midpoint (C)  f'(m) + R d / |d|^2                                          (Gonzalez)
//   partitioned (D)         one coordinate after the other, mean of both orders (model/partition.hpp)
//   equivariant (E)         C in invariants of rigid motions; of functions that know none it is C
//
// d of C is that of the coordinates which f depends on: what is no part of f feels no force of it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <livens/energy.hpp>

#include "model/partition.hpp"
#include "model/scalar_function.hpp"

namespace livens {

enum class DerivativeForm { equivariant, scaled_midpoint, collocation, corrected_midpoint, partitioned };
DerivativeForm derivative_form(const std::string& name);

class DiscreteDerivative {
 public:
  explicit DiscreteDerivative(DerivativeForm form) : form_(form) {}

  // d = Df(x, y). False if the formula of A or B has no solution there and the gradient in the middle was taken: then
  // Df.(y - x) differs from f(y) - f(x) by R. own: the coordinates in which f is not linear, sorted; empty: all.
  bool evaluate(ScalarFunction& f, ConstVector x, ConstVector y, Vector d, std::span<const int> own = {});

  // How much of the remainder is taken, 1 for discrete derivatives. 0 is the gradient in the middle for everything, as
  // where a formula has no solution; between them A is followed from there to its solution.
  void take_share(double share) { share_ = share; }
  double share() const { return share_; }

  // d Df/dy = factor H(x + where (y - x)) + shift I + u c', H the second derivative of f and e = H (y - x) there, which
  // has to be given. Of the last evaluate(), for A, B and C; D has its first part only.
  double hessian_place() const { return place_; }
  struct Tangent {
    double factor = 0.5, shift = 0;
    bool rank_one = false;
  };
  Tangent tangent(ScalarFunction& f, ConstVector x, ConstVector y, ConstVector e, Vector u, Vector c);

 private:
  // |y - x|^2 and z += scale (y - x), of the own coordinates.
  double square(ConstVector x, ConstVector y) const;
  void add_difference(ConstVector x, ConstVector y, double scale, Vector z) const;
  bool apply(ScalarFunction& f, ConstVector x, ConstVector y, Vector d);
  // R without cancellation; middle_ and gradient_ are m and f'(m).
  double remainder(ScalarFunction& f, ConstVector x, ConstVector y);
  bool collocate(ScalarFunction& f, ConstVector x, ConstVector y, double remainder, Vector d);

  DerivativeForm form_;
  Partition partition_;
  std::span<const int> own_;  // of the last evaluate()
  std::vector<double> middle_, gradient_, point_, other_;
  double place_ = 0.5, remainder_ = 0;  // of the last evaluate()
  bool solved_ = true;
  double share_ = 1;
};

// The coordinates that the second derivatives of a potential touch, sorted.
std::vector<int> curved_coordinates(const EnergyTerm& term, std::size_t n);

}  // namespace livens
