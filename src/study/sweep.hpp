// Sweeps become cases.
#pragma once

#include "study/plan.hpp"

namespace livens {

// Every combination, the last sweep fastest. Equal cases are kept once. Faults of the values stand where the values do.
std::vector<Case> expand_sweeps(const Study& study, std::vector<std::string>& notes, std::vector<SceneFault>& faults);

}  // namespace livens
