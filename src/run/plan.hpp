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

// What is wrong with a damping that is placed half at each end of implicit steps; empty if nothing is. Momenta at the
// ends of steps are (M - h/2 C) v: beyond h damping_time omega^2 = 2 those of the stiffest modes have the wrong sign.
std::string halved_damping_warning(const RunPlan& plan, double step, double omega);

}  // namespace livens
