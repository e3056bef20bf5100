// livens path: the motion between two positions at two times, as a stationary action.
#include <fmt/format.h>

#include "path/path_scene.hpp"
#include "progress.hpp"
#include "scene_arguments.hpp"
#include "stopping.hpp"

namespace livens::app {
namespace {

int path(const Arguments& arguments) {
  const Scene scene = load_with_changes(arguments.text("SCENE"), arguments);
  PathSceneOptions options;
  options.out = arguments.text("--out");
  options.threads = arguments.positive("--threads", 0);
  options.interrupted = stop_asked;
  const bool quiet = arguments.has("--quiet");
  ProgressLine line;
  if (!quiet)
    options.progress = [&](const PathProgress& now, double wall_time) {
      line.show(fmt::format("iteration {}: first variation {:.1e} of its summands, {}", now.iteration, now.residual,
                            duration_text(wall_time)),
                wall_time);
    };
  stop_on_signals();
  const PathSceneResult result = path_scene(scene, options);
  line.clear();
  print_closing_lines(result.lines, result.exit_code, quiet);
  return result.exit_code;
}

}  // namespace

Command path_command() {
  return {"path",
          "Find the motion between two positions at two times, as a stationary action",
          "Examples:\n"
          "  livens path throw.toml                               into runs/throw_path, then runs/throw_path-2, ...\n"
          "  livens path throw.toml --set path.steps=1000         with other steps\n"
          "  livens path throw.toml --set path.find=minimum       only go downhill\n"
          "Writes path.csv, summary.json, report.html and path.svg: the path, its action, first and second variation,\n"
          "perturbed paths and conjugate points.",
          {{"SCENE", "", "scene file with a [path]", true, false},
           {"--out", "DIR", "directory, instead of runs/NAME_path", false, false},
           set_option(),
           {"--threads", "N", "number of threads; the results do not depend on it", false, false},
           {"--quiet", "", "print nothing but errors", false, false}},
          path};
}

}  // namespace livens::app
