// Implicit Euler on Hamilton's equations, for comparison: stable at any step, and damps with it.
//   q1 = q0 + h v1,  p1 = p0 + h [ L_q(q1, v1) + f(q1, v1) ],  p1 = L_v(q1, v1);  unknown v1.
// For L = 1/2 v'Mv - W(q) without forces but drag -D v this is the minimum of 1/2 v'(M + h D)v + W(q0 + h v) - p0.v.
#include <algorithm>
#include <cmath>

#include <livens/registry.hpp>
#include <livens/stepper.hpp>

#include "integrators/carried_momentum.hpp"
#include "integrators/end_contact.hpp"
#include "integrators/energy_momentum.hpp"
#include "integrators/index_three.hpp"
#include "integrators/solve_path.hpp"
#include "integrators/solve_report.hpp"
#include "model/legendre.hpp"
#include "model/linearisation.hpp"

namespace livens {
namespace {

class ImplicitEulerStepper final : public Stepper, private MinimumProblem {
 public:
  ImplicitEulerStepper(const SolverOptions& solver, const Model& model)
      : solver_(solver),
        path_(path_without_forces(solver, model)),
        newton_(linearisation(model).pattern()),
        legendre_(model),
        carried_(model) {
    for (auto* vector : {&v_, &q1_, &p1_, &by_q_, &by_v_, &impulse_, &drag_}) vector->resize(model.size());
  }

  SolvePath solve_path() const override { return path_; }
  StepReport step(const Model& model, State& state, double h, StepContext context) override {
    model_ = &model;
    t1_ = state.t + h;
    h_ = h;
    q0_ = state.q;
    p0_ = state.p;
    v_ = state.v;
    constant_drag(model, drag_);
    const SolveResult& result = path_.kind == SolvePath::Kind::minimise ? newton_.minimise(*this, v_, solver_)
                                                                        : newton_.find_root(*this, v_, solver_);
    book_solve(result, context.counters);
    if (!result.converged) return failed_solve(model, result, state.t, h, q1_);
    for (std::size_t i = 0; i < v_.size(); ++i) p1_[i] = p0_[i] + h * by_q_[i];
    book_point(model, t1_, q1_, v_, h, impulse_, context.ledger);  // all impulses act at q1
    carried_.book(model, state.t, t1_, p0_, context.ledger);
    StepReport report;
    report.h = h;
    report.iterations = result.iterations;
    if (!legendre_.velocity(model, t1_, q1_, p1_, v_)) return failed_not_finite(state.t, h);
    state.q.swap(q1_);
    state.p.swap(p1_);
    state.v.swap(v_);
    return report;
  }

 private:
  double size_of_unknowns(ConstVector) const override { return largest_of(q0_) / std::abs(h_); }
  bool residual(ConstVector v, Vector r, double& scale) override {
    for (std::size_t i = 0; i < v.size(); ++i) q1_[i] = q0_[i] + h_ * v[i];
    model_->lagrangian(t1_, q1_, v, by_q_, by_v_);
    for (std::size_t k = 0; k < model_->parts().forces.size(); ++k) model_->add_force(k, t1_, q1_, v, 1, by_q_);
    scale = 0;
    for (std::size_t i = 0; i < v.size(); ++i) {
      r[i] = by_v_[i] - p0_[i] - h_ * by_q_[i];
      scale = std::max(scale, std::abs(by_v_[i]) + std::abs(p0_[i]) + std::abs(h_ * by_q_[i]));
    }
    return std::isfinite(scale);
  }

  void jacobian(ConstVector v, Vector values) override {
    const Linearisation& lin = linearisation(*model_);
    for (std::size_t i = 0; i < v.size(); ++i) q1_[i] = q0_[i] + h_ * v[i];
    lin.add_lagrangian(*model_, t1_, q1_, v, {-h_ * h_, -h_, h_, 1}, values);
    for (std::size_t k = 0; k < model_->parts().forces.size(); ++k)
      lin.add_force(*model_, k, t1_, q1_, v, -h_ * h_, -h_, values);
  }

  // 1/2 v'(M + h D)v - p0.v + W(q0 + h v)
  bool evaluate(ConstVector v, Vector r, double& scale, double& objective) override {
    const bool finite = residual(v, r, scale);
    objective = model_->potential(t1_, q1_);
    for (std::size_t i = 0; i < v.size(); ++i) objective += (0.5 * (by_v_[i] + h_ * drag_[i] * v[i]) - p0_[i]) * v[i];
    return finite && std::isfinite(objective);
  }
  bool symmetric() const override {
    return path_.kind == SolvePath::Kind::minimise || (model_->separable() && model_->parts().forces.empty());
  }
  bool other_start(Vector v) override {  // stay
    std::fill(v.begin(), v.end(), 0.0);
    return true;
  }
  bool convex_jacobian(ConstVector v, Vector values) override {
    for (std::size_t i = 0; i < v.size(); ++i) q1_[i] = q0_[i] + h_ * v[i];
    const Linearisation& lin = linearisation(*model_);
    lin.add_mass(*model_, 1, values);
    lin.add_potential(*model_, t1_, q1_, h_ * h_, values, true);
    for (std::size_t k = 0; k < model_->parts().forces.size(); ++k)
      lin.add_force(*model_, k, t1_, q1_, v, 0, -h_, values);
    return true;
  }

  MatrixName constant_matrix() const override { return {linearisation(*model_).number_if_constant(), h_}; }
  void add_metric(double scale, Vector values) override { linearisation(*model_).add_mass(*model_, scale, values); }

  SolverOptions solver_;
  SolvePath path_;
  NewtonSolver newton_;
  Legendre legendre_;
  CarriedMomentum carried_;
  std::vector<double> v_, q1_, p1_, by_q_, by_v_, impulse_, drag_;
  const Model* model_ = nullptr;
  double t1_ = 0, h_ = 0;
  ConstVector q0_, p0_;
};

}  // namespace

IntegratorRecord implicit_euler_record() {
  IntegratorRecord record;
  record.name = "implicit_euler";
  record.brief = "backward Euler: stable at any step, damps more at larger steps; for comparison";
  record.citation = "S15";
  record.parameters = {step_parameter()};
  record.claims = [](const Settings&, const ModelClass& model) {
    Claims claims;
    if (model.barriers) return end_contact_claims(1, true);
    claims.order = 1;
    claims.energy = EnergyClaim::dissipating;
    if (model.constrained) claims.note = "positions keep the constraints, velocities to first order";
    return claims;
  };
  record.holds_constraints = true;
  record.keeps_apart = true;
  record.refusal = [](const Settings&, const Model& model) -> std::string {
    if (has_barrier(model)) return end_contact_refusal(model);
    if (model.separable() || model.constraint_count() == 0) return "";
    return "holds constraints for L = 1/2 v'Mv - W(q) only, and this Lagrangian is more general. Use rattle or "
           "hamilton_pontryagin";
  };
  record.make = [](const Settings& settings, const SolverOptions& solver, const Model& model) {
    if (has_barrier(model)) {
      SolverOptions options = solver;
      auto stepper = make_end_contact({0, 1, 0, 1}, options, model);
      return make_integrator(std::move(stepper), settings, options, model);
    }
    if (model.constraint_count() > 0)
      return make_integrator(make_index_three({0, 1, 0, 1}, solver, model), settings, solver, model);
    return make_integrator(std::make_unique<ImplicitEulerStepper>(solver, model), settings, solver, model);
  };
  return record;
}

}  // namespace livens
