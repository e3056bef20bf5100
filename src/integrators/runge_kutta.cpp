#include "integrators/runge_kutta.hpp"

#include <algorithm>
#include <cmath>

#include "integrators/constrained.hpp"

namespace livens {

RungeKuttaStepper::RungeKuttaStepper(Tableau tableau, const Model& model, bool project)
    : tableau_(std::move(tableau)), legendre_(model), carried_(model), project_(project) {
  const auto n = static_cast<std::size_t>(model.size());
  if (!model.separable()) path_ = {SolvePath::Kind::root, "L is not 1/2 v'Mv - W(q), and v follows from dL/dv = p"};
  const std::size_t s = tableau_.b.size();
  stage_q_.assign(s, std::vector<double>(n));
  stage_v_ = stage_dp_ = stage_q_;
  for (auto* vector : {&q1_, &p1_, &v1_, &p_stage_, &by_v_, &impulse_}) vector->resize(n);
  if (model.constraint_count() == 0) return;
  projection_ = std::make_unique<Projection>(model);
  stage_lambda_.assign(s, std::vector<double>(model.constraint_count()));
}

// v = dH/dp and dp/dt = dL/dq + f at stage_q_ and p_stage_; stage_v_ holds a guess of v.
bool RungeKuttaStepper::evaluate(const Model& model, double t, std::size_t stage, Counters& counters) {
  auto &q = stage_q_[stage], &v = stage_v_[stage], &dp = stage_dp_[stage];
  ++counters.evaluations;
  if (!legendre_.velocity(model, t, q, p_stage_, v)) return false;
  if (model.separable()) {
    model.gradient(t, q, dp);
    for (double& value : dp) value = -value;
  } else {
    model.lagrangian(t, q, v, dp, by_v_);
  }
  for (std::size_t k = 0; k < model.parts().forces.size(); ++k) model.add_force(k, t, q, v, 1, dp);
  return projection_ == nullptr || add_reactions(model, t, stage);
}

// dp -= G'lambda
bool RungeKuttaStepper::add_reactions(const Model& model, double t, std::size_t stage) {
  at_stage_.t = t;
  at_stage_.q = stage_q_[stage];
  at_stage_.p = p_stage_;
  at_stage_.v = stage_v_[stage];
  std::vector<double>& lambda = stage_lambda_[stage];
  if (!projection_->multipliers_as_given(model, at_stage_, lambda).converged) return false;
  model.add_constraint_force(t, at_stage_.q, lambda, -1, stage_dp_[stage]);
  return true;
}

bool RungeKuttaStepper::attempt(const Model& model, const State& state, double h, Counters& counters) {
  const std::size_t s = tableau_.b.size(), n = state.q.size();
  for (std::size_t i = 0; i < s; ++i) {
    stage_q_[i] = state.q;
    p_stage_ = state.p;
    for (std::size_t j = 0; j < i; ++j) {
      const double factor = h * tableau_.a[i][j];
      if (factor == 0) continue;
      for (std::size_t k = 0; k < n; ++k) {
        stage_q_[i][k] += factor * stage_v_[j][k];
        p_stage_[k] += factor * stage_dp_[j][k];
      }
    }
    stage_v_[i] = state.v;
    if (!evaluate(model, state.t + tableau_.c[i] * h, i, counters)) return false;
  }
  q1_ = state.q;
  p1_ = state.p;
  v1_ = state.v;
  for (std::size_t i = 0; i < s; ++i) {
    const double factor = h * tableau_.b[i];
    for (std::size_t k = 0; k < n; ++k) {
      q1_[k] += factor * stage_v_[i][k];
      p1_[k] += factor * stage_dp_[i][k];
    }
  }
  double check = 0;
  for (std::size_t k = 0; k < n; ++k) check += (q1_[k] - q1_[k]) + (p1_[k] - p1_[k]);
  return check == 0 && legendre_.velocity(model, state.t + h, q1_, p1_, v1_);
}

// Work and impulses by the quadrature of the method itself.
void RungeKuttaStepper::book(const Model& model, const State& state, double h, Ledger& ledger) {
  if (model.separable() && model.parts().forces.empty() && !model.has_external_terms() && !projection_) return;
  for (std::size_t i = 0; i < tableau_.b.size(); ++i) {
    const double t = state.t + tableau_.c[i] * h, weight = h * tableau_.b[i];
    book_point(model, t, stage_q_[i], stage_v_[i], weight, impulse_, ledger);
    if (projection_) {
      std::vector<double> impulses = stage_lambda_[i];
      for (double& value : impulses) value *= weight;
      book_reactions(model, t, stage_q_[i], impulses, ledger);
    }
    if (!carried_.any()) continue;
    model.multiply_mass(stage_v_[i], impulse_);
    carried_.book_rate(model, t, weight, impulse_, ledger);
  }
}

bool RungeKuttaStepper::project_end(const Model& model, double t1, Ledger& ledger) {
  if (!project_ || projection_ == nullptr) return true;
  std::vector<double> impulses(model.constraint_count());
  if (!projection_->positions(model, t1, q1_).converged) return false;
  if (!projection_->velocities(model, t1, q1_, p1_, v1_, impulses).converged) return false;
  book_reactions(model, t1, q1_, impulses, ledger);
  return true;
}

void RungeKuttaStepper::accept(State& state) {
  state.q.swap(q1_);
  state.p.swap(p1_);
  state.v.swap(v1_);
}

StepReport RungeKuttaStepper::step(const Model& model, State& state, double h, StepContext context) {
  if (!attempt(model, state, h, context.counters)) return failed_not_finite(state.t, h);
  if (!project_end(model, state.t + h, context.ledger)) return failed_not_finite(state.t, h);
  book(model, state, h, context.ledger);
  accept(state);
  StepReport report;
  report.h = h;
  return report;
}

}  // namespace livens
