// `livens adapt`: the equilibrium of a scene, the mesh of least energy, and what both say about its cracks.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <livens/scene.hpp>

#include "adapt/adapt.hpp"

namespace livens {

struct AdaptSceneOptions {
  std::string out;  // directory; "": runs/NAME_adapted, then runs/NAME_adapted-2, ...
  int threads = 0;  // 0: all cores
  std::function<void(const AdaptProgress&, double wall_time)> progress;
  std::function<bool()> interrupted;
};

struct AdaptSceneResult {
  int exit_code = 0;  // 0 done, 3 no equilibrium or not adapted to the tolerance, 130 interrupted
  std::string directory;
  std::vector<std::string> lines;  // what to tell the user
};

// Throws SceneError for faults of the scene and RunError for faults of files. What was reached is written in any case.
AdaptSceneResult adapt_scene(const Scene& scene, const AdaptSceneOptions& options = {});

}  // namespace livens
