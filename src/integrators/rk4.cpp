// The classical Runge-Kutta method and explicit Euler: the papers' comparison methods and our negative controls.
#include <livens/registry.hpp>

#include "integrators/runge_kutta.hpp"

namespace livens {

IntegratorRecord explicit_euler_record() {
  IntegratorRecord record;
  record.name = "explicit_euler";
  record.brief = "forward Euler: gains energy; for comparison only";
  record.citation = "S15";
  record.parameters = {step_parameter()};
  record.claims = [](const Settings&, const ModelClass&) {
    Claims claims;
    claims.order = 1;
    claims.explicit_steps = true;
    return claims;
  };
  record.make = [](const Settings& settings, const SolverOptions& solver, const Model& model) {
    const Tableau euler{{{}}, {1}, {0}, {}};
    return make_integrator(std::make_unique<RungeKuttaStepper>(euler, model), settings, solver, model);
  };
  return record;
}

IntegratorRecord rk4_record() {
  IntegratorRecord record;
  record.name = "rk4";
  record.brief = "the classical Runge-Kutta method of order 4: accurate for short runs, loses energy in long ones";
  record.citation = "L04 2.2";
  record.parameters = {step_parameter()};
  record.claims = [](const Settings&, const ModelClass&) {
    Claims claims;
    claims.order = 4;
    claims.energy = EnergyClaim::dissipating;
    claims.explicit_steps = true;
    claims.note = "loses energy where its steps resolve the motion";
    return claims;
  };
  record.make = [](const Settings& settings, const SolverOptions& solver, const Model& model) {
    const Tableau classical{{{}, {0.5}, {0, 0.5}, {0, 0, 1}}, {1. / 6, 1. / 3, 1. / 3, 1. / 6}, {0, 0.5, 0.5, 1}, {}};
    return make_integrator(std::make_unique<RungeKuttaStepper>(classical, model), settings, solver, model);
  };
  return record;
}

}  // namespace livens
