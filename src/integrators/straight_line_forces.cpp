#include "integrators/straight_line_forces.hpp"

#include <algorithm>

#include "integrators/solve_report.hpp"
#include "model/linearisation.hpp"

namespace livens {

StraightLineForces::StraightLineForces(const Model& model, bool explicit_rule, const SolverOptions& solver)
    : legendre_(model) {
  std::vector<std::size_t> implicit;
  for (const auto& force : model.parts().forces) {
    placements_.push_back(force->placement(explicit_rule));
    step_energies_.push_back(force->step_energy());
    // A mass that depends on the position has no matrix to solve with.
    if (placements_.back() == Placement::implicit_end && !model.separable()) placements_.back() = Placement::symmetric;
    if (placements_.back() == Placement::implicit_end) implicit.push_back(placements_.size() - 1);
  }
  if (!implicit.empty()) end_damping_ = std::make_unique<EndDamping>(model, std::move(implicit), solver);
  if (any())
    for (auto* vector : {&impulse_, &p_at_start_, &momentum_, &v_before_, &v_after_, &v_end_})
      vector->resize(model.size());
}

double StraightLineForces::start_share(std::size_t force) const {
  switch (placements_[force]) {
    case Placement::symmetric:
    case Placement::implicit_end: return 0.5;
    case Placement::at_start: return 1;
    case Placement::lagged: return 0;
  }
  return 0;
}

double StraightLineForces::end_share(std::size_t force) const { return 1 - start_share(force); }

void StraightLineForces::begin(const Model& model, const StraightStep& step) {
  const Placed start = model.placed(step.t0, step.q0);
  for (const auto& energy : step_energies_)
    if (energy) energy->begin(start);
}

bool StraightLineForces::stay_explicit(const Model& model, Vector drag) const {
  const auto& forces = model.parts().forces;
  for (std::size_t k = 0; k < forces.size(); ++k) {
    if (start_share(k) == 0 || !forces[k]->depends_on_velocity()) continue;
    if (placements_[k] != Placement::symmetric || !forces[k]->add_constant_drag(drag) || !model.diagonal_mass())
      return false;
  }
  return true;
}

std::string StraightLineForces::no_potential(const Model& model) const {
  const auto& forces = model.parts().forces;
  for (std::size_t k = 0; k < forces.size(); ++k) {
    const Force& force = *forces[k];
    if (start_share(k) == 0 || !force.depends_on_velocity() || force.linear_in_velocity()) continue;
    if (force.has_rayleigh_function()) continue;
    return "force '" + force.name() + "' depends on v and is not known to be minus the gradient of a function of v";
  }
  return "";
}

double StraightLineForces::add_impulse(const Model& model, const StraightStep& step, std::size_t force, double t,
                                       ConstVector q, ConstVector v, ConstVector q1, double share,
                                       Vector impulse) const {
  if (const auto& energy = step_energies_[force]) {
    const Placed end = model.placed(step.t0 + step.h, q1);
    const double value = energy->add_gradient(end, -share, impulse);
    model.release(impulse);
    return share * value;
  }
  model.add_force(force, t, q, v, share * step.h, impulse);
  return 0;
}

void StraightLineForces::start_impulse(const Model& model, const StraightStep& step, ConstVector v, ConstVector q1,
                                       Vector impulse, double* potential) const {
  const auto& forces = model.parts().forces;
  std::fill(impulse.begin(), impulse.end(), 0.0);
  double before = 0;
  for (std::size_t k = 0; k < forces.size(); ++k) {
    if (start_share(k) == 0) continue;
    const double energy = add_impulse(model, step, k, step.t0, step.q0, v, q1, start_share(k), impulse);
    if (potential == nullptr) continue;
    double power = 0;
    for (std::size_t i = 0; i < v.size(); ++i) power += impulse[i] * v[i];
    const Force& force = *forces[k];
    if (step_energies_[k])
      *potential += energy / step.h;
    else if (force.depends_on_velocity() && !force.linear_in_velocity())
      *potential += start_share(k) * step.h * model.rayleigh_function(k, step.t0, step.q0, v);
    else
      *potential -= (force.depends_on_velocity() ? 0.5 : 1) * (power - before);
    before = power;
  }
}

void StraightLineForces::subtract_start_jacobian(const Model& model, const StraightStep& step, ConstVector v,
                                                 ConstVector q1, bool convex, Vector values) const {
  const Linearisation& lin = linearisation(model);
  for (std::size_t k = 0; k < placements_.size(); ++k) {
    if (start_share(k) == 0) continue;
    if (step_energies_[k])
      lin.add_step_energy(model, k, *step_energies_[k], step.t0 + step.h, q1, start_share(k) * step.h, convex, values);
    else
      lin.add_force(model, k, step.t0, step.q0, v, 0, -start_share(k) * step.h, values);
  }
}

void StraightLineForces::constant_start_impulse(const Model& model, const StraightStep& step, ConstVector v,
                                                Vector impulse) const {
  const auto& forces = model.parts().forces;
  std::fill(impulse.begin(), impulse.end(), 0.0);
  for (std::size_t k = 0; k < forces.size(); ++k)
    if (start_share(k) > 0 && !forces[k]->depends_on_velocity())
      model.add_force(k, step.t0, step.q0, v, start_share(k) * step.h, impulse);
}

// One impulse of one force at q: p and its velocity, v_before_, go on.
void StraightLineForces::act(const Model& model, const StraightStep& step, std::size_t force, double t, ConstVector q,
                             ConstVector v, ConstVector q1, double share, Vector p, Ledger& ledger) {
  std::fill(impulse_.begin(), impulse_.end(), 0.0);
  add_impulse(model, step, force, t, q, v, q1, share, impulse_);
  for (std::size_t i = 0; i < p.size(); ++i) p[i] += impulse_[i];
  v_after_ = v_before_;
  legendre_.velocity(model, t, q, p, v_after_);
  const Placed at = model.placed(t, q);
  book_force(model, force, at, impulse_, v_before_, v_after_, ledger);
  std::swap(v_before_, v_after_);
}

// The whole impulse F = -h C v before an implicit step. It leaves the velocity v of the step behind, and so takes
// H(q0, M v - F) - H(q0, M v) = h v'Cv + h^2/2 (Cv)'M^-1 (Cv), never less than nothing. What it takes from p0 differs
// by h^2/2 (Cv)'M^-1 dW, which swings about zero: that is an error of the step.
void StraightLineForces::act_at_start(const Model& model, const StraightStep& step, std::size_t force, ConstVector v,
                                      ConstVector q1, Vector p, Ledger& ledger) {
  std::fill(impulse_.begin(), impulse_.end(), 0.0);
  add_impulse(model, step, force, step.t0, step.q0, v, q1, 1, impulse_);
  v_after_.assign(v.begin(), v.end());
  v_before_.assign(v.begin(), v.end());
  model.momentum(step.t0, step.q0, v, momentum_);
  for (std::size_t i = 0; i < p.size(); ++i) {
    p[i] += impulse_[i];
    momentum_[i] -= impulse_[i];
  }
  legendre_.velocity(model, step.t0, step.q0, momentum_, v_before_);
  const Placed at = model.placed(step.t0, step.q0);
  book_force(model, force, at, impulse_, v_before_, v_after_, ledger);
}

bool StraightLineForces::act_implicitly(const Model& model, const StraightStep& step, ConstVector v, ConstVector q1,
                                        Vector p1, StepContext context) {
  if (!end_damping_) return true;
  const double t1 = step.t0 + step.h, s = 0.5 * step.h;
  if (s > 0) {
    v_end_ = v_before_;
    const SolveResult& result = end_damping_->solve(model, t1, q1, p1, s, v_end_);
    book_solve(result, context.counters);
    if (!result.converged) return false;
  } else {
    v_end_.assign(v.begin(), v.end());  // backwards it would feed energy in
  }
  for (const std::size_t k : end_damping_->forces()) act(model, step, k, t1, q1, v_end_, q1, 0.5, p1, context.ledger);
  return true;
}

bool StraightLineForces::act(const Model& model, const StraightStep& step, ConstVector v0, ConstVector v,
                             ConstVector q1, Vector p1, StepContext context) {
  Ledger& ledger = context.ledger;
  const double t0 = step.t0, t1 = t0 + step.h;
  // At q0 the running momentum starts from p0; at q1 from p1 without F+. p1 takes up both.
  std::copy(step.p0.begin(), step.p0.end(), p_at_start_.begin());
  v_before_.assign(v0.begin(), v0.end());
  for (std::size_t k = 0; k < placements_.size(); ++k)
    if (placements_[k] == Placement::symmetric || placements_[k] == Placement::implicit_end)
      act(model, step, k, t0, step.q0, v, q1, 0.5, p_at_start_, ledger);
  for (std::size_t k = 0; k < placements_.size(); ++k)
    if (placements_[k] == Placement::at_start) act_at_start(model, step, k, v, q1, p_at_start_, ledger);
  for (std::size_t i = 0; i < p1.size(); ++i) p1[i] += p_at_start_[i] - step.p0[i];
  v_before_.assign(v.begin(), v.end());
  legendre_.velocity(model, t1, q1, p1, v_before_);
  for (std::size_t k = 0; k < placements_.size(); ++k)
    if (end_share(k) > 0 && placements_[k] != Placement::implicit_end)
      act(model, step, k, t1, q1, v, q1, end_share(k), p1, ledger);
  return act_implicitly(model, step, v, q1, p1, context);
}

}  // namespace livens
