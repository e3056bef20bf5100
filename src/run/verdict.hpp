// The run against the claims of its integrator.
#pragma once

#include <string>
#include <vector>

#include <livens/setup.hpp>

#include "run/recorder.hpp"

namespace livens {

struct Judgement {
  std::string verdict = "not_judged";  // kept, broken
  std::vector<std::string> findings;   // a sentence each
  std::string short_form;              // "Energy error 0.05 % without trend, momentum ledger closed to 2e-13"
};

// What energy errors are compared with: the largest kinetic energy, or the span of the potential if that is larger.
double energy_scale(const Recorder& recorder);

// Whether an energy error moves away rather than swings about; scale as above.
bool is_trend(const Trend& trend, double scale);

Judgement judge(const RunPlan& plan, const Model& model, const Recorder& recorder, const Counters& counters);

}  // namespace livens
