// The run against the claims of its integrator.
//
// Energies: energy_error = energy + dissipated - work - energy(start) is judged against what could move at all, the
// energy that the start could release plus the work done since, whether forces act or not. A run is broken if
//   - the error exceeds half of that, or grows from stretch to stretch of its last half;
//   - it has a trend: any that is not negligible for conservative systems, 2 % where forces act or work enters, since
//     their work is itself integrated to the order of the method only;
//   - a force that dissipates has given energy;
//   - it is claimed exact and is not, up to rounding and to what the solver leaves.
// Momenta that are claimed exact are so up to the same two.
#pragma once

#include <string>
#include <vector>

#include <livens/setup.hpp>

#include "run/recorder.hpp"

namespace livens {

struct Judgement {
  std::string verdict = "not_judged";  // kept, broken
  std::vector<std::string> findings;   // a sentence each
  std::vector<std::string> broken;     // those that break it
  std::string short_form;              // "Energy error 0.05 % without trend, momentum ledger closed to 2e-13"
};

// What energy errors are compared with: kinetic energy at the start, what the potential has released since, and work.
double energy_scale(const Recorder& recorder, const Model& model);

// Whether an energy error moves away rather than swings about; negligible: changes that do not count, J.
bool is_trend(const Trend& trend, double negligible);

Judgement judge(const RunPlan& plan, const Model& model, const Recorder& recorder, const Counters& counters);

}  // namespace livens
