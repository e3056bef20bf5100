// `livens path`: the motion of a scene between two positions as a stationary action, with its files.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <livens/path.hpp>
#include <livens/scene.hpp>

namespace livens {

struct PathSceneOptions {
  std::string out;  // directory; "": runs/NAME_path, then runs/NAME_path-2, ...
  int threads = 0;  // 0: all cores
  std::function<void(const PathProgress&, double wall_time)> progress;
  std::function<bool()> interrupted;
};

struct PathSceneResult {
  int exit_code = 0;  // 0 done, 3 no path found, 130 interrupted
  std::string directory;
  std::vector<std::string> lines;  // what to tell the user
};

// Throws SceneError for faults of the scene and RunError for faults of files.
PathSceneResult path_scene(const Scene& scene, const PathSceneOptions& options = {});

}  // namespace livens
