// Whether a run may be continued with a scene: only time.end, outputs and checkpoints may differ.
#pragma once

#include <string>
#include <vector>

#include <livens/scene.hpp>

namespace livens {

struct SceneDifference {
  std::string path;         // material.rubber.young
  std::string there, here;  // as TOML, or "not given"
};
std::vector<SceneDifference> scene_differences(const Scene& there, const Scene& here);

// "material.rubber.young is 5e5 there, 6e5 here": one text per value that differs and matters.
std::vector<std::string> differences_that_matter(const Scene& there, const Scene& here);

}  // namespace livens
