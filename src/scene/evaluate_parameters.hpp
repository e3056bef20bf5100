// The section [parameters]: named numbers that may refer to each other in any order.
#pragma once

#include "scene/schema.hpp"

namespace livens {

struct EvaluatedParameters {
  ParameterValues values;                                     // broken ones are 0
  std::set<std::string, std::less<>> broken;                  // those with a fault
  std::map<std::string, std::vector<std::string>> refers_to;  // each to the parameters that its expression names
};

// `table` may be null.
EvaluatedParameters evaluate_parameters(const Node* table, std::vector<SceneFault>& faults);

// Faults for parameters that hide what expressions bind themselves, and for those of --set that nothing uses; notes for
// those of the scene that nothing uses. context.used and context.variables are those of the whole scene.
std::vector<std::string> check_parameters(const Scene& scene, const EvaluatedParameters& parameters, Context& context);

}  // namespace livens
