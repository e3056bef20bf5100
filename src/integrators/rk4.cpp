// The classical Runge-Kutta method and explicit Euler: the papers' comparison methods and our negative controls.
#include <livens/registry.hpp>

#include "integrators/runge_kutta.hpp"

namespace livens {
namespace {

Parameter project_parameter() {
  return key("project", ValueType::boolean, "-", "false",
             "with constraints: move positions and velocities onto them after each step; otherwise they drift");
}

}  // namespace

IntegratorRecord explicit_euler_record() {
  IntegratorRecord record;
  record.name = "explicit_euler";
  record.brief = "forward Euler: gains energy; for comparison only";
  record.citation = "S15";
  record.parameters = {step_parameter(), project_parameter()};
  record.holds_constraints = true;
  record.claims = [](const Settings&, const ModelClass& model) {
    Claims claims;
    claims.order = 1;
    claims.explicit_steps = !model.constrained;
    return claims;
  };
  record.make = [](const Settings& settings, const SolverOptions& solver, const Model& model) {
    const Tableau euler{{{}}, {1}, {0}, {}};
    return make_integrator(std::make_unique<RungeKuttaStepper>(euler, model, settings.flag("project")), settings,
                           solver, model);
  };
  return record;
}

IntegratorRecord rk4_record() {
  IntegratorRecord record;
  record.name = "rk4";
  record.brief = "the classical Runge-Kutta method of order 4: accurate for short runs, loses energy in long ones";
  record.citation = "L04 2.2";
  record.parameters = {step_parameter(), project_parameter()};
  record.holds_constraints = true;
  record.claims = [](const Settings& settings, const ModelClass& model) {
    Claims claims;
    claims.order = 4;
    claims.energy = model.constrained ? EnergyClaim::drifting : EnergyClaim::dissipating;
    claims.explicit_steps = !model.constrained;
    claims.note = "loses energy where its steps resolve the motion";
    if (model.constrained)
      claims.note = settings.flag("project") ? "the constraints hold by projection" : "drifts off the constraints";
    return claims;
  };
  record.make = [](const Settings& settings, const SolverOptions& solver, const Model& model) {
    const Tableau classical{{{}, {0.5}, {0, 0.5}, {0, 0, 1}}, {1. / 6, 1. / 3, 1. / 3, 1. / 6}, {0, 0.5, 0.5, 1}, {}};
    return make_integrator(std::make_unique<RungeKuttaStepper>(classical, model, settings.flag("project")), settings,
                           solver, model);
  };
  return record;
}

}  // namespace livens
