// Galerkin variational integrators [L04 (21)-(23)]: order 2s; with Lobatto points the Lobatto IIIA-IIIB pair.
#include <livens/registry.hpp>
#include <livens/scene.hpp>
#include <livens/stepper.hpp>

#include "integrators/constrained.hpp"
#include "integrators/polynomial_action.hpp"
#include "integrators/solve_path.hpp"
#include "integrators/solve_report.hpp"
#include "model/legendre.hpp"
#include "model/linearisation.hpp"

namespace livens {
namespace {

class GalerkinStepper final : public Stepper, private RootProblem {
 public:
  GalerkinStepper(int degree, Quadrature rule, const SolverOptions& solver, const Model& model)
      : s_(degree),
        action_(lobatto_quadrature(degree + 1).x, std::move(rule), model),
        pattern_(expand(linearisation(model).pattern(), degree)),
        solver_(solver),
        newton_(pattern_),
        legendre_(model) {
    const auto n = static_cast<std::size_t>(model.size());
    z_.resize(n * s_);
    for (auto* vector : {&p1_, &q1_, &v1_}) vector->resize(n);
  }

  StepReport step(const Model& model, State& state, double h, StepContext context) override {
    h_ = h;
    action_.begin(model, state.t, h, state.q, state.p);
    action_.guess(state.v, z_);
    const SolveResult& result = newton_.find_root(*this, z_, solver_);
    book_solve(result, context.counters);
    context.counters.evaluations += static_cast<long>(action_.points() - 1) * result.evaluations;
    if (!result.converged) {
      SolveResult base = result;
      base.worst_coordinate = result.worst_coordinate / static_cast<int>(s_);
      action_.control_point(s_, z_, q1_);
      return failed_solve(model, base, state.t, h, q1_);
    }
    action_.control_point(s_, z_, q1_);
    for (std::size_t k = 0; k < p1_.size(); ++k) p1_[k] = state.p[k] + action_.impulse()[k];
    v1_ = state.v;
    action_.book(z_, true, context.ledger);
    StepReport report;
    report.h = h;
    report.iterations = result.iterations;
    if (!legendre_.velocity(model, state.t + h, q1_, p1_, v1_)) return failed_not_finite(state.t, h);
    state.q.swap(q1_);
    state.p.swap(p1_);
    state.v.swap(v1_);
    return report;
  }

  SolvePath solve_path() const override {
    return root_path(solver_, "the inner points of a step make an action that is stationary, not least");
  }

  // q1_ is the start of the last step.
  std::optional<double> discrete_energy(const Model& model, const State&) override {
    if (h_ == 0) return std::nullopt;
    return action_.discrete_energy(model, q1_, z_);
  }

 private:
  bool residual(ConstVector z, Vector r, double& scale) override { return action_.residual(z, r, scale); }
  void jacobian(ConstVector z, Vector values) override { action_.jacobian(z, pattern_, values); }

  std::size_t s_;
  PolynomialAction action_;
  SparsePattern pattern_;
  SolverOptions solver_;
  NewtonSolver newton_;
  Legendre legendre_;
  std::vector<double> z_, p1_, q1_, v1_;
  double h_ = 0;
};

}  // namespace

IntegratorRecord galerkin_record() {
  IntegratorRecord record;
  record.name = "galerkin";
  record.brief = "polynomials of degree s in time, s Gauss or s+1 Lobatto points: order 2s";
  record.citation = "L04 (21)-(23)";
  record.parameters = {
      step_parameter(),
      bounded(key("degree", ValueType::integer, "-", "2", "degree s of the polynomials; the order is 2s"), 1, 6),
      one_of(key("quadrature", ValueType::name, "-", "gauss",
                 "s Gauss points, or s + 1 Lobatto points (the Lobatto IIIA-IIIB pair)"),
             {"gauss", "lobatto"})};
  record.law_variants = {"degree = 1",
                         "degree = 2",
                         "degree = 3",
                         "degree = 4",
                         "degree = 1, quadrature = 'lobatto'",
                         "degree = 2, quadrature = 'lobatto'",
                         "degree = 3, quadrature = 'lobatto'",
                         "degree = 4, quadrature = 'lobatto'",
                         "degree = 5",
                         "degree = 6",
                         "degree = 5, quadrature = 'lobatto'",
                         "degree = 6, quadrature = 'lobatto'"};
  record.claims = [](const Settings& settings, const ModelClass& model) {
    Claims claims;
    claims.order = 2 * static_cast<int>(settings.integer("degree"));
    claims.symplectic = model.forced ? Symplectic::no : Symplectic::canonical;
    claims.symmetric = true;
    claims.angular_momentum = Keeps::exact;
    claims.energy = EnergyClaim::bounded;
    return claims;
  };
  record.holds_constraints = true;
  record.refusal = [](const Settings& settings, const Model& model) -> std::string {
    if (model.constraint_count() == 0 || settings.text("quadrature") == "lobatto" || settings.integer("degree") == 1)
      return "";
    return "enforces constraints only at the nodes of Lobatto quadrature. Set quadrature = \"lobatto\"";
  };
  record.make = [](const Settings& settings, const SolverOptions& solver, const Model& model) {
    const int degree_value = static_cast<int>(settings.integer("degree"));
    Quadrature rule =
        settings.text("quadrature") == "gauss" ? gauss_quadrature(degree_value) : lobatto_quadrature(degree_value + 1);
    std::unique_ptr<Stepper> stepper;
    if (model.constraint_count() > 0)
      stepper = make_constrained(lobatto_quadrature(degree_value + 1).x, std::move(rule), true, solver, model);
    else
      stepper = std::make_unique<GalerkinStepper>(degree_value, std::move(rule), solver, model);
    return make_integrator(std::move(stepper), settings, solver, model);
  };
  return record;
}

}  // namespace livens
