#include "integrators/straight_line_equation.hpp"

#include <algorithm>
#include <cmath>

#include "model/linearisation.hpp"

namespace livens {

StraightLineEquation::StraightLineEquation(const QuadratureRule& rule, const StraightLineForces& forces,
                                           bool has_potential, const Model& model)
    : rule_(rule), forces_(forces), has_potential_(has_potential) {
  for (auto* vector : {&start_gradient_, &point_, &by_q_, &by_v_, &sum_by_q_, &kick_}) vector->resize(model.size());
  if (forces.any())
    for (auto* vector : {&q1_, &impulse_}) vector->resize(model.size());
}

void StraightLineEquation::begin(const Model& model, const StraightStep& step, const StepBefore& before,
                                 Counters& counters) {
  model_ = &model;
  step_ = step;
  before_ = &before;
  if (!rule_.begins_at_start() || !model.separable()) return;
  model.gradient(step.t0, step.q0, start_gradient_);
  ++counters.evaluations;
}

double StraightLineEquation::size_of_unknowns(ConstVector) const { return largest_of(step_.q0) / std::abs(step_.h); }

MatrixName StraightLineEquation::constant_matrix() const {
  return {model_->separable() ? linearisation(*model_).number_if_constant() : 0, step_.h};
}

// The guess may invert an element. The evaluation point of the step before did not: v = -(1 - c)/c v_before is there
// again, also if the end of that step was inverted. Without a step before, stay.
bool StraightLineEquation::other_start(Vector v) {
  const double c = rule_.c.front();
  if (rule_.c.size() != 1 || c == 0) return false;
  const double back = before_->v.empty() ? 0 : -(1 - c) / c * before_->h / step_.h;
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = back != 0 ? back * before_->v[i] : 0;
  return true;
}

void StraightLineEquation::place(double c, ConstVector v) {
  for (std::size_t k = 0; k < v.size(); ++k) point_[k] = step_.q0[k] + c * step_.h * v[k];
}

bool StraightLineEquation::evaluate(ConstVector v, Vector r, double& scale, double& objective) {
  return evaluate(v, r, scale, &objective) && std::isfinite(objective);
}

// The objective is the incremental potential over h; it comes with the gradient, so that a trial step of the line
// search is one pass.
bool StraightLineEquation::evaluate(ConstVector v, Vector r, double& scale, double* lilyan) {
  const Model& model = *model_;
  const ConstVector p0 = step_.p0;
  const std::size_t n = v.size();
  std::fill(sum_by_q_.begin(), sum_by_q_.end(), 0.0);
  std::fill(kick_.begin(), kick_.end(), 0.0);
  std::fill(r.begin(), r.end(), 0.0);
  if (model.separable()) model.multiply_mass(v, r);
  if (lilyan != nullptr) {
    *lilyan = 0;
    for (std::size_t k = 0; k < n; ++k) *lilyan += (0.5 * r[k] - p0[k]) * v[k];
  }
  for (std::size_t i = 0; i < rule_.w.size(); ++i) {
    if (model.separable())
      add_potential_point(i, v, lilyan);
    else
      add_lagrangian_point(i, v, r);
  }
  if (forces_.any()) {
    for (std::size_t k = 0; k < n; ++k) q1_[k] = step_.q0[k] + step_.h * v[k];
    forces_.start_impulse(model, step_, v, q1_, impulse_, lilyan);
  }
  scale = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const double force = impulse_.empty() ? 0 : impulse_[k];
    scale = std::max(scale, std::abs(r[k]) + std::abs(kick_[k]) + std::abs(p0[k]) + std::abs(force));
    r[k] -= kick_[k] + p0[k] + force;
  }
  return std::isfinite(scale);
}

// L_q = -dW
void StraightLineEquation::add_potential_point(std::size_t i, ConstVector v, double* lilyan) {
  const Model& model = *model_;
  const double c = rule_.c[i], w = rule_.w[i], h = step_.h;
  if (c == 1) return;  // its factor 1 - c vanishes; p1 gets it afterwards
  if (c > 0) {
    place(c, v);
    if (lilyan != nullptr)
      *lilyan += w * (1 - c) / c * model.gradient_and_potential(step_.t0 + c * h, point_, by_q_);
    else
      model.gradient(step_.t0 + c * h, point_, by_q_);
  } else if (lilyan != nullptr) {
    for (std::size_t k = 0; k < v.size(); ++k) *lilyan += h * w * start_gradient_[k] * v[k];
  }
  const std::vector<double>& g = c > 0 ? by_q_ : start_gradient_;
  for (std::size_t k = 0; k < v.size(); ++k) {
    sum_by_q_[k] -= w * g[k];
    kick_[k] -= h * w * (1 - c) * g[k];
  }
}

void StraightLineEquation::add_lagrangian_point(std::size_t i, ConstVector v, Vector r) {
  const double c = rule_.c[i], w = rule_.w[i], h = step_.h;
  place(c, v);
  model_->lagrangian(step_.t0 + c * h, point_, v, by_q_, by_v_);
  for (std::size_t k = 0; k < v.size(); ++k) {
    sum_by_q_[k] += w * by_q_[k];
    kick_[k] += h * w * (1 - c) * by_q_[k];
    r[k] += w * by_v_[k];
  }
}

bool StraightLineEquation::convex_jacobian(ConstVector v, Vector values) {
  add_jacobian(v, values, true);
  return true;
}

void StraightLineEquation::add_jacobian(ConstVector v, Vector values, bool convex) {
  const Model& model = *model_;
  const Linearisation& lin = linearisation(model);
  const double t0 = step_.t0, h = step_.h;
  if (model.separable()) lin.add_mass(model, 1, values);
  for (std::size_t i = 0; i < rule_.w.size(); ++i) {
    const double c = rule_.c[i], w = rule_.w[i], t = t0 + c * h;
    if (model.separable() && (c == 0 || c == 1)) continue;
    place(c, v);
    if (model.separable())
      lin.add_potential(model, t, point_, h * h * w * c * (1 - c), values, convex);
    else
      lin.add_lagrangian(model, t, point_, v, {-h * h * w * c * (1 - c), -h * w * (1 - c), w * c * h, w}, values);
  }
  if (!forces_.any()) return;
  for (std::size_t i = 0; i < v.size(); ++i) q1_[i] = step_.q0[i] + h * v[i];
  forces_.subtract_start_jacobian(model, step_, v, q1_, convex, values);
}

void StraightLineEquation::add_metric(double scale, Vector values) {
  linearisation(*model_).add_mass(*model_, scale, values);
}

}  // namespace livens
