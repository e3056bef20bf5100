// Static equilibrium in load steps: t is the load factor, from 0 to 1.
//
//   min_q  W(t, q) - (1 - s) g0.q,   s = (t - t_begin) / (1 - t_begin),   g0 = dW(t_begin, q_begin)
//
// The start is in equilibrium with s = 0, and s = 1 is the problem itself: loads that do not depend on t grow in steps,
// without the method having to know them; those that are written as functions of t follow that function.
#include <algorithm>
#include <cmath>

#include <livens/registry.hpp>
#include <livens/scene.hpp>
#include <livens/stepper.hpp>

#include "integrators/advice.hpp"
#include "integrators/constrained.hpp"
#include "integrators/end_contact.hpp"
#include "integrators/energy_momentum.hpp"
#include "integrators/solve_report.hpp"
#include "integrators/static_constrained.hpp"
#include "model/equilibrium.hpp"
#include "model/free_motions.hpp"
#include "model/linearisation.hpp"

namespace livens {
namespace {

// min 1/2 d'Kd + b.d, for a first guess.
class LinearProblem final : public MinimumProblem {
 public:
  LinearProblem(const SparsePattern& pattern, const std::vector<double>& K, const std::vector<double>& b)
      : pattern_(pattern), K_(K), b_(b) {}
  bool residual(ConstVector d, Vector r, double& scale) override {
    double value = 0;
    return evaluate(d, r, scale, value);
  }
  bool evaluate(ConstVector d, Vector r, double& scale, double& objective) override {
    pattern_.multiply(K_, d, r);
    scale = objective = 0;
    for (std::size_t i = 0; i < d.size(); ++i) {
      objective += (0.5 * r[i] + b_[i]) * d[i];
      scale = std::max(scale, std::abs(r[i]) + std::abs(b_[i]));
      r[i] += b_[i];
    }
    return std::isfinite(scale) && std::isfinite(objective);
  }
  void jacobian(ConstVector, Vector values) override { std::copy(K_.begin(), K_.end(), values.begin()); }
  void add_metric(double, Vector) override {}
  bool symmetric() const override { return true; }

 private:
  const SparsePattern& pattern_;
  const std::vector<double>&K_, &b_;
};

class StaticStepper final : public Stepper {
 public:
  StaticStepper(const SolverOptions& solver, const Model& model)
      : solver_(solver),
        problem_(linearisation(model)),
        newton_(linearisation(model).pattern(), Matrices::without_mass) {
    if (has_barrier(model)) contact_ = std::make_unique<ContactEquilibrium>(model);
    if (model.constraint_count() > 0) constrained_ = std::make_unique<ConstrainedEquilibrium>(model);
    if ((contact_ || constrained_) && solver_.linear == SolverOptions::Linear::automatic)
      solver_.linear = SolverOptions::Linear::direct;
  }

  StepReport step(const Model& model, State& state, double h, StepContext context) override {
    if (g0_.empty()) {
      t_begin_ = state.t;
      g0_.resize(state.q.size());
      model.gradient(state.t, state.q, g0_);
    }
    const double t = state.t + h;
    double rest = std::clamp((1 - t) / (1 - t_begin_), 0.0, 1.0);
    if (rest < 1e-12) rest = 0;
    correction_.resize(g0_.size());
    for (std::size_t i = 0; i < g0_.size(); ++i) correction_[i] = rest * g0_[i];
    problem_.set(model, t, correction_);
    q_ = state.q;
    lambda_ = state.lambda;
    lambda_.resize(model.constraint_count());
    if (model.has_moving_supports() && !constrained_) follow_supports(model, state.t, t);
    const SolveResult& result = solve(model, t, h);
    book_solve(result, context.counters);
    if (!result.converged) return failed_load_step(model, result, state.t, h);
    if (has_flown_away(model)) return flown_away(model, state, h);
    ++context.counters.evaluations;
    StepReport report;
    report.h = h;
    report.iterations = result.iterations;
    report.residual = result.residual;
    report.residual_scale = result.scale;
    state.q.swap(q_);
    state.lambda = lambda_;
    std::fill(state.v.begin(), state.v.end(), 0.0);
    std::fill(state.p.begin(), state.p.end(), 0.0);
    return report;
  }

  SolvePath solve_path() const override {
    if (constrained_) return constrained_path(solver_);
    if (contact_ && contact_->has_friction())
      return {SolvePath::Kind::root, "friction has no potential; iterates go where paths are free of collisions"};
    if (contact_) return {SolvePath::Kind::minimise, "the potential energy, along paths free of collisions"};
    return {SolvePath::Kind::minimise, "the potential energy"};
  }
  void visit_memory(MemoryVisitor& visitor) override {
    visitor.visit("start_gradient", g0_);
    visitor.visit("t_begin", t_begin_);
  }

