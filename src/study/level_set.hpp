// Level sets of energies in the phase plane of a system with one coordinate.
#pragma once

#include <functional>
#include <vector>

#include <livens/setup.hpp>

namespace livens {

struct LevelSet {
  std::vector<double> q, v;  // a closed curve
};

// The curve around (q_centre, 0) on which E(q, v) has the value `level`, found along rays; empty if some ray does not
// meet it within `reach` (in q, and as many 1/s in v).
LevelSet level_set(const std::function<double(double q, double v)>& E, double level, double q_centre, double reach);

// Of the energy and of the modified energy of a scene's method, through its start.
struct SceneLevels {
  LevelSet energy, modified;
};
SceneLevels scene_levels(const Scene& scene, double q_centre, double reach);

}  // namespace livens
