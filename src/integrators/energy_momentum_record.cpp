#include <algorithm>

#include <livens/registry.hpp>
#include <livens/scene.hpp>

#include "integrators/energy_momentum.hpp"

namespace livens {

bool has_barrier(const Model& model) {
  const auto& terms = model.parts().terms;
  return std::any_of(terms.begin(), terms.end(), [](const auto& term) { return term->barrier() != nullptr; });
}

void add_contact_claims(const ModelClass& model, Claims& claims) {
  claims.symplectic = Symplectic::no;
  if (!model.barrier_losses) return;
  claims.order = 1;
  claims.symmetric = false;
}

IntegratorRecord energy_momentum_record() {
  IntegratorRecord record;
  record.name = "energy_momentum";
  record.brief = "discrete derivatives: energy exact at any step, and momenta with the equivariant one";
  record.citation = "E04 3, 4";
  record.parameters = {step_parameter(),
                       one_of(key("derivative", ValueType::name, "-", "equivariant",
                                  "discrete derivative of potentials and constraints: E, A, B, C, D of E04"),
                              {"equivariant", "scaled_midpoint", "collocation", "corrected_midpoint", "partitioned"})};
  record.law_variants = {""};  // the other derivatives are not solvable everywhere: tests/published/e04_test.cpp
  record.holds_constraints = true;
  record.keeps_apart = true;
  record.keeps_held_apart = true;
  record.claims = [](const Settings& settings, const ModelClass& model) {
    Claims claims;
    const std::string& form = settings.text("derivative");
    claims.order = 2;
    claims.symmetric = true;
    const bool may_fall_back = form == "scaled_midpoint" || form == "collocation";
    claims.energy = may_fall_back ? EnergyClaim::bounded : EnergyClaim::exact;
    if (may_fall_back)
      claims.note = "exact while its equation has a solution; the report counts the steps where it has none";
    const bool keeps = form == "equivariant" || form == "scaled_midpoint";
    claims.linear_momentum = keeps || form == "collocation" ? Keeps::exact : Keeps::no;
    claims.angular_momentum = keeps ? Keeps::exact : Keeps::no;
    if (form == "equivariant" && !model.discrete_gradients) {
      claims.linear_momentum = claims.angular_momentum = Keeps::no;
      claims.note =
          "a potential without a discrete derivative of its own (add_discrete_gradient) is taken as one "
          "function of all its coordinates, which keeps the energy and not the momenta";
    }
    if (!model.torque_free_constraints) {
      claims.angular_momentum = Keeps::no;
      claims.note =
          "a constraint whose force has a moment where it does not hold, in the middle of a step: the "
          "angular momentum is kept to second order";
    }
    if (model.barriers) add_contact_claims(model, claims);
    return claims;
  };
  record.refusal = [](const Settings& settings, const Model& model) -> std::string {
    if (has_barrier(model) && settings.text("derivative") != "equivariant")
      return "keeps surfaces apart with derivative = \"equivariant\" only: a barrier has no other discrete derivative";
    if (model.separable()) return "";
    return "needs a Lagrangian of the form 1/2 v'Mv - W(q) with a constant mass matrix. Use implicit_midpoint or "
           "galerkin";
  };
  record.make = [](const Settings& settings, const SolverOptions& options, const Model& model) {
    SolverOptions solver = options;
    const DerivativeForm form = derivative_form(settings.text("derivative"));
    auto stepper = make_energy_momentum(form, solver, model);
    return make_integrator(std::move(stepper), settings, solver, model);
  };
  return record;
}

}  // namespace livens
