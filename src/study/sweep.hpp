// Sweeps become cases.
#pragma once

#include "study/plan.hpp"

namespace livens {

// A value as the study has it, texts without quotes.
std::string written(const Node& value);

// Whether some case has a value for this key.
bool is_swept(const StudyPlan& plan, const std::string& key);

// { body.slab.mesh.refine = 5 } as body.slab.mesh.refine and 5.
std::vector<std::pair<std::string, Node>> flattened(const Node& table);

// Every combination, the last sweep fastest. Equal cases are kept once. Faults of the values stand where the values do.
std::vector<Case> expand_sweeps(const Study& study, std::vector<std::string>& notes, std::vector<SceneFault>& faults);

}  // namespace livens
