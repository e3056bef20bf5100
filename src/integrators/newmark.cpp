// Newmark's method [L04 (19)]:
//   q1 = q0 + h v0 + h^2/2 [ (1 - 2 beta) a0 + 2 beta a1 ],  v1 = v0 + h [ (1 - gamma) a0 + gamma a1 ],
//   M a = -dW(q) + f(q, v);  unknown a1.
// beta = 0, gamma = 1/2 is velocity Verlet. gamma = 1/2, beta > 0: in x = q + beta h^2 M^-1 dW(q) it is Verlet for a
// modified potential, hence symplectic in those variables and not canonically.
#include <algorithm>
#include <cmath>

#include <livens/registry.hpp>
#include <livens/scene.hpp>
#include <livens/stepper.hpp>

#include "integrators/carried_momentum.hpp"
#include "integrators/end_contact.hpp"
#include "integrators/energy_momentum.hpp"
#include "integrators/index_three.hpp"
#include "integrators/solve_path.hpp"
#include "integrators/solve_report.hpp"
#include "model/linearisation.hpp"

namespace livens {
namespace {

class NewmarkStepper final : public Stepper, private MinimumProblem {
 public:
  NewmarkStepper(double beta, double gamma, const SolverOptions& solver, const Model& model)
      : beta_(beta), gamma_(gamma), solver_(solver), carried_(model) {
    const auto& forces = model.parts().forces;
    const auto n = static_cast<std::size_t>(model.size());
    for (auto* vector : {&a0_, &a1_, &q1_, &v1_, &p1_, &q_free_, &v_free_, &g_, &f_, &impulse_, &drag_})
      vector->resize(n);
    bool velocity_free = true, only_drag = model.diagonal_mass();
    for (const auto& force : forces) {
      velocity_free = velocity_free && !force->depends_on_velocity();
      only_drag = only_drag && (!force->depends_on_velocity() || force->add_constant_drag(drag_));
    }
    std::fill(drag_.begin(), drag_.end(), 0.0);
    if (beta > 0 || !(velocity_free || only_drag)) path_ = path_without_forces(solver, model);
    if (!is_explicit()) newton_ = std::make_unique<NewtonSolver>(linearisation(model).pattern());
  }

  SolvePath solve_path() const override { return path_; }
  StepReport step(const Model& model, State& state, double h, StepContext context) override {
    model_ = &model;
    t1_ = state.t + h;
    h_ = h;
    q0_ = state.q;
    const std::size_t n = state.q.size();
    constant_drag(model, drag_);
    acceleration(state.t, state.q, state.v, a0_);
    ++context.counters.evaluations;
    for (std::size_t i = 0; i < n; ++i) {
      q_free_[i] = state.q[i] + h * state.v[i] + h * h * (0.5 - beta_) * a0_[i];
      v_free_[i] = state.v[i] + h * (1 - gamma_) * a0_[i];
    }
    StepReport report;
    if (is_explicit()) {
      explicit_acceleration();
    } else {
      a1_ = a0_;
      const SolveResult& result = path_.kind == SolvePath::Kind::minimise ? newton_->minimise(*this, a1_, solver_)
                                                                          : newton_->find_root(*this, a1_, solver_);
      book_solve(result, context.counters);
      if (!result.converged) return failed_solve(model, result, state.t, h, q1_);
      report.iterations = result.iterations;
    }
    place(a1_);
    double check = 0;
    for (std::size_t i = 0; i < n; ++i) check += (q1_[i] - q1_[i]) + (v1_[i] - v1_[i]);
    if (check != 0) return failed_not_finite(state.t, h);
    // p1 by the forces themselves: M a0 and M a1 would carry the residual into the linear momentum.
    total_force(state.t, state.q, state.v, f_);
    for (std::size_t i = 0; i < n; ++i) p1_[i] = state.p[i] + h * (1 - gamma_) * f_[i];
    total_force(t1_, q1_, v1_, f_);
    for (std::size_t i = 0; i < n; ++i) p1_[i] += h * gamma_ * f_[i];
    book_end(state.t, state.t, state.q, state.v, 1 - gamma_, context.ledger);
    book_end(state.t, t1_, q1_, v1_, gamma_, context.ledger);
    if (carried_.any()) {
      for (std::size_t i = 0; i < n; ++i) f_[i] = (q1_[i] - state.q[i]) / h;
      model.multiply_mass(f_, impulse_);
      carried_.book(model, state.t, t1_, impulse_, context.ledger);
    }
    model.divide_mass(p1_, v1_);
    report.h = h;
    state.q.swap(q1_);
    state.p.swap(p1_);
    state.v.swap(v1_);
    return report;
  }

