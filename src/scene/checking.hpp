// What check_scene does beyond the schema.
#pragma once

#include "scene/schema.hpp"

namespace livens {

// Builds what the scene describes as far as its faults show without a run, and appends them. Called only if the schema
// found none.
using BuildCheck = void (*)(const Scene& scene, const ValidatedScene& validated, std::vector<SceneFault>& faults);

// All faults of a scene or study; `build_check` may be null.
std::vector<SceneFault> faults_of(const Scene& scene, BuildCheck build_check);

}  // namespace livens
