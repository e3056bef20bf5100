// What can be changed while a scene runs: step, alpha, damping and gravity, and the parameters of systems.
#pragma once

#include <string>
#include <vector>

#include <livens/scene.hpp>

namespace livens {

struct Control {
  std::string key;  // path in the scene, as for --set; of gravity its size along the direction it has in the scene
  std::string label, unit;
  double value = 0, least = 0, largest = 0;  // may be infinite
  bool logarithmic = false;
};

// `original`: the scene before any change, which gravity's direction is taken from.
std::vector<Control> controls_of(const Scene& scene, const Scene& original);
// Throws ViewError if there is no such control, and SceneError if the scene cannot take the value; the result is not
// validated.
void set_control(Scene& scene, const Scene& original, const std::string& key, double value);

}  // namespace livens
