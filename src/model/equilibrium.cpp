#include "model/equilibrium.hpp"

#include <algorithm>
#include <cmath>

namespace livens {

void EquilibriumProblem::set(const Model& model, double t, ConstVector correction) {
  model_ = &model;
  t_ = t;
  correction_ = correction;
  scale_ = 0;
}

bool EquilibriumProblem::residual(ConstVector q, Vector r, double& scale) {
  double value = 0;
  return evaluate(q, r, scale, value);
}

bool EquilibriumProblem::evaluate(ConstVector q, Vector r, double& scale, double& objective) {
  const Placed x = model_->placed(t_, q);
  sizes_.assign(q.size(), 0.0);
  force_.resize(q.size());
  std::fill(r.begin(), r.end(), 0.0);
  objective = 0;
  for (const auto& term : model_->parts().terms) {
    std::fill(force_.begin(), force_.end(), 0.0);
    objective += term->add_gradient_and_energy(t_, x, 1, force_);
    for (std::size_t i = 0; i < q.size(); ++i) {
      sizes_[i] += std::abs(force_[i]);
      r[i] += force_[i];
    }
  }
  for (std::size_t i = 0; i < q.size(); ++i) {
    const double c = correction_.empty() ? 0 : correction_[i];
    scale_ = std::max(scale_, sizes_[i]);
    objective -= c * q[i];
    r[i] = model_->supported(static_cast<int>(i)) ? 0 : r[i] - c;
  }
  scale = std::max(scale_, 1e-300);
  return std::isfinite(scale) && std::isfinite(objective);
}

void EquilibriumProblem::jacobian(ConstVector q, Vector values) {
  places_.assign(q.begin(), q.end());
  linearisation_.add_potential(*model_, t_, q, 1, values);
  keep_supports(values);
}

bool EquilibriumProblem::convex_jacobian(ConstVector q, Vector values) {
  places_.assign(q.begin(), q.end());
  linearisation_.add_potential(*model_, t_, q, 1, values, true);
  keep_supports(values);
  return true;
}

void EquilibriumProblem::keep_supports(Vector values) const {
  const SparsePattern& pattern = linearisation_.pattern();
  for (int i = 0; i < pattern.n; ++i)
    if (model_->supported(i)) values[pattern.slot(i, i)] = 1;
}

void EquilibriumProblem::add_metric(double scale, Vector values) {
  const SparsePattern& pattern = linearisation_.pattern();
  double stiffness = 0, mass = 0;
  for (int i = 0; i < pattern.n; ++i) {
    stiffness += std::abs(values[pattern.slot(i, i)]);
    mass += model_->parts().mass.diagonal[i];
  }
  linearisation_.add_mass(*model_, scale * stiffness / mass, values);
}

}  // namespace livens
