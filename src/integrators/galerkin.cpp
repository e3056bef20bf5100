// Galerkin variational integrators [L04 (21), (22)]: polynomials of degree s and any number of quadrature points; of
// order 2s if the quadrature is; with s + 1 Lobatto points the Lobatto IIIA-IIIB pair.
#include <algorithm>

#include <livens/registry.hpp>
#include <livens/scene.hpp>
#include <livens/stepper.hpp>

#include "integrators/constrained.hpp"
#include "integrators/lobatto_minimum.hpp"
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
    size_ = largest_of(state.q);
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
  double size_of_unknowns(ConstVector) const override { return size_; }  // they are displacements

  std::size_t s_;
  PolynomialAction action_;
  SparsePattern pattern_;
  SolverOptions solver_;
  NewtonSolver newton_;
  Legendre legendre_;
  std::vector<double> z_, p1_, q1_, v1_;
  double h_ = 0, size_ = 0;
};

}  // namespace

namespace {

int degree_of(const Settings& settings) { return static_cast<int>(settings.integer("degree")); }
bool is_gauss(const Settings& settings) { return settings.text("quadrature") == "gauss"; }

int points_of(const Settings& settings) {
  if (settings.given("points")) return static_cast<int>(settings.integer("points"));
  return degree_of(settings) + (is_gauss(settings) ? 0 : 1);
}

Quadrature quadrature_of(const Settings& settings) {
  return is_gauss(settings) ? gauss_quadrature(points_of(settings)) : lobatto_quadrature(points_of(settings));
}

std::optional<DiscreteLagrangian> lagrangian_of(const Settings& settings) {
  const Quadrature rule = quadrature_of(settings);
  return DiscreteLagrangian{lobatto_quadrature(degree_of(settings) + 1).x, rule.x, rule.w};
}

// One quadrature point at each node: what the constraints and the minimum of degree 2 need.
bool nodal(const Settings& settings) { return !is_gauss(settings) && points_of(settings) == degree_of(settings) + 1; }

Claims galerkin_claims(const Settings& settings, const ModelClass& model) {
  Claims claims;
  const int points = points_of(settings);
  claims.order = std::min(2 * degree_of(settings), is_gauss(settings) ? 2 * points : 2 * points - 2);
  claims.symplectic = model.forced ? Symplectic::no : Symplectic::canonical;
  claims.symmetric = true;
  claims.angular_momentum = Keeps::exact;
  claims.energy = EnergyClaim::bounded;
  return claims;
}

std::string galerkin_refusal(const Settings& settings, const Model& model) {
  if (points_of(settings) < std::max(degree_of(settings), is_gauss(settings) ? 1 : 2))
    return "needs at least as many quadrature points as the degree, and two of Lobatto's: fewer do not see all of a "
           "polynomial";
  if (model.constraint_count() == 0 || nodal(settings) || (degree_of(settings) == 1 && points_of(settings) == 1))
    return "";
  return "enforces constraints only at the nodes of Lobatto quadrature. Set quadrature = \"lobatto\"" +
         std::string(settings.given("points") ? ", without points" : "");
}

std::unique_ptr<Stepper> make_stepper(const Settings& settings, const SolverOptions& solver, const Model& model) {
  const int degree = degree_of(settings);
  if (model.constraint_count() > 0)
    return make_constrained(lobatto_quadrature(degree + 1).x, quadrature_of(settings), true, solver, model);
  const bool least = degree == 2 && nodal(settings) && model.separable() && model.parts().forces.empty();
  if (least && solver.kind != SolverOptions::Kind::root) return make_lobatto_minimum(solver, model);
  return std::make_unique<GalerkinStepper>(degree, quadrature_of(settings), solver, model);
}

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
             {"gauss", "lobatto"}),
      bounded(key("points", ValueType::integer, "-", "s, or s + 1 of Lobatto's",
                  "number of quadrature points; the order is at most that of the quadrature"),
              1, 12)};
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
                         "degree = 6, quadrature = 'lobatto'",
                         "degree = 2, points = 3",
                         "degree = 3, points = 3, quadrature = 'lobatto'"};
  record.claims = galerkin_claims;
  record.holds_constraints = true;
  record.refusal = galerkin_refusal;
  record.discrete_lagrangian = lagrangian_of;
  record.make = [](const Settings& settings, const SolverOptions& solver, const Model& model) {
    return make_integrator(make_stepper(settings, solver, model), settings, solver, model);
  };
  return record;
}

}  // namespace livens
