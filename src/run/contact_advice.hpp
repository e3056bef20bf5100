// Which method and step suit a scene whose surfaces are kept apart.
#pragma once

#include <string>
#include <vector>

#include <livens/setup.hpp>

namespace livens {

struct ContactAdvice {
  std::string facts;   // distance, speed, steps in which a wave crosses a body
  std::string advice;  // method and step
};

// One for each barrier. omega: of the stiffest mode at the start, 0 if it is not known.
std::vector<ContactAdvice> contact_advice(const RunPlan& plan, const Model& model, const State& state, double omega);

}  // namespace livens
