// The records of the straight-line variational integrators: each is a quadrature rule.
#include <algorithm>
#include <cmath>

#include <livens/registry.hpp>
#include <livens/scene.hpp>

#include "integrators/constrained.hpp"
#include "integrators/energy_momentum.hpp"
#include "integrators/impact_steps.hpp"
#include "integrators/layered_verlet.hpp"
#include "integrators/printed_euler.hpp"
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
  if (has_barrier(model)) {
    SolverOptions options = solver;
    std::unique_ptr<Stepper> stepper = make_midpoint_with_contact(options, model);
    return make_integrator(std::move(stepper), settings, options, model);
  }
  std::unique_ptr<Stepper> stepper = model.constraint_count() > 0
                                         ? make_constrained({0, 1}, {rule.c, rule.w}, true, solver, model)
                                         : make_straight_line(std::move(rule), solver, model);
  const bool shifted = settings.has("start") && settings.text("start") == "second_order" && mean != 0.5;
  if (shifted) stepper = std::make_unique<SecondOrderStart>(std::move(stepper), mean, model);
  stepper = make_impact_steps(std::move(stepper), model);
  return make_integrator(std::move(stepper), settings, solver, model);
}

std::string refuse_shift(const Settings& settings, const Model& model) {
  if (!settings.has("start") || settings.text("start") != "second_order") return "";
  if (model.separable()) return "";
  return "start = \"second_order\" shifts the momentum by the gradient of a potential, and this Lagrangian is not of "
         "the "
         "form 1/2 v'Mv - W(q). Use start = \"momentum\"";
}

// The midpoint rule keeps surfaces apart by the discrete gradient of their barrier.
std::string refuse_contact(const Settings& settings, const Model& model) {
  if (!has_barrier(model)) return "";
  if (settings.has("alpha") && settings.number("alpha") != 0.5)
    return "keeps surfaces apart with alpha = 0.5 only: at other points of a step a barrier leaves its ends free to "
           "pass through each other, and there is no discrete gradient for them";
  if (settings.has("start") && settings.text("start") == "second_order")
    return "keeps surfaces apart with start = \"momentum\" only";
  if (!model.separable()) return "keeps surfaces apart for L = 1/2 v'Mv - W(q) only. Write the mass as constant";
  return "";
}

// Points and weights of a rule that differ by less are the same: what a user writes as 1/6 has its rounding.
constexpr double same_rule = 1e-12;

// The momentum jumps at an instant that depends on the state: energy and momenta are exact there, but the map is not
// symplectic. The method keeps H + h^2 G between hits and a hit changes G: the energy walks (docs/contact.md). With
// constant forces G is that of the potential, which hits leave alone, and there is a band (run/plan.cpp).
void claims_across_impacts(const ModelClass& model, Claims& claims) {
  claims.symplectic = Symplectic::no;
  claims.symmetric = claims.symmetric && !model.forced;  // friction and restitution take energy
  claims.energy = EnergyClaim::drifting;
  claims.note =
      "symplectic between impacts, which keep the energy; without a bound, it walks at random by squares of the step "
      "from hit to hit, but with constant forces alone it stays in a band";
}

// What every symplectic rule claims; order 2 iff it integrates linear functions exactly or its start is shifted.
Claims rule_claims(double mean, bool symmetric, bool shifted, bool explicit_rule, const ModelClass& model) {
  Claims claims;
  claims.order = std::abs(mean - 0.5) < same_rule || shifted ? 2 : 1;
  const bool lagged = model.lagged && model.separable && explicit_rule;
  const bool implicit = !(model.separable && explicit_rule);
  // With constraints, forces are integrated along the step.
  const bool first_order = model.first_order && implicit && !model.constrained;
  if (lagged || first_order) claims.order = 1;
  claims.symplectic = model.forced ? Symplectic::no : Symplectic::canonical;
  claims.symmetric = symmetric && !lagged && !first_order;
  claims.angular_momentum = first_order && model.step_energy ? Keeps::no : Keeps::exact;
  claims.energy = EnergyClaim::bounded;
  claims.explicit_steps = explicit_rule;
  if (model.barriers && explicit_rule) {  // in layers on clocks: a splitting of one potential
    if (model.barrier_losses) claims.symplectic = Symplectic::no, claims.symmetric = false, claims.order = 1;
  } else if (model.barriers) {
    add_contact_claims(model, claims);
    claims.note =
        "contact adds nothing to the error of the energy; elasticity keeps it in a band while h omega_max is "
        "below 1";
  }
  if (model.impacts) claims_across_impacts(model, claims);
  return claims;
}

