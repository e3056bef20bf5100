#include "integrators/lobatto_minimum.hpp"

#include <algorithm>
#include <cmath>

#include "integrators/polynomial_action.hpp"
#include "integrators/solve_report.hpp"
#include "math/finite.hpp"
#include "model/linearisation.hpp"
#include "solve/newton.hpp"

namespace livens {
namespace {

class LobattoMinimum final : public Stepper, private MinimumProblem {
 public:
  LobattoMinimum(const SolverOptions& solver, const Model& model)
      : action_(lobatto_quadrature(3).x, lobatto_quadrature(3), model),
        solver_(solver),
        newton_(linearisation(model).pattern()) {
    for (auto* vector : {&y_, &middle_, &by_start_, &by_middle_, &by_end_, &q1_, &p1_}) vector->resize(model.size());
    z_.resize(2 * y_.size());
  }

  StepReport step(const Model& model, State& state, double h, StepContext context) override {
    model_ = &model;
    t0_ = state.t;
    h_ = h;
    q0_ = state.q;
    p0_ = state.p;
    model.gradient(t0_, q0_, by_start_);
    std::copy(state.v.begin(), state.v.end(), y_.begin());
    const SolveResult& result = newton_.minimise(*this, y_, solver_);
    book_solve(result, context.counters);
    context.counters.evaluations += 2;
    if (!result.converged) return failed_solve(model, result, t0_, h, middle_);
    place_end(model);
    if (!all_finite(q1_) || !all_finite(p1_)) return failed_not_finite(t0_, h);
    action_.begin(model, t0_, h, q0_, p0_);
    action_.book(z_, true, context.ledger);
    state.q.swap(q1_);
    state.p.swap(p1_);
    model.divide_mass(state.p, state.v);
    StepReport report;
    report.h = h;
    report.iterations = result.iterations;
    report.residual = result.residual;
    report.residual_scale = result.scale;
    return report;
  }

  SolvePath solve_path() const override {
    return {SolvePath::Kind::minimise, "the incremental potential of its middle point"};
  }

  // q1_ is the start of the last step.
  std::optional<double> discrete_energy(const Model& model, const State&) override {
    if (h_ == 0) return std::nullopt;
    return action_.discrete_energy(model, q1_, z_);
  }

 private:
  bool residual(ConstVector y, Vector r, double& scale) override { return evaluate(y, r, scale, nullptr); }
  bool evaluate(ConstVector y, Vector r, double& scale, double& objective) override {
    return evaluate(y, r, scale, &objective) && std::isfinite(objective);
  }
  void jacobian(ConstVector y, Vector values) override { add_jacobian(y, values, false); }
  bool convex_jacobian(ConstVector y, Vector values) override {
    add_jacobian(y, values, true);
    return true;
  }
  void add_metric(double scale, Vector values) override { linearisation(*model_).add_mass(*model_, scale, values); }
  bool symmetric() const override { return true; }
  double size_of_unknowns(ConstVector) const override { return largest_of(q0_) / std::abs(h_); }

  void place_middle(ConstVector y) {
    for (std::size_t i = 0; i < y.size(); ++i) middle_[i] = q0_[i] + 0.5 * h_ * y[i];
  }

  bool evaluate(ConstVector y, Vector r, double& scale, double* objective) {
    place_middle(y);
    const double W = model_->gradient_and_potential(t0_ + 0.5 * h_, middle_, by_middle_);
    model_->multiply_mass(y, r);
    scale = 0;
    double E = W / 6;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double kick = h_ / 6 * by_start_[i], half = h_ / 12 * by_middle_[i];
      E += (0.5 * r[i] - p0_[i] + kick) * y[i];
      scale = std::max(scale, std::abs(r[i]) + std::abs(p0_[i]) + std::abs(kick) + std::abs(half));
      r[i] += kick + half - p0_[i];
    }
    if (objective != nullptr) *objective = E;
    return std::isfinite(scale);
  }

  void add_jacobian(ConstVector y, Vector values, bool convex) {
    const Linearisation& lin = linearisation(*model_);
    place_middle(y);
    lin.add_mass(*model_, 1, values);
    lin.add_potential(*model_, t0_ + 0.5 * h_, middle_, h_ * h_ / 24, values, convex);
  }

  // q1 and p1; by_middle_ is that of the last evaluation, which was at y_.
  void place_end(const Model& model) {
    for (std::size_t i = 0; i < y_.size(); ++i) p1_[i] = p0_[i] - h_ * (by_start_[i] / 6 + by_middle_[i] / 3);
    model.divide_mass(p1_, q1_);
    for (std::size_t i = 0; i < y_.size(); ++i) {
      z_[2 * i] = 0.5 * h_ * y_[i];
      z_[2 * i + 1] = h_ * q1_[i];
      q1_[i] = q0_[i] + z_[2 * i + 1];
    }
    model.gradient(t0_ + h_, q1_, by_end_);
    for (std::size_t i = 0; i < y_.size(); ++i)
      p1_[i] = p0_[i] - h_ * (by_start_[i] / 6 + 2 * by_middle_[i] / 3 + by_end_[i] / 6);
  }

  PolynomialAction action_;  // for the ledger and the discrete energy
  SolverOptions solver_;
  NewtonSolver newton_;
  std::vector<double> y_, middle_, by_start_, by_middle_, by_end_, q1_, p1_, z_;

  // The step in hand.
  const Model* model_ = nullptr;
  double t0_ = 0, h_ = 0;
  ConstVector q0_, p0_;
};

}  // namespace

std::unique_ptr<Stepper> make_lobatto_minimum(const SolverOptions& solver, const Model& model) {
  return std::make_unique<LobattoMinimum>(solver, model);
}

}  // namespace livens
