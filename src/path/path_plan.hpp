// What [path] says: the ends, the number of steps, and where the search begins.
#pragma once

#include <vector>

#include <livens/path.hpp>
#include <livens/setup.hpp>

#include "scene/schema.hpp"

namespace livens {

struct PathPlan {
  PathEnds ends;
  PathOptions options;
  int eigenvalues = 6;
  double amplitude = 0.3;  // of perturbed paths, over the extent of the path
};

// Throws SceneError.
PathPlan path_plan(const ValidatedScene& scene, const Setup& setup);

}  // namespace livens