bool shifted(const Settings& settings) { return settings.has("start") && settings.text("start") == "second_order"; }

bool printed(const Settings& settings) { return settings.has("forces") && settings.text("forces") == "printed"; }

// The record takes the steps of Rule(settings). A shifted start has momenta that are not those of its Lagrangian.
template <auto Rule>
void step_by(IntegratorRecord& record) {
  record.discrete_lagrangian = [](const Settings& settings) -> std::optional<DiscreteLagrangian> {
    if (shifted(settings) || printed(settings)) return std::nullopt;
    const QuadratureRule rule = Rule(settings);
    return DiscreteLagrangian{{0, 1}, rule.c, rule.w};
  };
  record.make = [](const Settings& settings, const SolverOptions& solver, const Model& model) {
    return make_rule(Rule(settings), settings, solver, model);
  };
}

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

namespace {

void reflect_at_impacts(IntegratorRecord& record) {
  record.bounces = true;
  record.refusal = [](const Settings&, const Model& model) { return impact_refusal(model); };
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
  step_by<[](const Settings&) { return QuadratureRule::point(1); }>(record);
  return record;
}

IntegratorRecord symplectic_euler_b_record() {
  IntegratorRecord record =
      base_record("symplectic_euler_b", "p first with the force at the old q, then q (alpha = 0)", "S15");
  record.parameters.push_back(start_parameter());
  record.parameters.push_back(
      one_of(key("forces", ValueType::name, "-", "symmetric",
                 "symmetric: half at each end of a step; printed: (f_before + f)/2 as in S15, one step late"),
             {"symmetric", "printed"}));
  record.law_variants = {"", "start = 'second_order'"};
  record.claims = [](const Settings& settings, const ModelClass& model) {
    Claims claims = rule_claims(0, shifted(settings), shifted(settings), true, model);
    if (model.forced && printed(settings)) {
      claims.order = 1;
      claims.symmetric = false;
      claims.angular_momentum = Keeps::no;
    }
    return claims;
  };
  step_by<[](const Settings&) { return QuadratureRule::point(0); }>(record);
  record.refusal = [](const Settings& settings, const Model& model) -> std::string {
    if (printed(settings) && (shifted(settings) || !model.separable() || model.constraint_count() > 0))
      return "forces = \"printed\" is S15's formula for L = 1/2 v'Mv - W(q) from (q0, v0), without constraints. Use "
             "forces = \"symmetric\"";
    return refuse_shift(settings, model);
  };
  record.make = [](const Settings& settings, const SolverOptions& solver, const Model& model) {
    if (!printed(settings) || model.parts().forces.empty())
      return make_rule(QuadratureRule::point(0), settings, solver, model);
    return make_integrator(make_printed_euler(model), settings, solver, model);
  };
  return record;
}

IntegratorRecord stormer_verlet_record() {
  IntegratorRecord record = base_record(
      "stormer_verlet", "Stormer-Verlet: half kick, drift, half kick; explicit, one force evaluation per step",
      "S15, L04 2.4");
  record.claims = [](const Settings&, const ModelClass& model) { return rule_claims(0.5, true, false, true, model); };
  step_by<[](const Settings&) { return QuadratureRule::trapezoid(0.5); }>(record);
  record.bounces = true;
  record.clocks_contact = true;
  record.refusal = [](const Settings& settings, const Model& model) -> std::string {
    if (has_barrier(model) && has_impacts(model))
      return "takes contact by a barrier or by impacts at instants, not both. Give all of them the same `rule`";
    return has_barrier(model) ? layered_verlet_refusal(settings, model) : impact_refusal(model);
  };
  record.make = [](const Settings& settings, const SolverOptions& solver, const Model& model) {
    if (has_barrier(model)) return make_layered_verlet(settings, model);
    return make_rule(QuadratureRule::trapezoid(0.5), settings, solver, model);
  };
  return record;
}

namespace {

// The trapezoidal rule with constraints; without any it is Verlet's method.
template <bool Project>
std::unique_ptr<Integrator> make_verlet(const Settings& settings, const SolverOptions& solver, const Model& model) {
  if (model.constraint_count() == 0) return make_rule(QuadratureRule::trapezoid(0.5), settings, solver, model);
  auto stepper = make_constrained({0, 1}, lobatto_quadrature(2), Project, solver, model);
  return make_integrator(make_impact_steps(std::move(stepper), model), settings, solver, model);
}

IntegratorRecord verlet_with_constraints(std::string name, std::string brief) {
  IntegratorRecord record = base_record(std::move(name), std::move(brief), "L04 2.5");
  step_by<[](const Settings&) { return QuadratureRule::trapezoid(0.5); }>(record);
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
  reflect_at_impacts(record);
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
  step_by<[](const Settings&) { return QuadratureRule::point(0.5); }>(record);
  record.keeps_apart = true;
  record.refusal = refuse_contact;
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
  step_by<[](const Settings& settings) { return QuadratureRule::point(settings.number("alpha")); }>(record);
  record.keeps_apart = true;
  record.refusal = [](const Settings& settings, const Model& model) {
    const std::string refusal = refuse_contact(settings, model);
    return refusal.empty() ? refuse_shift(settings, model) : refusal;
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
  step_by<[](const Settings& settings) { return QuadratureRule::trapezoid(settings.number("alpha")); }>(record);
  return record;
}

namespace {

// Points and weights of the scene's own rule, by ascending points. Without weights all are alike.
QuadratureRule own_rule(const Settings& settings) {
  std::vector<std::pair<double, double>> pairs;
  const std::vector<double>& points = settings.vector("points");
  for (std::size_t i = 0; i < points.size(); ++i)
    pairs.emplace_back(
        points[i], settings.has("weights") ? settings.vector("weights")[i] : 1 / static_cast<double>(points.size()));
  std::sort(pairs.begin(), pairs.end());
  QuadratureRule rule;
  for (const auto& [c, w] : pairs) {
    rule.c.push_back(c);
    rule.w.push_back(w);
  }
  return rule;
}

bool is_symmetric(const QuadratureRule& rule) {
  const std::size_t m = rule.c.size();
  for (std::size_t i = 0; i < m; ++i)
    if (std::abs(rule.c[i] + rule.c[m - 1 - i] - 1) > same_rule || std::abs(rule.w[i] - rule.w[m - 1 - i]) > same_rule)
      return false;
  return true;
}

// Before own_rule() may be called.
std::string rule_fault(const Settings& settings) {
  const std::vector<double>& points = settings.vector("points");
  if (points.empty() || points.size() > 32) return "points: expected 1 to 32 numbers between 0 and 1";
  if (settings.has("weights") && settings.vector("weights").size() != points.size())
    return "weights: expected as many numbers as points";
  const QuadratureRule rule = own_rule(settings);
  double sum = 0;
  for (std::size_t i = 0; i < rule.c.size(); ++i) {
    if (!(rule.c[i] >= 0 && rule.c[i] <= 1)) return "points: expected numbers between 0 and 1, parts of a step";
    if (i > 0 && rule.c[i] == rule.c[i - 1]) return "points: one appears twice; add its weights up";
    sum += rule.w[i];
  }
  if (std::abs(sum - 1) > same_rule)
    return "weights: they sum to " + std::to_string(sum) + ", and the action of a step needs 1";
  return "";
}

}  // namespace

IntegratorRecord straight_line_record() {
  IntegratorRecord record =
      base_record("straight_line", "a straight line in time with a quadrature rule of your own: any points and weights",
                  "K06 4.2, L04 (21)");
  record.parameters.push_back(
      key("points", ValueType::vector, "-", "[0.5]", "where the action is evaluated, parts of a step from 0 to 1"));
  record.parameters.push_back(key("weights", ValueType::vector, "-", "all alike", "of the points; they sum to 1"));
  record.law_variants = {"points = [0, 0.5, 1], weights = ['1/6', '2/3', '1/6']",
                         "points = ['1/2 - sqrt(3)/6', '1/2 + sqrt(3)/6']",
                         "points = [0, '2/3'], weights = [0.25, 0.75]", "points = [0.2, 0.6, 1]"};
  record.claims = [](const Settings& settings, const ModelClass& model) {
    if (!settings.has("points")) return rule_claims(0, false, false, false, model);  // of any rule
    const QuadratureRule rule = own_rule(settings);
    return rule_claims(rule.mean(), is_symmetric(rule), false, rule.explicit_steps(), model);
  };
  record.refusal = [](const Settings& settings, const Model&) { return rule_fault(settings); };
  step_by<own_rule>(record);
  return record;
}

}  // namespace livens
