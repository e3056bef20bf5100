// A run that failed because an expression of its scene has no finite value on the way.
#pragma once

#include <optional>
#include <string>

#include <livens/setup.hpp>

#include "math/expression_watch.hpp"

namespace livens {

// What a failed step from `state` met, if it was that: looked for between q and q + h v, and then, where nothing else
// could have met numbers that are not finite, by a repetition of the step.
std::optional<UndefinedExpression> undefined_in_step(const Scene& scene, const Model& model, const RunPlan& plan,
                                                     const State& state, const StepReport& report);

// "'k*sqrt(x)' is not finite at x = -1: sqrt(-1) (scene.toml:12:8: system.potential)"
std::string undefined_text(const UndefinedExpression& undefined, const Node& scene);

}  // namespace livens
