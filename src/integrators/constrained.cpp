#include "integrators/constrained.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "integrators/advice.hpp"
#include "integrators/polynomial_action.hpp"
#include "integrators/solve_path.hpp"
#include "integrators/solve_report.hpp"
#include "math/finite.hpp"
#include "math/scratch.hpp"
#include "model/constraint_size.hpp"
#include "model/linearisation.hpp"
#include "model/projection.hpp"

namespace livens {
namespace {

class ConstrainedStepper final : public Stepper, private SaddleProblem {
 public:
  ConstrainedStepper(std::vector<double> nodes, Quadrature rule, bool project, const SolverOptions& options,
                     const Model& model)
      : s_(nodes.size() - 1),
        n_(model.size()),
        m_(model.constraint_count()),
        action_(std::move(nodes), std::move(rule), model),
        system_(model, static_cast<int>(s_)),
        solver_(system_.pattern(), system_.unknowns()),
        options_(options),
        projection_(model),
        size_(model),
        augmentation_(model, static_cast<int>(s_), options.tolerance),
        project_(project) {
    x_.resize((n_ + m_) * s_);
    for (auto* vector : {&p1_, &q1_, &v1_, &point_, &force_}) vector->resize(n_);
    for (auto* vector : {&g_, &multipliers_, &last_impulse_}) vector->resize(m_);
    curvature_.resize(linearisation(model).pattern().nonzeros());
    lambda_.resize(m_);
  }

  StepReport step(const Model& model, State& state, double h, StepContext context) override {
    model_ = &model;
    t0_ = state.t;
    h_ = h;
    q0_ = state.q;
    action_.begin(model, state.t, h, state.q, state.p);
    std::fill(x_.begin(), x_.end(), 0.0);
    action_.guess(state.v, Vector(x_).subspan(0, n_ * s_));
    size_.begin(model, system_, state.t, state.q, state.v);
    augmentation_.begin(h, ConstVector(x_).subspan(n_ * s_));
    const SolveResult* result = nullptr;
    int iterations = 0;
    do {
      result = &solver_.solve(*this, x_, options_);
      book_solve(*result, context.counters);
      iterations += result->iterations;
      if (!result->converged) return failed(model, state, *result);
    } while (augmentation_.again(ConstVector(x_).subspan(n_ * s_), off_));
    if (!augmentation_.converged()) return augmentation_.failed(t0_, h);
    finish_positions(model, state);
    v1_ = state.v;
    if (project_) {
      const SolveResult& projected = projection_.velocities(model, t0_ + h, q1_, p1_, v1_, last_impulse_);
      book_solve(projected, context.counters);
      if (!projected.converged) return failed(model, state, projected);
    } else {
      model.velocity(t0_ + h, q1_, p1_, v1_);
    }
    StepReport report;
    report.h = h;
    report.iterations = iterations;
    for (const double v : v1_)
      if (!std::isfinite(v)) return failed_not_finite(t0_, h);
    book(model, state, context.ledger);
    state.q.swap(q1_);
    state.p.swap(p1_);
    state.v.swap(v1_);
    for (std::size_t k = 0; k < m_; ++k) lambda_[k] += project_ ? last_impulse_[k] / h : 0;
    state.lambda = lambda_;
    return report;
  }

  SolvePath solve_path() const override { return constrained_path(options_); }
  std::optional<double> discrete_energy(const Model& model, const State&) override {
    if (h_ == 0) return std::nullopt;
    return action_.discrete_energy(model, q1_, ConstVector(x_).subspan(0, n_ * s_));
  }
  std::vector<std::pair<std::string, long>> events() const override {
    if (!augmentation_.any()) return {};
    return {{"rounds of augmented Lagrangians", augmentation_.rounds()}};
  }
  void visit_memory(MemoryVisitor& visitor) override { augmentation_.visit_memory(visitor); }

 private:
  StepReport failed(const Model& model, const State& state, const SolveResult& result) const {
    SolveResult base = result;
    base.worst_coordinate = result.worst_coordinate / static_cast<int>(s_);
    return failed_solve(model, base, state.t, h_, state.q);
  }

