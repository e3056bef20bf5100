#include "integrators/straight_line.hpp"

#include <algorithm>
#include <cmath>

#include "integrators/booking.hpp"
#include "math/finite.hpp"
#include "math/parallel.hpp"
#include "model/linearisation.hpp"

namespace livens {

QuadratureRule QuadratureRule::trapezoid(double alpha) {
  if (alpha == 0) return point(0);
  if (alpha == 1) return point(1);
  return {{1 - alpha, alpha}, {0, 1}};
}

double QuadratureRule::mean() const {
  double sum = 0;
  for (std::size_t i = 0; i < w.size(); ++i) sum += w[i] * c[i];
  return sum;
}

bool QuadratureRule::explicit_steps() const {
  return std::all_of(c.begin(), c.end(), [](double ci) { return ci == 0 || ci == 1; });
}

StraightLineStepper::StraightLineStepper(QuadratureRule rule, const SolverOptions& solver, const Model& model)
    : rule_(std::move(rule)), solver_(solver), legendre_(model) {
  const auto n = static_cast<std::size_t>(model.size());
  const auto& forces = model.parts().forces;
  const bool explicit_rule = model.separable() && rule_.explicit_steps();
  for (const auto& force : forces) placements_.push_back(force->placement(explicit_rule));
  drag_.assign(forces.empty() ? 0 : n, 0.0);
  explicit_ = explicit_rule && can_step_explicitly(model);
  fused_ = explicit_ && forces.empty() && model.diagonal_mass();
  symmetric_ = has_lilyan(model);
  minimise_ = !explicit_ && solver_.kind != SolverOptions::Kind::root && symmetric_;
  for (auto* vector : {&v_, &q1_, &p1_}) vector->resize(n);
  if (!explicit_)
    for (auto* vector : {&point_, &by_q_, &by_v_, &kick_, &sum_by_q_}) vector->resize(n);
  if (!forces.empty() || model.has_external_terms())
    for (auto* vector : {&impulse_, &work_, &momentum_}) vector->resize(n);
  start_gradient_.resize(n);
  end_gradient_.resize(n);
  if (!explicit_) newton_ = std::make_unique<NewtonSolver>(linearisation(model).pattern());
  start_gradient_needed_ = rule_.c.front() == 0;
}

// A symmetric F- = h/2 f(q0, v) keeps the step explicit only if it does not depend on v or is a constant diagonal drag.
// The drag is collected on the way.
bool StraightLineStepper::can_step_explicitly(const Model& model) {
  const auto& forces = model.parts().forces;
  for (std::size_t k = 0; k < forces.size(); ++k) {
    if (placements_[k] == Placement::lagged || !forces[k]->depends_on_velocity()) continue;
    if (placements_[k] == Placement::published) return false;
    if (!forces[k]->add_constant_drag(drag_) || !model.diagonal_mass()) return false;
  }
  return true;
}

bool StraightLineStepper::has_lilyan(const Model& model) const {
  const auto& forces = model.parts().forces;
  for (std::size_t k = 0; k < forces.size(); ++k) {
    if (placements_[k] == Placement::lagged || !forces[k]->depends_on_velocity()) continue;
    if (placements_[k] == Placement::published || !forces[k]->linear_in_velocity()) return false;
  }
  return model.separable();
}

StepReport StraightLineStepper::step(const Model& model, State& state, double h, Books books) {
  model_ = &model;
  t0_ = state.t;
  h_ = h;
  q0_ = state.q;
  p0_ = state.p;
  StepReport report;
  if (explicit_)
    explicit_velocity(model, state, books);
  else
    report = implicit_velocity(model, state, books);
  if (report.converged) finish(model, state, books, report);
  return report;
}

// (M + h/2 D) v = p0 - h w_0 dW(q0) + (F- without drag)
void StraightLineStepper::explicit_velocity(const Model& model, const State& state, Books books) {
  const std::size_t n = state.q.size();
  const auto& forces = model.parts().forces;
  const double* p0 = state.p.data();
  const double* g = nullptr;
  double factor = 0;
  if (start_gradient_needed_) {
    if (!end_gradient_known_) model.gradient(t0_, q0_, end_gradient_);
    g = end_gradient_.data();
    factor = h_ * rule_.w.front();
    if (rule_.c.back() == 0) ++books.counters.evaluations;
  }
  const bool drag = !forces.empty();
  if (drag) {
    std::fill(impulse_.begin(), impulse_.end(), 0.0);
    for (std::size_t k = 0; k < forces.size(); ++k) {
      if (placements_[k] != Placement::symmetric) continue;
      if (!forces[k]->depends_on_velocity()) model.add_force(k, t0_, q0_, state.v, 0.5 * h_, impulse_);
    }
  }
  if (fused_) return fused_drift(model, g != nullptr ? factor : 0);
  for (std::size_t i = 0; i < n; ++i) p1_[i] = (g ? p0[i] - factor * g[i] : p0[i]);
  if (drag && model.diagonal_mass()) {
    const auto& mass = model.parts().mass.diagonal;
    for (std::size_t i = 0; i < n; ++i) v_[i] = (p1_[i] + impulse_[i]) / (mass[i] + 0.5 * h_ * drag_[i]);
  } else {
    if (drag)
      for (std::size_t i = 0; i < n; ++i) work_[i] = p1_[i] + impulse_[i];
    model.divide_mass(drag ? ConstVector(work_) : ConstVector(p1_), v_);
  }
  for (std::size_t i = 0; i < n; ++i) q1_[i] = q0_[i] + h_ * v_[i];
}

namespace {

bool infeasible(FailureCode code) { return code == FailureCode::not_finite || code == FailureCode::inverted; }

}  // namespace

// The guess may invert an element. The evaluation point of the step before did not: v = -(1 - c)/c v_before is there
// again, also if the end of that step was inverted. Without a step before, stay.
bool StraightLineStepper::other_start(Vector v) {
  const double c = rule_.c.front();
  if (rule_.c.size() != 1 || c == 0) return false;
  const double back = step_velocity_.empty() ? 0 : -(1 - c) / c * step_length_ / h_;
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = back != 0 ? back * step_velocity_[i] : 0;
  return true;
}

StepReport StraightLineStepper::implicit_velocity(const Model& model, const State& state, Books books) {
  std::copy(state.v.begin(), state.v.end(), v_.begin());
  if (start_gradient_needed_ && model.separable()) {
    model.gradient(t0_, q0_, start_gradient_);
    ++books.counters.evaluations;
  }
  const auto solve = [&]() -> const SolveResult& {
    const SolveResult& r = minimise_ ? newton_->minimise(*this, v_, solver_) : newton_->find_root(*this, v_, solver_);
    book_solve(r, books.counters);
    return r;
  };
  const SolveResult* solved = &solve();
  if (!minimise_ && !solved->converged && solved->iterations == 0 && infeasible(solved->code) && other_start(v_))
    solved = &solve();
  const SolveResult& result = *solved;
  if (!result.converged) return failed_solve(model, result, t0_, h_, point_.empty() ? q0_ : ConstVector(point_));
  StepReport report;
  report.iterations = result.iterations;
  report.residual = result.residual;
  report.residual_scale = result.scale;
  step_velocity_ = v_;
  step_length_ = h_;
  // The last residual left the sums of L_q over the points before the end; the end point is added here.
  for (std::size_t i = 0; i < v_.size(); ++i) q1_[i] = q0_[i] + h_ * v_[i];
  if (model.separable() && rule_.c.back() == 1) {
    model.gradient(t0_ + h_, q1_, end_gradient_);
    ++books.counters.evaluations;
    for (std::size_t i = 0; i < v_.size(); ++i) sum_by_q_[i] -= rule_.w.back() * end_gradient_[i];
  }
  for (std::size_t i = 0; i < v_.size(); ++i) p1_[i] = p0_[i] + h_ * sum_by_q_[i];
  return report;
}

void StraightLineStepper::finish_explicit(const Model& model, State& state, Books books) {
  end_gradient_known_ = false;
  if (fused_) end_gradient_.swap(start_gradient_);  // g0 is kept for the momentum
  if (rule_.c.back() == 1) {
    model.gradient(t0_ + h_, q1_, end_gradient_);
    ++books.counters.evaluations;
    end_gradient_known_ = start_gradient_needed_;
    if (!fused_)
      for (std::size_t i = 0; i < state.q.size(); ++i) p1_[i] -= h_ * rule_.w.back() * end_gradient_[i];
  }
}

void StraightLineStepper::visit_memory(MemoryVisitor& visitor) {
  visitor.visit("step_velocity", step_velocity_);
  visitor.visit("step_length", step_length_);
}

namespace {

// The mass of coordinate i, from memory or for all the same.
struct MassAt {
  const double* diagonal;
  double operator()(std::size_t i) const { return diagonal[i]; }
};
struct UniformMass {
  double value;
  double operator()(std::size_t) const { return value; }
};

template <class Body>
auto with_mass(const Model& model, const Body& body) {
  if (const auto mass = model.uniform_mass()) return body(UniformMass{*mass});
  return body(MassAt{model.parts().mass.diagonal.data()});
}

}  // namespace

// q1 = q0 + h M^-1 (p0 - kick g0), without storing the momentum in between.
void StraightLineStepper::fused_drift(const Model& model, double kick) {
  opening_kick_ = kick;
  if (drifted_) {  // the step before has made it
    drifted_ = false;
    q1_.swap(q_ahead_);
    return;
  }
  with_mass(model, [&](auto mass) {
    const double *p0 = p0_.data(), *q0 = q0_.data(), *g0 = kick != 0 ? end_gradient_.data() : p0_.data();
    double* q1 = q1_.data();
    const double h = h_;
    for_chunks(q1_.size(), [=](std::size_t a, std::size_t b) {
      for (std::size_t i = a; i < b; ++i) q1[i] = q0[i] + h * ((p0[i] - kick * g0[i]) / mass(i));
    });
  });
}

// p1 = (p0 - opening kick g0) - closing kick g1 in the place of g0, which is not needed any more; v = M^-1 p1 if it is
// seen; and the drift of the next step if there is one. False if something is not finite: p0 and q0 are then untouched.
bool StraightLineStepper::fused_kick(const Model& model, Books books) {
  const bool closing = rule_.c.back() == 1;
  drifted_ = books.ahead && (!start_gradient_needed_ || closing);
  if (drifted_) q_ahead_.resize(v_.size());
  v_written_ = books.seen || !drifted_;
  const bool finite = with_mass(model, [&](auto mass) {
    const double *p0 = p0_.data(), *q1 = q1_.data(), *g1 = closing ? end_gradient_.data() : q1_.data();
    const double* g0 = opening_kick_ != 0 ? start_gradient_.data() : q1_.data();
    double *p1 = start_gradient_.data(), *v = v_written_ ? v_.data() : nullptr,
           *q2 = drifted_ ? q_ahead_.data() : nullptr;
    const double open = opening_kick_, close = closing ? h_ * rule_.w.back() : 0, h = h_;
    return sum_chunks(v_.size(), [=](std::size_t a, std::size_t b) {
             double check = 0;
             if (v == nullptr) {
               for (std::size_t i = a; i < b; ++i) {
                 const double p = (p0[i] - open * g0[i]) - close * g1[i];
                 p1[i] = p;
                 q2[i] = q1[i] + h * ((p - open * g1[i]) / mass(i));
                 check += zero_if_finite(p + q2[i]);
               }
               return check;
             }
             for (std::size_t i = a; i < b; ++i) {
               const double p = (p0[i] - open * g0[i]) - close * g1[i];
               p1[i] = p;
               v[i] = p / mass(i);
               check += zero_if_finite(v[i] + q1[i]);
             }
             for (std::size_t i = a; i < b && q2 != nullptr; ++i)
               q2[i] = q1[i] + h * ((p1[i] - open * g1[i]) / mass(i));
             return check;
           }) == 0;
  });
  drifted_ = drifted_ && finite;
  return finite;
}

// F- and F+ of every force, at the velocity of the step; energy is booked at the instant each acts.
void StraightLineStepper::apply_forces(const Model& model, const State& state, Books books) {
  const auto& forces = model.parts().forces;
  const std::size_t n = v_.size();
  std::vector<double>& v_running = work_;
  std::vector<double>& v_next = start_gradient_;
  const auto act = [&](std::size_t k, double t, ConstVector q_force, ConstVector q_at, double scale,
                       std::vector<double>& p) {
    std::fill(impulse_.begin(), impulse_.end(), 0.0);
    model.add_force(k, t, q_force, v_, scale, impulse_);
    for (std::size_t i = 0; i < n; ++i) p[i] += impulse_[i];
    v_next = v_running;
    legendre_.velocity(model, t, q_at, p, v_next);
    book_force(model, k, q_at, impulse_, v_running, v_next, books.ledger);
    std::swap(v_running, v_next);
  };
  // At q0 the running momentum starts from p0; at q1 from p1 without F+. p1 takes up both.
  std::vector<double>& p_at_start = momentum_;
  std::copy(p0_.begin(), p0_.end(), p_at_start.begin());
  v_running.assign(state.v.begin(), state.v.end());
  for (std::size_t k = 0; k < forces.size(); ++k) {
    if (placements_[k] == Placement::symmetric) act(k, t0_, q0_, q0_, 0.5 * h_, p_at_start);
    if (placements_[k] == Placement::published) act(k, t0_, q1_, q0_, h_, p_at_start);
  }
  for (std::size_t i = 0; i < n; ++i) p1_[i] += p_at_start[i] - p0_[i];
  v_running = v_;
  legendre_.velocity(model, t0_ + h_, q1_, p1_, v_running);
  for (std::size_t k = 0; k < forces.size(); ++k) {
    if (placements_[k] == Placement::symmetric) act(k, t0_ + h_, q1_, q1_, 0.5 * h_, p1_);
    if (placements_[k] == Placement::lagged) act(k, t0_ + h_, q1_, q1_, h_, p1_);
  }
}

// Impulses of terms that are not invariant under rigid motions: (1 - c) of each acts at q0, c at q1.
void StraightLineStepper::book_external(const Model& model, ConstVector q0, Ledger& ledger) {
  for (std::size_t i = 0; i < rule_.w.size(); ++i) {
    const double c = rule_.c[i];
    std::vector<double>& point = impulse_;
    for (std::size_t k = 0; k < point.size(); ++k) point[k] = q0[k] + c * h_ * v_[k];
    if (c == 1) std::copy(q1_.begin(), q1_.end(), point.begin());
    model.external_gradient(t0_ + c * h_, point, work_);
    for (double& g : work_) g *= -h_ * rule_.w[i];
    // An impulse I shared as (1 - c) at q0 and c at q1 has the moment of I at the point itself.
    const Placed at = model.placed(t0_ + c * h_, point);
    book_impulse(model, at, work_, ledger);
  }
}

// Work that enters because W or L depends on time: h sum_i w_i (-dL/dt).
void StraightLineStepper::book_time(const Model& model, Ledger& ledger) {
  for (std::size_t i = 0; i < rule_.w.size(); ++i) {
    const double c = rule_.c[i];
    for (std::size_t k = 0; k < v_.size() && !point_.empty(); ++k) point_[k] = q0_[k] + c * h_ * v_[k];
    const ConstVector at = c == 0 ? q0_ : c == 1 ? ConstVector(q1_) : ConstVector(point_);
    ledger.time_work += h_ * rule_.w[i] * model.time_power(t0_ + c * h_, at, v_);
  }
}

void StraightLineStepper::finish(const Model& model, State& state, Books books, StepReport& report) {
  if (explicit_) finish_explicit(model, state, books);
  if (fused_ && model.has_external_terms())  // the booking needs the velocity of the step
    for (std::size_t i = 0; i < v_.size(); ++i) v_[i] = (q1_[i] - q0_[i]) / h_;
  if (model.has_external_terms() && model.dimension() > 0) book_external(model, q0_, books.ledger);
  if (model.has_external_terms() || !model.separable()) book_time(model, books.ledger);
  if (!model.parts().forces.empty()) apply_forces(model, state, books);

  // v = dH/dp at the end.
  bool finite = fused_ ? fused_kick(model, books) : legendre_.velocity(model, t0_ + h_, q1_, p1_, v_);
  if (!fused_) finite = finite && all_finite(v_) && all_finite(q1_);
  if (!finite) {
    end_gradient_known_ = false;
    report = failed_not_finite(model, t0_, h_);
    return;
  }
  report.h = h_;
  state.q.swap(q1_);
  state.p.swap(fused_ ? start_gradient_ : p1_);
  if (v_written_ || !fused_) state.v.swap(v_);
}

// -D3 Ld = sum_i w_i [ L_v.v - L ](i), with the velocity of the step; q1_ holds the q0 of the last step.
std::optional<double> StraightLineStepper::discrete_energy(const Model& model, const State& state) {
  if (h_ == 0) return std::nullopt;
  const std::size_t n = state.q.size();
  std::vector<double> v(n), point(n), by_q(n), by_v(n);
  for (std::size_t k = 0; k < n; ++k) v[k] = (state.q[k] - q1_[k]) / h_;
  double sum = 0;
  for (std::size_t i = 0; i < rule_.w.size(); ++i) {
    const double c = rule_.c[i];
    for (std::size_t k = 0; k < n; ++k) point[k] = q1_[k] + c * h_ * v[k];
    double e = -model.lagrangian(t0_ + c * h_, point, v, by_q, by_v);
    for (std::size_t k = 0; k < n; ++k) e += by_v[k] * v[k];
    sum += rule_.w[i] * e;
  }
  return sum;
}

// Truncations of the modified energy; a = v'W''v, b = dW'M^-1 dW, s = v.dW [HLW IX.3]:
// Verlet H + h^2 (a/12 - b/24), symplectic Euler A and B H +- h/2 s + h^2/12 (a + b), midpoint H - h^2/24 (a + b).
std::optional<double> StraightLineStepper::modified_energy(const Model& model, const State& state, double h) {
  if (!model.separable() || !model.parts().forces.empty()) return std::nullopt;
  const double mean = rule_.mean();
  const bool verlet = rule_.w.size() == 2 && mean == 0.5;
  const bool one_point = rule_.w.size() == 1 && (mean == 0 || mean == 1 || mean == 0.5);
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

// The potential of F- enters the incremental potential: -F-.v / 2 for F- = -C v, -F-.v for a force that does not depend
// on v.
void StraightLineStepper::start_impulse(const Model& model, ConstVector v, Vector impulse, double* potential) const {
  const auto& forces = model.parts().forces;
  std::fill(impulse.begin(), impulse.end(), 0.0);
  double before = 0;
  for (std::size_t k = 0; k < forces.size(); ++k) {
    if (placements_[k] == Placement::symmetric) model.add_force(k, t0_, q0_, v, 0.5 * h_, impulse);
    if (placements_[k] == Placement::published) model.add_force(k, t0_, q1_, v, h_, impulse);
    if (potential == nullptr || placements_[k] != Placement::symmetric) continue;
    double power = 0;
    for (std::size_t i = 0; i < v.size(); ++i) power += impulse[i] * v[i];
    *potential -= (forces[k]->depends_on_velocity() ? 0.5 : 1) * (power - before);
    before = power;
  }
}

bool StraightLineStepper::residual(ConstVector v, Vector r, double& scale) { return evaluate(v, r, scale, nullptr); }

bool StraightLineStepper::evaluate(ConstVector v, Vector r, double& scale, double& objective) {
  return evaluate(v, r, scale, &objective) && std::isfinite(objective);
}

// The objective is the incremental potential over h; it comes with the gradient, so that a trial step of the line
// search is one pass.
bool StraightLineStepper::evaluate(ConstVector v, Vector r, double& scale, double* objective) {
  const Model& model = *model_;
  double lilyan = 0;
  const std::size_t n = v.size();
  std::fill(sum_by_q_.begin(), sum_by_q_.end(), 0.0);
  std::fill(kick_.begin(), kick_.end(), 0.0);
  std::fill(r.begin(), r.end(), 0.0);
  for (std::size_t k = 0; k < n; ++k) q1_[k] = q0_[k] + h_ * v[k];
  if (model.separable()) model.multiply_mass(v, r);
  if (objective != nullptr)
    for (std::size_t k = 0; k < n; ++k) lilyan += (0.5 * r[k] - p0_[k]) * v[k];
  for (std::size_t i = 0; i < rule_.w.size(); ++i) {
    const double c = rule_.c[i], w = rule_.w[i];
    if (model.separable()) {
      if (c == 1) continue;  // its factor 1 - c vanishes; p1 gets it afterwards
      if (c > 0) {
        for (std::size_t k = 0; k < n; ++k) point_[k] = q0_[k] + c * h_ * v[k];
        if (objective != nullptr)
          lilyan += w * (1 - c) / c * model.gradient_and_potential(t0_ + c * h_, point_, by_q_);
        else
          model.gradient(t0_ + c * h_, point_, by_q_);
      } else if (objective != nullptr) {
        for (std::size_t k = 0; k < n; ++k) lilyan += h_ * w * start_gradient_[k] * v[k];
      }
      const std::vector<double>& g = c > 0 ? by_q_ : start_gradient_;
      for (std::size_t k = 0; k < n; ++k) {
        sum_by_q_[k] -= w * g[k];
        kick_[k] -= h_ * w * (1 - c) * g[k];
      }
    } else {
      for (std::size_t k = 0; k < n; ++k) point_[k] = q0_[k] + c * h_ * v[k];
      model.lagrangian(t0_ + c * h_, point_, v, by_q_, by_v_);
      for (std::size_t k = 0; k < n; ++k) {
        sum_by_q_[k] += w * by_q_[k];
        kick_[k] += h_ * w * (1 - c) * by_q_[k];
        r[k] += w * by_v_[k];
      }
    }
  }
  if (!model.parts().forces.empty()) start_impulse(model, v, impulse_, objective != nullptr ? &lilyan : nullptr);
  if (objective != nullptr) *objective = lilyan;
  scale = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const double force = impulse_.empty() || model.parts().forces.empty() ? 0 : impulse_[k];
    scale = std::max(scale, std::abs(r[k]) + std::abs(kick_[k]) + std::abs(p0_[k]) + std::abs(force));
    r[k] -= kick_[k] + p0_[k] + force;
  }
  return std::isfinite(scale);
}

void StraightLineStepper::jacobian(ConstVector v, Vector values) { add_jacobian(v, values, false); }

bool StraightLineStepper::convex_jacobian(ConstVector v, Vector values) {
  add_jacobian(v, values, true);
  return true;
}

void StraightLineStepper::add_jacobian(ConstVector v, Vector values, bool convex) {
  const Model& model = *model_;
  const Linearisation& lin = linearisation(model);
  if (model.separable()) lin.add_mass(model, 1, values);
  for (std::size_t i = 0; i < rule_.w.size(); ++i) {
    const double c = rule_.c[i], w = rule_.w[i], t = t0_ + c * h_;
    if (model.separable() && (c == 0 || c == 1)) continue;
    for (std::size_t k = 0; k < v.size(); ++k) point_[k] = q0_[k] + c * h_ * v[k];
    if (model.separable())
      lin.add_potential(model, t, point_, h_ * h_ * w * c * (1 - c), values, convex);
    else
      lin.add_lagrangian(model, t, point_, v, {-h_ * h_ * w * c * (1 - c), -h_ * w * (1 - c), w * c * h_, w}, values);
  }
  const auto& forces = model.parts().forces;
  for (std::size_t k = 0; k < forces.size(); ++k) {
    if (placements_[k] == Placement::symmetric) lin.add_force(model, k, t0_, q0_, v, 0, -0.5 * h_, values);
    if (placements_[k] == Placement::published) {
      for (std::size_t i = 0; i < v.size(); ++i) q1_[i] = q0_[i] + h_ * v[i];
      lin.add_force(model, k, t0_, q1_, v, -h_ * h_, -h_, values);
    }
  }
}

void StraightLineStepper::add_metric(double scale, Vector values) {
  linearisation(*model_).add_mass(*model_, scale, values);
}

StepReport SecondOrderStart::step(const Model& model, State& state, double h, Books books) {
  const std::size_t n = state.q.size();
  gradient_.resize(n);
  if (state.q != seen_q_ || state.p != seen_p_) {
    model.gradient(state.t, state.q, gradient_);
    staggered_p_.resize(n);
    for (std::size_t i = 0; i < n; ++i) staggered_p_[i] = state.p[i] + h * shift_ * gradient_[i];
  }
  seen_p_ = state.p;
  state.p.swap(staggered_p_);
  model.divide_mass(state.p, state.v);
  const StepReport report = inner_->step(model, state, h, {books.ledger, books.counters});
  state.p.swap(staggered_p_);
  if (report.converged) {
    model.gradient(state.t + h, state.q, gradient_);
    for (std::size_t i = 0; i < n; ++i) state.p[i] = staggered_p_[i] - h * shift_ * gradient_[i];
    seen_q_ = state.q;
    seen_p_ = state.p;
  } else {
    state.p = seen_p_;
  }
  model.divide_mass(state.p, state.v);
  return report;
}

void SecondOrderStart::visit_memory(MemoryVisitor& visitor) {
  visitor.visit("staggered_p", staggered_p_);
  visitor.visit("seen_q", seen_q_);
  visitor.visit("seen_p", seen_p_);
  inner_->visit_memory(visitor);
}

}  // namespace livens
