// One stencil solved for implicitly, with x* = (x + x+)/2 [L04 4.7, alpha = 1/2]. With P the momentum between the last
// events of its nodes and this one, and d the time since those events,
//   P = p - 1/2 w dW(x*),  x* = x + 1/2 d P/m,  x+ = x + d P/m,  p+ = P - 1/2 w dW(x*)
#pragma once

#include <Eigen/Core>

#include "asynchronous/stencil_system.hpp"

namespace livens {

class ImplicitStencil {
 public:
  // x, p, delay: positions, momenta (the last lane is 1/m) and d of the nodes; weight: w.
  ImplicitStencil(const StencilSystem& system, int stencil, double weight, const Pack* x, const Pack* p,
                  const double* delay);

  // False if Newton's method does not converge or meets shapes that have no energy.
  bool solve();
  // x+ and p+ - p; the last lane of x+ is that of x.
  void write(Pack* x_new, Pack* impulse) const;

 private:
  bool evaluate();  // residual, gradient and x* at P
  void subtract_load_and_hold(double& slope, int i) const;
  Eigen::MatrixXd derivative() const;
  void take_newton_step();
  int node(int i) const { return i / dimension_; }
  int lane(int i) const { return i % dimension_; }
  double inverse_mass(int i) const { return p_[node(i)][3]; }

  const StencilSystem& system_;
  const StencilSystem::Set& set_;
  int stencil_, dimension_, size_;
  double weight_;
  const Pack *x_, *p_;
  const double* delay_;
  double difference_ = 0;  // of positions, for differences of the gradient
  double scale_ = 0;       // largest summand of the residual
  Eigen::VectorXd P_, residual_;
  Pack star_[most_nodes], gradient_[most_nodes];
};

}  // namespace livens
