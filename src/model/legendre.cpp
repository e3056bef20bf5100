#include "model/legendre.hpp"

#include <algorithm>
#include <cmath>

#include "model/linearisation.hpp"

namespace livens {

Legendre::Legendre(const Model& model) {
  if (model.separable()) return;
  newton_ = std::make_unique<NewtonSolver>(linearisation(model).pattern());
  by_q_.resize(model.size());
}

bool Legendre::velocity(const Model& model, double t, ConstVector q, ConstVector p, Vector v) {
  if (model.separable()) {
    model.divide_mass(p, v);
    return true;
  }
  model_ = &model;
  t_ = t;
  q_ = q;
  p_ = p;
  return newton_->find_root(*this, v, SolverOptions{}).converged;
}

bool Legendre::residual(ConstVector v, Vector r, double& scale) {
  model_->multiply_mass(v, r);
  std::fill(by_q_.begin(), by_q_.end(), 0.0);
  for (const auto& term : model_->parts().lagrangians) term->add_gradient(t_, q_, v, by_q_, r);
  scale = 0;
  for (std::size_t i = 0; i < r.size(); ++i) {
    scale = std::max(scale, std::abs(r[i]) + std::abs(p_[i]));
    r[i] -= p_[i];
  }
  return std::isfinite(scale);
}

void Legendre::jacobian(ConstVector v, Vector values) {
  linearisation(*model_).add_lagrangian(*model_, t_, q_, v, {0, 0, 0, 1}, values);
}

}  // namespace livens
