// What a scene says about its run.
#pragma once

#include <livens/setup.hpp>

#include "scene/schema.hpp"

namespace livens {

// Throws SceneError with all faults.
RunPlan make_plan(const Scene& scene, const ValidatedScene& validated, const Model& model,
                  const std::map<std::string, NodeSet>& selections);

// For a model that is there already.
RunPlan make_plan(const Scene& scene, const Model& model);
// For those who read more of the scene than a setup keeps.
Setup make_setup(const Scene& scene, const ValidatedScene& valid);

}  // namespace livens
