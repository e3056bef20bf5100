// Energies of straight-line steps, and what they book besides forces.
#include <array>
#include <cmath>

#include "integrators/straight_line_stepper.hpp"
#include "math/scratch.hpp"
#include "model/linearisation.hpp"

namespace livens {

double discrete_energy(const QuadratureRule& rule, const Model& model, double t0, double h, ConstVector q0,
                       ConstVector q1) {
  const std::size_t n = q0.size();
  ScratchVector v(n), point(n), by_q(n), by_v(n);
  for (std::size_t k = 0; k < n; ++k) v[k] = (q1[k] - q0[k]) / h;
  double sum = 0;
  for (std::size_t i = 0; i < rule.w.size(); ++i) {
    const double c = rule.c[i], t = t0 + c * h;
    for (std::size_t k = 0; k < n; ++k) point[k] = c == 1 ? q1[k] : q0[k] + c * h * v[k];
    double e = 0;
    if (model.separable()) {
      e = model.kinetic(v) + model.potential(t, point);
    } else {
      e = -model.lagrangian(t, point, v, by_q, by_v);
      for (std::size_t k = 0; k < n; ++k) e += by_v[k] * v[k];
    }
    sum += rule.w[i] * e;
  }
  return sum;
}

// With a = v'W''v, b = dW'M^-1 dW, s = v.dW [HLW IX.3]: Verlet H + h^2 (a/12 - b/24), symplectic Euler A and B
// H +- h/2 s + h^2/12 (a + b), midpoint H - h^2/24 (a + b).
std::optional<double> modified_energy(const QuadratureRule& rule, const Model& model, const State& state, double h) {
  if (!model.separable() || !model.parts().forces.empty()) return std::nullopt;
  for (const auto& term : model.parts().terms)
    if (!term->no_hessian().empty()) return std::nullopt;
  const double mean = rule.mean();
  const bool verlet = rule.w.size() == 2 && mean == 0.5;
  const bool one_point = rule.w.size() == 1 && (mean == 0 || mean == 1 || mean == 0.5);
  if (!verlet && !one_point) return std::nullopt;
  const std::size_t n = state.q.size();
  std::vector<double> g(n), acceleration(n), kv(n, 0.0);
  model.gradient(state.t, state.q, g);
  model.divide_mass(g, acceleration);
  const Linearisation& lin = linearisation(model);
  std::vector<double> values(lin.pattern().nonzeros(), 0.0);
  lin.add_potential(model, state.t, state.q, 1, values);
  lin.pattern().multiply(values, state.v, kv);
  double a = 0, b = 0, s = 0;
  for (std::size_t k = 0; k < n; ++k) {
    a += state.v[k] * kv[k];
    b += g[k] * acceleration[k];
    s += state.v[k] * g[k];
  }
  const double H = energy(model, state).total;
  if (verlet) return H + h * h * (a / 12 - b / 24);
  if (mean == 0.5) return H - h * h / 24 * (a + b);
  return H + (mean == 1 ? 1 : -1) * h / 2 * s + h * h / 12 * (a + b);
}

StraightLineLedger::StraightLineLedger(const Model& model)
    : external_(model.has_external_terms() && model.dimension() > 0),
      in_time_(model.depends_on_time() && (model.has_external_terms() || !model.separable())),
      carried_(model) {
  if (!any()) return;
  for (auto* vector : {&point_, &impulse_}) vector->resize(model.size());
}

namespace {

// At the ends of a step, where loads may have kinks, by differences: over the step where both ends have the same
// weight; otherwise about the end, because those over the step are off by h^2/2 d2W/dt2 there, which adds up.
double time_work_at_end(const QuadratureRule& rule, const Model& model, const StraightStep& step, double t,
                        ConstVector q, ConstVector v) {
  const double across = model.time_work(step.t0, step.t0 + step.h, t, q, v);
  if (rule.begins_at_start() && rule.ends_at_end() && rule.w.front() == rule.w.back()) return across;
  const double about = model.time_work(t - 0.5 * step.h, t + 0.5 * step.h, t, q, v);
  return std::isfinite(about) ? about : across;  // there may be no load before the start
}

}  // namespace

void StraightLineLedger::book(const QuadratureRule& rule, const Model& model, const StraightStep& step, ConstVector v,
                              ConstVector q1, Ledger& ledger) {
  for (std::size_t i = 0; i < rule.w.size() && (external_ || in_time_); ++i) {
    const double c = rule.c[i], t = step.t0 + c * step.h;
    for (std::size_t k = 0; k < point_.size() && c != 0 && c != 1; ++k) point_[k] = step.q0[k] + c * step.h * v[k];
    const ConstVector at = c == 0 ? step.q0 : c == 1 ? q1 : ConstVector(point_);
    if (external_) book_external(rule.w[i], t, model, at, step.h, ledger);
    if (!in_time_) continue;
    // h sum_i w_i (-dL/dt)
    ledger.time_work += rule.w[i] * (c == 0 || c == 1 ? time_work_at_end(rule, model, step, t, at, v)
                                                      : step.h * model.time_power(t, at, v));
  }
  if (carried_.any()) book_carried(rule, model, step, v, ledger);
}

// M v is carried from q0 to q1, and what acts at the point c of the line acts at (1 - c) q0 + c q1, where the support
// need not be at that time.
void StraightLineLedger::book_carried(const QuadratureRule& rule, const Model& model, const StraightStep& step,
                                      ConstVector v, Ledger& ledger) {
  const double t0 = step.t0, h = step.h;
  model.multiply_mass(v, impulse_);
  carried_.book(model, t0, t0 + h, impulse_, ledger);
  for (std::size_t i = 0; i < rule.w.size(); ++i) {
    const double c = rule.c[i], t = t0 + c * h;
    if (c == 0 || c == 1) continue;
    for (std::size_t k = 0; k < point_.size(); ++k) point_[k] = step.q0[k] + c * h * v[k];
    model.gradient(t, point_, impulse_);
    for (double& g : impulse_) g *= -h * rule.w[i];
    carried_.book(model, std::array{t0, t0 + h, t}, std::array{1 - c, c, -1.0}, impulse_, ledger);
  }
}

// (1 - c) of each impulse acts at q0, c at q1: together they have the moment of the impulse at the point itself.
void StraightLineLedger::book_external(double w, double t, const Model& model, ConstVector point, double h,
                                       Ledger& ledger) {
  model.external_gradient(t, point, impulse_);
  for (double& g : impulse_) g *= -h * w;
  const Placed at = model.placed(t, point);
  book_impulse(model, at, impulse_, ledger);
}

}  // namespace livens