  ConstVector multipliers_of(ConstVector x, std::size_t stage) {
    for (std::size_t k = 0; k < m_; ++k) multipliers_[k] = x[(n_ + k) * s_ + stage];
    return multipliers_;
  }
  double time_of(std::size_t stage) const { return t0_ + action_.nodes()[stage] * h_; }
  // Q_j
  ConstVector control_point(ConstVector x, std::size_t stage) {
    if (stage == 0) return q0_;
    action_.control_point(stage, x.subspan(0, n_ * s_), point_);
    return point_;
  }

  bool residual(ConstVector x, Vector r, double& scale, double& violation) override {
    if (!action_.residual(x.subspan(0, n_ * s_), r.subspan(0, n_ * s_), scale)) return false;
    double travel = 0;
    for (std::size_t i = 0; i < n_ * s_; ++i) travel = std::max(travel, std::abs(x[i]));
    for (std::size_t j = 0; j < s_; ++j) {
      std::fill(force_.begin(), force_.end(), 0.0);
      model_->add_constraint_force(time_of(j), control_point(x, j), multipliers_of(x, j), 1, force_);
      travel = std::max(travel, size_.travel(h_, force_));
      for (std::size_t k = 0; k < n_; ++k) {
        r[k * s_ + j] -= force_[k];
        scale = std::max(scale, std::abs(force_[k]));
      }
    }
    violation = off_ = 0;
    for (std::size_t j = 0; j < s_; ++j) violation = std::max(violation, hold(x, j, travel, r.subspan(n_ * s_)));
    return std::isfinite(scale) && std::isfinite(violation);
  }

  // The constraints at Q_j+1; returns the largest one over its size.
  double hold(ConstVector x, std::size_t j, double travel, Vector r) {
    const ConstVector q = control_point(x, j + 1);
    const double t = time_of(j + 1);
    model_->constraint_values(t, q, g_);
    off_ = std::max(off_, size_.violation(*model_, t, q, g_, travel));
    for (std::size_t k = 0; k < m_; ++k) r[k * s_ + j] = g_[k];
    if (!augmentation_.any()) return off_;
    augmentation_.correct(x.subspan(n_ * s_), s_, j, r);
    for (std::size_t k = 0; k < m_; ++k) g_[k] = r[k * s_ + j];
    return size_.violation(*model_, t, q, g_, travel);
  }

  void jacobian(ConstVector x, Vector values) override {
    action_.jacobian(x.subspan(0, n_ * s_), system_.pattern(), values);
    for (std::size_t j = 0; j < s_; ++j) {
      const int stage = static_cast<int>(j);
      const ConstVector at = control_point(x, j);
      system_.add_columns(*model_, time_of(j), at, stage, -1, values);
      if (j > 0) add_curvature(x, at, j, values);
      system_.add_rows(*model_, time_of(j + 1), control_point(x, j + 1), stage, 1, values);
    }
    if (augmentation_.any())
      for (std::size_t k = 0; k < m_ * s_; ++k)
        system_.add_diagonal(static_cast<int>(k / s_), static_cast<int>(k % s_), augmentation_.diagonal(k), values);
  }

  // Equation j has -G(Q_j)'L_j, and Q_j is unknown j - 1.
  void add_curvature(ConstVector x, ConstVector at, std::size_t j, Vector values) {
    const SparsePattern& base = linearisation(*model_).pattern();
    std::fill(curvature_.begin(), curvature_.end(), 0.0);
    linearisation(*model_).add_curvature(*model_, time_of(j), at, multipliers_of(x, j), -1, curvature_);
    for (std::size_t c = 0; c < n_; ++c) {
      const auto start = static_cast<std::size_t>(system_.pattern().column_start[c * s_ + j - 1]);
      const auto first = static_cast<std::size_t>(base.column_start[c]),
                 last = static_cast<std::size_t>(base.column_start[c + 1]);
      for (std::size_t e = first; e < last; ++e) values[start + (e - first) * s_ + j] += curvature_[e];
    }
  }

  // q1, and p1 before its projection.
  void finish_positions(const Model& model, const State& state) {
    for (std::size_t k = 0; k < n_; ++k) p1_[k] = state.p[k] + action_.impulse()[k];
    std::fill(lambda_.begin(), lambda_.end(), 0.0);
    for (std::size_t j = 0; j < s_; ++j) {
      const ConstVector q = control_point(x_, j), impulse = multipliers_of(x_, j);
      model.add_constraint_force(time_of(j), q, impulse, -1, p1_);
      for (std::size_t k = 0; k < m_; ++k) lambda_[k] += impulse[k] / h_;
    }
    action_.control_point(s_, ConstVector(x_).subspan(0, n_ * s_), q1_);
  }

