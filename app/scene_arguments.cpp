#include "scene_arguments.hpp"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

namespace livens::app {

Option set_option() {
  return {"--set", "KEY=VALUE",
          "change a value of the scene, by its path: integrator.step=0.01, force.spring.stiffness=2", false, true};
}

Option threads_option(const std::string& brief) { return {"--threads", "N", brief, false, false}; }

int threads_of(const Arguments& arguments) {
  constexpr int some = 256;
  constexpr double stack = 8.4e6;  // bytes that a thread may come to take
  const int asked = arguments.positive("--threads", 0);
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const int most = std::max(some, 16 * cores);
  if (asked > most && !arguments.has("--force"))
    throw UsageError(
        fmt::format("--threads {}: that many need up to {:.3g} GB, and this machine runs {} at a time; at "
                    "most {} are taken. --force continues anyway",
                    asked, asked * stack / 1e9, cores, most));
  return asked;
}

Option force_option() {
  return {"--force", "", "continue although memory or the number of threads will probably not suffice", false, false};
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
