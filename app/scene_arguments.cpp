#include "scene_arguments.hpp"

namespace livens::app {

Option set_option() {
  return {"--set", "KEY=VALUE",
          "change a value of the scene, by its path: integrator.step=0.01, force.spring.stiffness=2", false, true};
}

Scene load_with_changes(const std::string& path, const Arguments& arguments) {
  Scene scene = load_scene(path);
  for (const std::string& change : arguments.list("--set")) {
    const std::size_t equals = change.find('=');
    if (equals == std::string::npos || equals == 0)
      throw UsageError("--set " + change + ": expected KEY=VALUE, such as integrator.step=0.01");
    scene.set(change.substr(0, equals), change.substr(equals + 1));
  }
  return scene;
}

}  // namespace livens::app
