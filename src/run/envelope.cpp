#include "run/envelope.hpp"

#include <algorithm>
#include <cmath>

#include <livens/registry.hpp>
#include <livens/scene.hpp>

namespace livens {
namespace {

constexpr double largest_reach = 3;     // h omega_max, at strains of 20 % (docs/solids.md)
constexpr double enough_damping = 0.7;  // of the size of the stiffest modes is left after a step (bunny_coarse.toml)

// The midpoint rule turns a mode with h omega -> infinity around in every step; damping_time times the stiffness leaves
// |1 - 2 r| / (1 + 2 r) of it, r = damping_time / h.
double left_of_stiffest(double damping_time, double h) {
  const double r = damping_time / h;
  return std::abs(1 - 2 * r) / (1 + 2 * r);
}

bool has_steps(const IntegratorRecord& record) {
  const auto& keys = record.parameters;
  return std::any_of(keys.begin(), keys.end(), [](const Parameter& key) { return key.key == "step"; });
}

}  // namespace

std::string exact_energy_method(const Model& model) {
  for (const IntegratorRecord& record : integrator_records()) {
    if (!has_steps(record) || (model.constraint_count() > 0 && !record.holds_constraints)) continue;
    const Settings settings = integrator_settings("kind = '" + record.name + "', step = 1");
    const Claims claims = record.claims(settings, model.model_class());
    if (claims.energy != EnergyClaim::exact || claims.linear_momentum != Keeps::exact ||
        claims.angular_momentum != Keeps::exact)
      continue;
    if (record.refusal == nullptr || record.refusal(settings, model).empty()) return record.name;
  }
  return "";
}

bool beyond_envelope(const RunPlan& plan, const Model& model, double step, double omega) {
  if (plan.claims.explicit_steps || plan.claims.energy != EnergyClaim::bounded) return false;
  const auto& terms = model.parts().terms;
  const auto any = [&](auto is) { return std::any_of(terms.begin(), terms.end(), is); };
  return any([](const auto& term) { return term->elements() != nullptr; }) &&
         any([](const auto& term) { return !term->obstacles().empty(); }) && step * omega > largest_reach &&
         left_of_stiffest(plan.damping_time, step) > enough_damping;
}

}  // namespace livens