 private:
  // One end of the step. Differences in time are exact for beta = 1/4, gamma = 1/2, linear elasticity and dead loads,
  // whose steps have K1 + W1 - K0 - W0 = (f0 + f1)/2 . (q1 - q0).
  void book_end(double t0, double t, ConstVector q, ConstVector v, double share, Ledger& ledger) {
    ledger.time_work += share * model_->time_work(t0, t1_, t, q, v);
    book_forces(*model_, t, q, v, h_ * share, impulse_, ledger);
  }

  bool is_explicit() const { return path_.kind == SolvePath::Kind::explicit_step; }

  void total_force(double t, ConstVector q, ConstVector v, Vector force) {
    model_->gradient(t, q, force);
    for (double& value : force) value = -value;
    for (std::size_t k = 0; k < model_->parts().forces.size(); ++k) model_->add_force(k, t, q, v, 1, force);
  }

  void acceleration(double t, ConstVector q, ConstVector v, Vector a) {
    total_force(t, q, v, f_);
    model_->divide_mass(f_, a);
  }

  void place(ConstVector a) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      q1_[i] = q_free_[i] + h_ * h_ * beta_ * a[i];
      v1_[i] = v_free_[i] + h_ * gamma_ * a[i];
    }
  }

  // beta = 0: (M + gamma h D) a1 = -dW(q1) + f(q1, v_free)
  void explicit_acceleration() {
    total_force(t1_, q_free_, v_free_, f_);
    if (!model_->diagonal_mass()) return model_->divide_mass(f_, a1_);
    const auto& mass = model_->parts().mass.diagonal;
    for (std::size_t i = 0; i < a1_.size(); ++i) a1_[i] = f_[i] / (mass[i] + gamma_ * h_ * drag_[i]);
  }

  double size_of_unknowns(ConstVector a) const override {
    return beta_ > 0 ? largest_of(q0_) / (beta_ * h_ * h_) : largest_of(a);
  }
  bool residual(ConstVector a, Vector r, double& scale) override {
    place(a);
    model_->multiply_mass(a, r);
    total_force(t1_, q1_, v1_, g_);
    scale = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      scale = std::max(scale, std::abs(r[i]) + std::abs(g_[i]));
      r[i] -= g_[i];
    }
    return std::isfinite(scale);
  }

  void jacobian(ConstVector a, Vector values) override {
    const Linearisation& lin = linearisation(*model_);
    place(a);
    lin.add_mass(*model_, 1, values);
    lin.add_potential(*model_, t1_, q1_, h_ * h_ * beta_, values);
    for (std::size_t k = 0; k < model_->parts().forces.size(); ++k)
      lin.add_force(*model_, k, t1_, q1_, v1_, -h_ * h_ * beta_, -h_ * gamma_, values);
  }

  // 1/2 a'Ma + W(q1(a)) / (beta h^2) + D v_free.a + gamma h/2 a'Da; v1 = v_free + gamma h a
  bool evaluate(ConstVector a, Vector r, double& scale, double& objective) override {
    place(a);
    model_->multiply_mass(a, r);
    objective = model_->gradient_and_potential(t1_, q1_, g_) / (beta_ * h_ * h_);
    scale = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      objective += (0.5 * r[i] + drag_[i] * (v_free_[i] + 0.5 * gamma_ * h_ * a[i])) * a[i];
      const double drag = drag_[i] * v1_[i];
      scale = std::max(scale, std::abs(r[i]) + std::abs(g_[i]) + std::abs(drag));
      r[i] += g_[i] + drag;
    }
    return std::isfinite(scale) && std::isfinite(objective);
  }
  bool symmetric() const override { return path_.kind == SolvePath::Kind::minimise || model_->parts().forces.empty(); }
  // The acceleration that leaves the body in place, which is feasible.
  bool other_start(Vector a) override {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = (q0_[i] - q_free_[i]) / (beta_ * h_ * h_);
    return true;
  }
  bool convex_jacobian(ConstVector a, Vector values) override {
    place(a);
    const Linearisation& lin = linearisation(*model_);
    lin.add_mass(*model_, 1, values);
    lin.add_potential(*model_, t1_, q1_, h_ * h_ * beta_, values, true);
    for (std::size_t k = 0; k < model_->parts().forces.size(); ++k)
      lin.add_force(*model_, k, t1_, q1_, v1_, 0, -h_ * gamma_, values);
    return true;
  }
  MatrixName constant_matrix() const override { return {linearisation(*model_).number_if_constant(), h_}; }
  void add_metric(double scale, Vector values) override { linearisation(*model_).add_mass(*model_, scale, values); }

  double beta_, gamma_;
  SolverOptions solver_;
  SolvePath path_;
  std::unique_ptr<NewtonSolver> newton_;
  CarriedMomentum carried_;
  std::vector<double> a0_, a1_, q1_, v1_, p1_, q_free_, v_free_, g_, f_, impulse_, drag_;
  const Model* model_ = nullptr;
  ConstVector q0_;
  double t1_ = 0, h_ = 0;
};

