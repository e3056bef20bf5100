// The Legendre transform p -> v: dL/dv(t, q, v) = p, solved by Newton's method. L is convex in v where this is defined.
#pragma once

#include <memory>
#include <vector>

#include <livens/model.hpp>

#include "solve/newton.hpp"

namespace livens {

class Legendre final : private RootProblem {
 public:
  explicit Legendre(const Model& model);

  // v on entry is the guess; false if Newton's method does not converge.
  bool velocity(const Model& model, double t, ConstVector q, ConstVector p, Vector v);

 private:
  bool residual(ConstVector v, Vector r, double& scale) override;
  void jacobian(ConstVector v, Vector values) override;

  std::unique_ptr<NewtonSolver> newton_;
  std::vector<double> by_q_;
  const Model* model_ = nullptr;
  double t_ = 0;
  ConstVector q_, p_;
};

}  // namespace livens