 private:
  // Equilibria have load steps, and no minimum at all where something can move freely.
  StepReport failed_load_step(const Model& model, const SolveResult& result, double t, double h) const {
    StepReport report = failed_solve(model, result, t, h, q_);
    std::erase_if(report.advice, [](const Advice& advice) { return advice.key == "solver.kind"; });  // always minima
    for (Advice& advice : report.advice)
      if (advice.step_length)
        advice = {"integrator.load_steps", std::to_string(std::lround(4 / h)), "shorter steps of the load"};
    if (result.code == FailureCode::singular || result.code == FailureCode::indefinite)
      report.message += "; is something free to move? Constraints have to hold every body";
    return report;
  }

  const SolveResult& solve(const Model& model, double t, double dt) {
    if (contact_) return contact_->solve(model, t, dt, correction_, solver_, q_);
    if (constrained_) return constrained_->solve(model, t, correction_, solver_, q_, lambda_);
    return newton_.minimise(problem_, q_, solver_);
  }

  // The body follows its supports as a linear one would: K d = -K_s d_s, the right-hand side by a difference of the
  // gradient. Without it, elements at a support that moves by more than their size would be inverted at the start.
  void follow_supports(const Model& model, double t0, double t1) {
    const Linearisation& lin = linearisation(model);
    const std::size_t n = q_.size();
    std::vector<double> K(lin.pattern().nonzeros(), 0.0), b(n), g(n), d(n, 0.0);
    const double dt = t1 - t0, part = 1e-4;  // small enough for the linear range, large enough for rounding
    model.gradient(t0, q_, g);
    model.gradient(t0 + part * dt, q_, b);
    for (std::size_t i = 0; i < n; ++i) b[i] = (b[i] - g[i]) / part;
    lin.add_potential(model, t0, q_, 1, K, true);
    problem_.keep_supports(K);
    LinearProblem linear(lin.pattern(), K, b);
    if (!newton_.minimise(linear, d, solver_).converged) return;
    for (std::size_t i = 0; i < n; ++i) q_[i] += d[i];
  }

  // What a contact could have stopped and did not: a residual may be small beside the forces on the way.
  bool has_flown_away(const Model& model) const {
    constexpr double far = 1e4;  // sizes
    for (const Body& body : model.bodies()) {
      if (body.dimension == 0) continue;
      double size = 0, away = 0;
      for (int i = 0; i < body.size(); ++i) {
        size = std::max(size, std::abs(body.reference[i] - body.reference[i % body.dimension]));
        away = std::max(away, std::abs(q_[body.first + i] - body.reference[i]));
      }
      if (size > 0 && away > far * size) return true;
    }
    return false;
  }

  static StepReport flown_away(const Model& model, const State& state, double h) {
    StepReport report;
    report.converged = false;
    report.code = FailureCode::singular;
    report.h = h;
    report.message = "t = " + short_text(state.t) +
                     " s: there is no equilibrium nearby: the loads move a body by more than 10 000 times its size";
    const std::string free = free_motions(model, state.q, state.t, state.t).text();
    if (!free.empty()) report.message += ". Nothing holds " + free;
    return report;
  }

  SolverOptions solver_;
  EquilibriumProblem problem_;
  NewtonSolver newton_;
  std::unique_ptr<ConstrainedEquilibrium> constrained_;  // with constraints
  std::unique_ptr<ContactEquilibrium> contact_;          // with surfaces that are kept apart
  std::vector<double> g0_, correction_, q_, lambda_;
  double t_begin_ = 0;
};

}  // namespace

IntegratorRecord static_record() {
  IntegratorRecord record;
  record.name = "static";
  record.brief = "equilibrium in load steps: t runs from 0 to 1 and is the load factor; no motion";
  record.parameters = {
      positive(key("load_steps", ValueType::integer, "-", "10", "equal steps of the load factor up to t = 1"))};
  record.claims = [](const Settings&, const ModelClass& model) {
    Claims claims;
    claims.order = 0;
    claims.linear_momentum = Keeps::no;
    claims.note = model.barrier_losses ? "equilibria, not a motion; with friction they depend on the path of the loads"
                                       : "equilibria, not a motion";
    return claims;
  };
  record.refusal = [](const Settings&, const Model& model) {
    if (!model.separable()) return std::string("equilibria are minima of W(q), and this Lagrangian has no such W");
    for (const auto& force : model.parts().forces)
      if (force->friction_of() == nullptr && force->restitution_of() == nullptr)
        return "'" + force->name() + "' is not conservative and acts only on motion; disable it with enabled = false";
    return std::string();
  };
  record.holds_constraints = true;
  record.keeps_apart = true;
  record.law_variants = {};
  record.make = [](const Settings& settings, const SolverOptions& solver,
                   const Model& model) -> std::unique_ptr<Integrator> {
    return make_integrator(std::make_unique<StaticStepper>(solver, model),
                           1.0 / static_cast<double>(settings.integer("load_steps")), solver, model);
  };
  return record;
}

}  // namespace livens
