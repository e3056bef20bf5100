// The records of the straight-line variational integrators: each is a quadrature rule.
#include <livens/registry.hpp>
#include <livens/scene.hpp>

#include "integrators/constrained.hpp"
#include "integrators/second_order_start.hpp"
#include "integrators/straight_line.hpp"

namespace livens {
namespace {

Parameter alpha_parameter() {
  return bounded(
      number_key("alpha", "-", "0.5", "where between the ends of a step the action is evaluated; second order at 1/2"),
      0, 1);
}

Parameter start_parameter() {
  return one_of(
      key("start", ValueType::name, "-", "momentum",
          "momentum: p0 = dL/dv; second_order: shifted by h (1/2 - alpha) dW, so that q and v are of order 2"),
      {"momentum", "second_order"});
}

std::unique_ptr<Integrator> make_rule(QuadratureRule rule, const Settings& settings, const SolverOptions& solver,
                                      const Model& model) {
  const double mean = rule.mean();
  std::unique_ptr<Stepper> stepper = model.constraint_count() > 0
                                         ? make_constrained({0, 1}, {rule.c, rule.w}, true, solver, model)
                                         : make_straight_line(std::move(rule), solver, model);
  const bool shifted = settings.has("start") && settings.text("start") == "second_order" && mean != 0.5;
  if (shifted) stepper = std::make_unique<SecondOrderStart>(std::move(stepper), mean, model);
  return make_integrator(std::move(stepper), settings, solver, model);
}

std::string refuse_shift(const Settings& settings, const Model& model) {
  if (!settings.has("start") || settings.text("start") != "second_order") return "";
  if (model.separable()) return "";
  return "start = \"second_order\" shifts the momentum by the gradient of a potential, and this Lagrangian is not of "
         "the "
         "form 1/2 v'Mv - W(q). Use start = \"momentum\"";
}

// What every symplectic rule claims; order 2 iff it is symmetric or its start is shifted.
Claims rule_claims(double mean, bool symmetric, bool shifted, bool explicit_rule, const ModelClass& model) {
  Claims claims;
  claims.order = (mean == 0.5 && symmetric) || shifted ? 2 : 1;
  const bool lagged = model.lagged && model.separable && explicit_rule;
  const bool published = model.published && !(model.separable && explicit_rule);
  if (lagged || published) claims.order = 1;
  claims.symplectic = model.forced ? Symplectic::no : Symplectic::canonical;
  claims.symmetric = symmetric && !lagged && !published;
  claims.angular_momentum = published ? Keeps::no : Keeps::exact;
  claims.energy = EnergyClaim::bounded;
  claims.explicit_steps = explicit_rule;
  return claims;
}

bool shifted(const Settings& settings) { return settings.has("start") && settings.text("start") == "second_order"; }

IntegratorRecord base_record(std::string name, std::string brief, std::string citation) {
  IntegratorRecord record;
  record.name = std::move(name);
  record.brief = std::move(brief);
  record.citation = std::move(citation);
  record.parameters = {step_parameter()};
  record.refusal = refuse_shift;
  record.holds_constraints = true;
  return record;
}

}  // namespace

IntegratorRecord symplectic_euler_a_record() {
  IntegratorRecord record =
      base_record("symplectic_euler_a", "q first, then p with the force at the new q (alpha = 1)", "S15");
  record.parameters.push_back(start_parameter());
  record.law_variants = {"", "start = 'second_order'"};
  record.claims = [](const Settings& settings, const ModelClass& model) {
    return rule_claims(1, shifted(settings), shifted(settings), true, model);
  };
  record.make = [](const Settings& settings, const SolverOptions& solver, const Model& model) {
    return make_rule(QuadratureRule::point(1), settings, solver, model);
  };
  return record;
}

IntegratorRecord symplectic_euler_b_record() {
  IntegratorRecord record =
      base_record("symplectic_euler_b", "p first with the force at the old q, then q (alpha = 0)", "S15");
  record.parameters.push_back(start_parameter());
  record.law_variants = {"", "start = 'second_order'"};
  record.claims = [](const Settings& settings, const ModelClass& model) {
    return rule_claims(0, shifted(settings), shifted(settings), true, model);
  };
  record.make = [](const Settings& settings, const SolverOptions& solver, const Model& model) {
    return make_rule(QuadratureRule::point(0), settings, solver, model);
  };
  return record;
}

IntegratorRecord stormer_verlet_record() {
  IntegratorRecord record = base_record(
      "stormer_verlet", "Stormer-Verlet: half kick, drift, half kick; explicit, one force evaluation per step",
      "S15, L04 2.4");
  record.claims = [](const Settings&, const ModelClass& model) { return rule_claims(0.5, true, false, true, model); };
  record.make = [](const Settings& settings, const SolverOptions& solver, const Model& model) {
    return make_rule(QuadratureRule::trapezoid(0.5), settings, solver, model);
  };
  return record;
}

namespace {

// The trapezoidal rule with constraints; without any it is Verlet's method.
template <bool Project>
std::unique_ptr<Integrator> make_verlet(const Settings& settings, const SolverOptions& solver, const Model& model) {
  if (model.constraint_count() == 0) return make_rule(QuadratureRule::trapezoid(0.5), settings, solver, model);
  return make_integrator(make_constrained({0, 1}, lobatto_quadrature(2), Project, solver, model), settings, solver,
                         model);
}

IntegratorRecord verlet_with_constraints(std::string name, std::string brief) {
  IntegratorRecord record = base_record(std::move(name), std::move(brief), "L04 2.5");
  record.claims = [](const Settings&, const ModelClass& model) {
    return rule_claims(0.5, true, false, !model.constrained, model);
  };
  return record;
}

}  // namespace

IntegratorRecord rattle_record() {
  IntegratorRecord record =
      verlet_with_constraints("rattle", "Stormer-Verlet with constraints on positions and velocities");
  record.make = make_verlet<true>;
  return record;
}

IntegratorRecord shake_record() {
  IntegratorRecord record =
      verlet_with_constraints("shake", "Stormer-Verlet with constraints on positions; momenta are not projected");
  record.make = make_verlet<false>;
  return record;
}

IntegratorRecord implicit_midpoint_record() {
  IntegratorRecord record =
      base_record("implicit_midpoint", "midpoint rule: implicit, no step limit on linear systems", "L04 2.4");
  record.claims = [](const Settings&, const ModelClass& model) { return rule_claims(0.5, true, false, false, model); };
  record.make = [](const Settings& settings, const SolverOptions& solver, const Model& model) {
    return make_rule(QuadratureRule::point(0.5), settings, solver, model);
  };
  return record;
}

namespace {

IntegratorRecord midpoint_family(std::string name, std::string brief, std::string citation) {
  IntegratorRecord record = base_record(std::move(name), std::move(brief), std::move(citation));
  record.parameters.push_back(alpha_parameter());
  record.parameters.push_back(start_parameter());
  record.law_variants = {"alpha = 0.5", "alpha = 0", "alpha = 0.3", "alpha = 1", "alpha = 0.3, start = 'second_order'"};
  record.claims = [](const Settings& settings, const ModelClass& model) {
    const double alpha = settings.number("alpha");
    const bool ends = alpha == 0 || alpha == 1;
    // The shifted Eulers are Verlet; between the ends the shift gives order 2 without symmetry of the map.
    return rule_claims(alpha, alpha == 0.5 || (ends && shifted(settings)), shifted(settings), ends, model);
  };
  record.make = [](const Settings& settings, const SolverOptions& solver, const Model& model) {
    return make_rule(QuadratureRule::point(settings.number("alpha")), settings, solver, model);
  };
  return record;
}

}  // namespace

IntegratorRecord generalized_midpoint_record() {
  return midpoint_family("generalized_midpoint", "the action at one point (1-alpha) q0 + alpha q1 of each step",
                         "L04 (13)");
}

IntegratorRecord hamilton_pontryagin_record() {
  return midpoint_family(
      "hamilton_pontryagin",
      "Hamilton-Pontryagin step with velocity v: minimises the incremental potential (K06's Lilyan) where one exists",
      "K06 4, 5.3");
}

IntegratorRecord generalized_trapezoid_record() {
  IntegratorRecord record = base_record("generalized_trapezoid",
                                        "the action at both ends of each step, weights 1-alpha and alpha", "L04 (16)");
  record.parameters.push_back(alpha_parameter());
  record.parameters.push_back(start_parameter());
  record.law_variants = {"alpha = 0.5", "alpha = 0.3", "alpha = 0.3, start = 'second_order'"};
  record.claims = [](const Settings& settings, const ModelClass& model) {
    const double alpha = settings.number("alpha");
    // Positions are those of Verlet for every alpha: the shifted start is Verlet itself.
    return rule_claims(alpha, alpha == 0.5 || shifted(settings), shifted(settings), true, model);
  };
  record.make = [](const Settings& settings, const SolverOptions& solver, const Model& model) {
    return make_rule(QuadratureRule::trapezoid(settings.number("alpha")), settings, solver, model);
  };
  return record;
}

}  // namespace livens
