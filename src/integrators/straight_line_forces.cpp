#include "integrators/straight_line_forces.hpp"

#include <algorithm>

namespace livens {

StraightLineForces::StraightLineForces(const Model& model, bool explicit_rule) : legendre_(model) {
  for (const auto& force : model.parts().forces) placements_.push_back(force->placement(explicit_rule));
  if (any())
    for (auto* vector : {&impulse_, &p_at_start_, &v_before_, &v_after_}) vector->resize(model.size());
}

bool StraightLineForces::stay_explicit(const Model& model, Vector drag) const {
  const auto& forces = model.parts().forces;
  for (std::size_t k = 0; k < forces.size(); ++k) {
    if (placements_[k] == Placement::lagged || !forces[k]->depends_on_velocity()) continue;
    if (placements_[k] == Placement::published) return false;
    if (!forces[k]->add_constant_drag(drag) || !model.diagonal_mass()) return false;
  }
  return true;
}

std::string StraightLineForces::no_potential(const Model& model) const {
  const auto& forces = model.parts().forces;
  for (std::size_t k = 0; k < forces.size(); ++k) {
    const Force& force = *forces[k];
    if (placements_[k] == Placement::lagged || !force.depends_on_velocity()) continue;
    if (placements_[k] == Placement::published) return "force '" + force.name() + "' is placed as published";
    if (!force.linear_in_velocity()) return "force '" + force.name() + "' is not minus a symmetric matrix times v";
  }
  return "";
}

void StraightLineForces::start_impulse(const Model& model, const StraightStep& step, ConstVector v, ConstVector q1,
                                       Vector impulse, double* potential) const {
  const auto& forces = model.parts().forces;
  std::fill(impulse.begin(), impulse.end(), 0.0);
  double before = 0;
  for (std::size_t k = 0; k < forces.size(); ++k) {
    if (placements_[k] == Placement::symmetric) model.add_force(k, step.t0, step.q0, v, 0.5 * step.h, impulse);
    if (placements_[k] == Placement::published) model.add_force(k, step.t0, q1, v, step.h, impulse);
    if (potential == nullptr || placements_[k] != Placement::symmetric) continue;
    double power = 0;
    for (std::size_t i = 0; i < v.size(); ++i) power += impulse[i] * v[i];
    *potential -= (forces[k]->depends_on_velocity() ? 0.5 : 1) * (power - before);
    before = power;
  }
}

void StraightLineForces::constant_start_impulse(const Model& model, const StraightStep& step, ConstVector v,
                                                Vector impulse) const {
  const auto& forces = model.parts().forces;
  std::fill(impulse.begin(), impulse.end(), 0.0);
  for (std::size_t k = 0; k < forces.size(); ++k)
    if (placements_[k] == Placement::symmetric && !forces[k]->depends_on_velocity())
      model.add_force(k, step.t0, step.q0, v, 0.5 * step.h, impulse);
}

// One impulse of one force at q_at, evaluated at q_force: p and its velocity, v_before_, go on.
void StraightLineForces::act(const Model& model, std::size_t force, double t, ConstVector q_force, ConstVector q_at,
                             ConstVector v, double scale, Vector p, Ledger& ledger) {
  std::fill(impulse_.begin(), impulse_.end(), 0.0);
  model.add_force(force, t, q_force, v, scale, impulse_);
  for (std::size_t i = 0; i < p.size(); ++i) p[i] += impulse_[i];
  v_after_ = v_before_;
  legendre_.velocity(model, t, q_at, p, v_after_);
  const Placed at = model.placed(t, q_at);
  book_force(model, force, at, impulse_, v_before_, v_after_, ledger);
  std::swap(v_before_, v_after_);
}

void StraightLineForces::act(const Model& model, const StraightStep& step, ConstVector v0, ConstVector v,
                             ConstVector q1, Vector p1, Ledger& ledger) {
  const double t0 = step.t0, h = step.h, t1 = t0 + h;
  // At q0 the running momentum starts from p0; at q1 from p1 without F+. p1 takes up both.
  std::copy(step.p0.begin(), step.p0.end(), p_at_start_.begin());
  v_before_.assign(v0.begin(), v0.end());
  for (std::size_t k = 0; k < placements_.size(); ++k) {
    if (placements_[k] == Placement::symmetric) act(model, k, t0, step.q0, step.q0, v, 0.5 * h, p_at_start_, ledger);
    if (placements_[k] == Placement::published) act(model, k, t0, q1, step.q0, v, h, p_at_start_, ledger);
  }
  for (std::size_t i = 0; i < p1.size(); ++i) p1[i] += p_at_start_[i] - step.p0[i];
  v_before_.assign(v.begin(), v.end());
  legendre_.velocity(model, t1, q1, p1, v_before_);
  for (std::size_t k = 0; k < placements_.size(); ++k) {
    if (placements_[k] == Placement::symmetric) act(model, k, t1, q1, q1, v, 0.5 * h, p1, ledger);
    if (placements_[k] == Placement::lagged) act(model, k, t1, q1, q1, v, h, p1, ledger);
  }
}

}  // namespace livens
