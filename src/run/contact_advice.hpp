// Which method and step suit a scene whose surfaces are kept apart, and what they cost.
#pragma once

#include <string>
#include <vector>

#include <livens/setup.hpp>

namespace livens {

struct ContactAdvice {
  std::vector<std::string> facts;   // of each barrier: distance, speed, in which steps or time a wave crosses a body
  std::vector<std::string> advice;  // method, step, cost; nothing if nothing is kept apart
};

// omega: of the stiffest mode at the start, 0 if it is not known. sweeps: how often an asynchronous run updates its
// elements, on the average; 0 if that is not known, or of others.
ContactAdvice contact_advice(const RunPlan& plan, const Model& model, const State& state, double omega,
                             double sweeps = 0);

// s, that a dilatational wave takes through the smallest of the solids that touch something; infinite if there is none.
double crossing_time(const Model& model, const State& state);

}  // namespace livens
