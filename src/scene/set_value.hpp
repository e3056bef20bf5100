// Changes to a scene by path, for Scene::set and for sweeps.
#pragma once

#include <string>

#include <livens/scene.hpp>

namespace livens {

// Puts a value at section.key, section.name.key or deeper. A table merges into the one that is there. Where a kind
// changes, keys that the new kind does not have are dropped, and scene.notes says so. Records `shown` in
// scene.overrides. Throws SceneError if the path cannot be reached; unknown keys are left to the validation.
void set_value(Scene& scene, const std::string& path, const Node& value, const std::string& shown);

}  // namespace livens
