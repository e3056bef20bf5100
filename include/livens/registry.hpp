// The registry of integrators. Those of bodies, forces, constraints and materials are in assembly.hpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <livens/discrete_lagrangian.hpp>
#include <livens/integrator.hpp>
#include <livens/records.hpp>
#include <livens/settings.hpp>

namespace livens {

struct IntegratorRecord : Record {
  Claims (*claims)(const Settings& settings, const ModelClass& model) = nullptr;
  // Why this method cannot run that model; empty if it can.
  std::string (*refusal)(const Settings& settings, const Model& model) = nullptr;
  std::unique_ptr<Integrator> (*make)(const Settings& settings, const SolverOptions& solver,
                                      const Model& model) = nullptr;
  // The discrete Lagrangian whose steps the method takes without constraints; null or nothing if it has none.
  std::optional<DiscreteLagrangian> (*discrete_lagrangian)(const Settings& settings) = nullptr;
  bool holds_constraints = false;  // by multipliers
  bool keeps_apart = false;        // steps with barriers of contact (EnergyTerm::barrier)
  bool keeps_held_apart = false;   // also where multipliers or supports that move hold what touches
  bool clocks_contact = false;     // steps with barriers as layers on clocks of their own
  bool bounces = false;            // stops at impacts (EnergyTerm::impacts)
  // Settings under which the laws measure this record, as scene text of the integrator's keys without step.
  std::vector<std::string> law_variants = {""};
};

Registry<IntegratorRecord>& integrator_records();

// What the method claims with its settings, the control of its steps included.
Claims claims_of(const IntegratorRecord& record, const Settings& settings, const ModelClass& model);

}  // namespace livens