  // The velocity of p at q that keeps the constraints, near v; of SHAKE, whose momenta do not keep them, that of p.
  void find_velocity(const Model& model, double t, ConstVector q, Vector p, Vector v) {
    if (project_)
      projection_.velocities(model, t, q, p, v);
    else
      model.velocity(t, q, p, v);
  }

  // Forces take what they do at the instants at which they act: F_0 at q0 while the velocity goes from that of p0 to
  // that of p0 + F_0, F_1 at q1.
  void book_forces(const Model& model, const State& state, Ledger& ledger) {
    const std::size_t count = model.parts().forces.size();
    start_impulse_.resize(count * n_);
    end_impulse_.resize(count * n_);
    const auto at_start = [&](std::size_t k) { return Vector(start_impulse_).subspan(k * n_, n_); };
    const auto at_end = [&](std::size_t k) { return Vector(end_impulse_).subspan(k * n_, n_); };
    std::vector<double> p0 = state.p, v0 = state.v, p1 = p1_, v1 = v1_;
    for (std::size_t k = 0; k < count; ++k) {
      action_.end_impulses(ConstVector(x_).subspan(0, n_ * s_), k, at_start(k), at_end(k));
      for (std::size_t i = 0; i < n_; ++i) {
        p0[i] += at_start(k)[i];
        p1[i] -= at_end(k)[i];
      }
    }
    find_velocity(model, t0_, q0_, p0, v0);
    find_velocity(model, t0_ + h_, q1_, p1, v1);
    const Placed start = model.placed(t0_, q0_), end = model.placed(t0_ + h_, q1_);
    for (std::size_t k = 0; k < count; ++k) {
      book_force(model, k, start, at_start(k), state.v, v0, ledger);
      book_force(model, k, end, at_end(k), v1, v1_, ledger);
    }
  }

  void book(const Model& model, const State& state, Ledger& ledger) {
    const bool at_ends = s_ == 1;
    if (at_ends && !model.parts().forces.empty()) book_forces(model, state, ledger);
    for (std::size_t j = 0; j < s_; ++j) {
      const ConstVector q = control_point(x_, j);
      book_reactions(model, time_of(j), q, multipliers_of(x_, j), ledger);
    }
    if (project_) book_reactions(model, t0_ + h_, q1_, last_impulse_, ledger);
    action_.book(ConstVector(x_).subspan(0, n_ * s_), !at_ends, ledger);
  }

