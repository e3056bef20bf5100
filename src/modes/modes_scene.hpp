// `livens modes`: the normal modes of a scene at its start, or at the equilibrium that `static` reaches, as files.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <livens/scene.hpp>

namespace livens {

struct ModesSceneOptions {
  std::string out;  // directory; "": runs/NAME_modes, then runs/NAME_modes-2, ...
  int threads = 0;  // 0: all cores
  std::function<void(const std::string& what, double wall_time)> progress;
  std::function<bool()> interrupted;
};

struct ModesSceneResult {
  int exit_code = 0;  // 0 done, 3 no equilibrium or no modes, 130 interrupted
  std::string directory;
  std::vector<std::string> lines;  // what to tell the user
};

// Throws SceneError for faults of the scene and RunError for faults of files, or for a model that has no normal modes.
ModesSceneResult modes_scene(const Scene& scene, const ModesSceneOptions& options = {});

}  // namespace livens
