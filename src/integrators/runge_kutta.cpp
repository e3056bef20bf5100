#include "integrators/runge_kutta.hpp"

#include <algorithm>
#include <cmath>

#include "integrators/solve_path.hpp"

namespace livens {

RungeKuttaStepper::RungeKuttaStepper(Tableau tableau, const Model& model)
    : tableau_(std::move(tableau)), legendre_(model) {
  const auto n = static_cast<std::size_t>(model.size());
  if (!model.separable()) path_ = {SolvePath::Kind::root, no_potential_form};
  const std::size_t s = tableau_.b.size();
  stage_q_.assign(s, std::vector<double>(n));
  stage_v_ = stage_dp_ = stage_q_;
  for (auto* vector : {&q1_, &p1_, &v1_, &p_stage_, &by_v_, &impulse_}) vector->resize(n);
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
  if (model.separable() && model.parts().forces.empty() && !model.has_external_terms()) return;
  for (std::size_t i = 0; i < tableau_.b.size(); ++i)
    book_point(model, state.t + tableau_.c[i] * h, stage_q_[i], stage_v_[i], h * tableau_.b[i], impulse_, ledger);
}

void RungeKuttaStepper::accept(State& state) {
  state.q.swap(q1_);
  state.p.swap(p1_);
  state.v.swap(v1_);
}

StepReport RungeKuttaStepper::step(const Model& model, State& state, double h, StepContext context) {
  if (!attempt(model, state, h, context.counters)) return failed_not_finite(state.t, h);
  book(model, state, h, context.ledger);
  accept(state);
  StepReport report;
  report.h = h;
  return report;
}

}  // namespace livens