Claims newmark_claims(const Settings& settings, const ModelClass& model) {
  const double beta = settings.number("beta"), gamma = settings.number("gamma");
  Claims claims;
  if (model.barriers) return end_contact_claims(gamma == 0.5 ? 2 : 1, gamma > 0.5);
  claims.order = gamma == 0.5 ? 2 : 1;
  claims.symmetric = gamma == 0.5;
  claims.explicit_steps = beta == 0;
  claims.energy = gamma == 0.5 ? EnergyClaim::bounded : gamma > 0.5 ? EnergyClaim::dissipating : EnergyClaim::drifting;
  if (model.constrained) {
    claims.energy = gamma > 0.5 ? EnergyClaim::dissipating : EnergyClaim::drifting;
    claims.symmetric = false;
    claims.note = "positions keep the constraints; nothing stabilises the multipliers";
  } else if (gamma == 0.5) {
    claims.symplectic = model.forced ? Symplectic::no : beta == 0 ? Symplectic::canonical : Symplectic::named_variables;
    claims.angular_momentum = beta == 0 ? Keeps::exact : Keeps::bounded;
    if (beta != 0 && !model.forced) claims.note = "symplectic in x = q + beta h^2 M^-1 dW(q) and p";
  }
  return claims;
}

}  // namespace

IntegratorRecord newmark_record() {
  IntegratorRecord record;
  record.name = "newmark";
  record.brief = "Newmark's method: beta = 0 explicit, beta = 1/4 the average acceleration rule; gamma > 1/2 damps";
  record.citation = "L04 (19), Kane et al. 2000";
  record.parameters = {
      step_parameter(),
      bounded(number_key("beta", "-", "0.25", "share of the new acceleration in the position"), 0, 0.5),
      bounded(number_key("gamma", "-", "0.5", "share of the new acceleration in the velocity; second order at 1/2"), 0,
              1)};
  record.law_variants = {"beta = 0", "beta = 0.25", "beta = 0.1", "beta = 0.3025, gamma = 0.6"};
  record.claims = newmark_claims;
  record.holds_constraints = true;
  record.keeps_apart = true;
  record.refusal = [](const Settings& settings, const Model& model) {
    if (has_barrier(model)) {
      if (settings.number("beta") == 0)
        return std::string(
            "with beta = 0 the end of a step does not depend on the forces there, which could then not keep surfaces "
            "apart. Use beta > 0, or energy_momentum");
      return end_contact_refusal(model);
    }
    if (model.constraint_count() > 0 && settings.number("beta") == 0)
      return std::string(
          "with beta = 0 the end of a step does not depend on its own multipliers, which therefore cannot "
          "hold the constraints there. Use beta > 0, or rattle, where those of the start do");
    return model.separable()
               ? std::string()
               : std::string(
                     "Newmark's relations need a constant mass, L = 1/2 v'Mv - W(q), and this Lagrangian is more "
                     "general. Use implicit_midpoint, galerkin or composition");
  };
  record.make = [](const Settings& settings, const SolverOptions& solver, const Model& model) {
    const double beta = settings.number("beta"), gamma = settings.number("gamma");
    if (has_barrier(model)) {
      SolverOptions options = solver;
      auto stepper = make_end_contact({0.5 - beta, beta, 1 - gamma, gamma}, options, model);
      return make_integrator(std::move(stepper), settings, options, model);
    }
    if (model.constraint_count() > 0)
      return make_integrator(make_index_three({0.5 - beta, beta, 1 - gamma, gamma}, solver, model), settings, solver,
                             model);
    return make_integrator(std::make_unique<NewmarkStepper>(beta, gamma, solver, model), settings, solver, model);
  };
  return record;
}

}  // namespace livens
