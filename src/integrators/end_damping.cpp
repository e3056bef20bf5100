#include "integrators/end_damping.hpp"

#include <algorithm>
#include <cmath>

#include "model/linearisation.hpp"

namespace livens {

EndDamping::EndDamping(const Model& model, std::vector<std::size_t> forces, const SolverOptions& options)
    : forces_(std::move(forces)),
      options_(options),
      newton_(linearisation(model).pattern()),
      impulse_(static_cast<std::size_t>(model.size())) {}

const SolveResult& EndDamping::solve(const Model& model, double t, ConstVector q, ConstVector p, double s, Vector v) {
  model_ = &model;
  t_ = t;
  s_ = s;
  q_ = q;
  p_ = p;
  return newton_.minimise(*this, v, options_);
}

bool EndDamping::residual(ConstVector v, Vector r, double& scale) {
  double objective = 0;
  return evaluate(v, r, scale, objective);
}

bool EndDamping::evaluate(ConstVector v, Vector r, double& scale, double& objective) {
  std::fill(impulse_.begin(), impulse_.end(), 0.0);
  for (const std::size_t k : forces_) model_->add_force(k, t_, q_, v, s_, impulse_);
  model_->multiply_mass(v, r);
  scale = objective = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    objective += (0.5 * (r[i] - impulse_[i]) - p_[i]) * v[i];
    scale = std::max(scale, std::abs(r[i]) + std::abs(impulse_[i]) + std::abs(p_[i]));
    r[i] -= impulse_[i] + p_[i];
  }
  return std::isfinite(scale) && std::isfinite(objective);
}

void EndDamping::jacobian(ConstVector v, Vector values) {
  const Linearisation& lin = linearisation(*model_);
  lin.add_mass(*model_, 1, values);
  for (const std::size_t k : forces_) lin.add_force(*model_, k, t_, q_, v, 0, -s_, values);
}

void EndDamping::add_metric(double scale, Vector values) { linearisation(*model_).add_mass(*model_, scale, values); }

}  // namespace livens
