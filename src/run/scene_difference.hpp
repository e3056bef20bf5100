// Whether a run may be continued with a scene: time.end, outputs and checkpoints may differ, and the solver's keys
// after a failure or a stop.
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

// Whether a run that has failed or was stopped may go on with another value: keys of the solver say how steps are
// solved, not which.
bool may_change(const SceneDifference& difference);

}  // namespace livens