  std::size_t s_, n_, m_;
  PolynomialAction action_;
  SaddleSystem system_;
  SaddleSolver solver_;
  SolverOptions options_;
  Projection projection_;
  ConstraintSize size_;
  Augmentation augmentation_;
  bool project_;
  std::vector<double> x_, p1_, q1_, v1_, point_, force_, g_, multipliers_, last_impulse_, lambda_, curvature_,
      start_impulse_, end_impulse_;  // of each force
  double off_ = 0;                   // largest constraint over its size, of the last residual
  const Model* model_ = nullptr;
  double t0_ = 0, h_ = 0;
  ConstVector q0_;
};

}  // namespace

std::unique_ptr<Stepper> make_constrained(std::vector<double> nodes, Quadrature rule, bool project,
                                          const SolverOptions& solver, const Model& model) {
  return std::make_unique<ConstrainedStepper>(std::move(nodes), std::move(rule), project, solver, model);
}

SolvePath constrained_path(const SolverOptions& solver) {
  return root_path(solver, "multipliers hold the constraints, motion and multipliers are solved for together");
}

// Constraints between bodies keep momenta: a support takes the opposite of what they do to its coordinates.
void add_outer_impulse(const Model& model, double t, ConstVector q, ConstVector lambda, double scale, Vector impulse) {
  ScratchVector inner(q.size(), 0.0);
  std::size_t first = 0;
  for (const auto& constraint : model.parts().constraints) {
    const auto count = static_cast<std::size_t>(constraint->count());
    const Invariance keeps = constraint->invariance();
    const bool outer = !keeps.translations || !keeps.rotations;
    constraint->add_force(t, q, lambda.subspan(first, count), outer ? -scale : scale, outer ? impulse : inner);
    first += count;
  }
  for (std::size_t i = 0; i < impulse.size(); ++i)
    if (model.supported(static_cast<int>(i))) impulse[i] = inner[i];
}

bool has_outer_impulse(const Model& model) {
  const auto& constraints = model.parts().constraints;
  return model.supported_count() > 0 || std::any_of(constraints.begin(), constraints.end(), [](const auto& constraint) {
           const Invariance keeps = constraint->invariance();
           return !keeps.translations || !keeps.rotations;
         });
}

// The force -G'lambda has the power -lambda.Gv = lambda.dg/dt, v being the velocity of the constraint.
void book_reactions(const Model& model, double t, ConstVector q, ConstVector lambda, Ledger& ledger) {
  ScratchVector impulse, rest, rate;
  const Placed at = model.placed(t, q);
  if (model.dimension() > 0 && has_outer_impulse(model)) {
    impulse.assign(q.size(), 0.0);
    add_outer_impulse(model, t, at, lambda, 1, impulse);
    book_impulse(model, at, impulse, ledger);
  }
  std::size_t first = 0;
  for (const auto& constraint : model.parts().constraints) {
    const auto count = static_cast<std::size_t>(constraint->count());
    if (constraint->depends_on_time()) {
      rest.assign(q.size(), 0.0);
      rate.resize(2 * count);
      constraint->rates(t, at, rest, Vector(rate).subspan(0, count), Vector(rate).subspan(count));
      for (std::size_t k = 0; k < count; ++k) ledger.time_work += lambda[first + k] * rate[k];
    }
    first += count;
  }
}

Augmentation::Augmentation(const Model& model, int stages, double tolerance)
    : goal_(tolerance > 0 ? std::max(small_enough, tolerance) : rounding) {
  bool any = false;
  for (const auto& constraint : model.parts().constraints) {
    const bool augmented = constraint->enforcement.kind == Enforcement::Kind::augmented;
    if (augmented && !any) {
      name_ = constraint->name();
      given_ = constraint->enforcement.stiffness;
    }
    any = any || augmented;
    stiffness_.insert(stiffness_.end(), constraint->count() * stages,
                      augmented ? constraint->enforcement.stiffness : 0.0);
  }
  if (!any) stiffness_.clear();
  compliance_ = before_ = stiffness_;
}

void Augmentation::begin(double h, ConstVector multipliers) {
  round_ = idle_ = 0;
  off_ = best_ = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < stiffness_.size(); ++k) {
    compliance_[k] = stiffness_[k] > 0 ? 1 / (stiffness_[k] * h) : 0;
    before_[k] = multipliers[k];
  }
}

void Augmentation::correct(ConstVector multipliers, std::size_t stages, std::size_t stage, Vector g) const {
  for (std::size_t k = stage; k < compliance_.size(); k += stages)
    g[k] -= compliance_[k] * (multipliers[k] - before_[k]);
}

bool Augmentation::again(ConstVector multipliers, double off) {
  if (!any()) return false;
  ++rounds_;
  for (std::size_t k = 0; k < before_.size(); ++k) before_[k] = multipliers[k];
  converged_ = off <= std::max(small_enough, goal_);
  // A round leaves 1 / (1 + k h^2 G M^-1 G') of the violation: where that is too much, k was small.
  if (off > enough_progress * off_)
    for (double& compliance : compliance_) compliance /= stiffening;
  idle_ = off > 0.5 * best_ ? idle_ + 1 : 0;
  best_ = std::min(best_, off);
  off_ = off;
  return ++round_ < most_rounds && off > goal_ && (!converged_ || idle_ < patience);
}

StepReport Augmentation::failed(double t, double h) const {
  StepReport report;
  report.converged = false;
  report.code = FailureCode::no_convergence;
  report.h = h;
  char text[160];
  std::snprintf(
      text, sizeof text,
      "t = %.4g s: %d rounds of augmented Lagrangians leave the constraints violated by more than %g of their size", t,
      most_rounds, small_enough);
  report.message = text;
  report.advice = {{"constraint." + name_ + ".penalty_stiffness", short_text(1e4 * given_),
                    "a stiffer penalty leaves less of the violation in a round"}};
  return report;
}

}  // namespace livens
