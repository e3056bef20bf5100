#include "integrators/second_order_start.hpp"

#include "math/finite.hpp"

namespace livens {

SecondOrderStart::SecondOrderStart(std::unique_ptr<Stepper> inner, double alpha, const Model& model)
    : inner_(std::move(inner)), shift_(0.5 - alpha) {
  if (model.constraint_count() > 0) projection_ = std::make_unique<Projection>(model);
}

void SecondOrderStart::finish(const Model& model, double t, State& state) {
  model.divide_mass(state.p, state.v);
  if (projection_) projection_->velocities(model, t, state.q, state.p, state.v);
}

StepReport SecondOrderStart::step(const Model& model, State& state, double h, StepContext context) {
  const std::size_t n = state.q.size();
  gradient_.resize(n);
  if (state.q != seen_q_ || state.p != seen_p_) {
    model.gradient(state.t, state.q, gradient_);
    staggered_p_.resize(n);
    for (std::size_t i = 0; i < n; ++i) staggered_p_[i] = state.p[i] + h * shift_ * gradient_[i];
  }
  seen_q_ = state.q;
  seen_p_ = state.p;
  start_staggered_p_ = staggered_p_;
  state.p.swap(staggered_p_);
  model.divide_mass(state.p, state.v);
  StepReport report = inner_->step(model, state, h, {context.ledger, context.counters});
  state.p.swap(staggered_p_);
  if (report.converged) {
    model.gradient(state.t + h, state.q, gradient_);
    for (std::size_t i = 0; i < n; ++i) state.p[i] = staggered_p_[i] - h * shift_ * gradient_[i];
    finish(model, state.t + h, state);
    if (!all_finite(state.p) || !all_finite(state.v)) report = failed_not_finite(state.t, h);
  }
  if (report.converged) {
    seen_q_ = state.q;
    seen_p_ = state.p;
  } else {
    state.q = seen_q_;
    state.p = seen_p_;
    staggered_p_ = start_staggered_p_;
    model.divide_mass(state.p, state.v);
  }
  return report;
}

void SecondOrderStart::visit_memory(MemoryVisitor& visitor) {
  visitor.visit("staggered_p", staggered_p_);
  visitor.visit("seen_q", seen_q_);
  visitor.visit("seen_p", seen_p_);
  inner_->visit_memory(visitor);
}

}  // namespace livens
