// livens modes: frequencies and shapes of small oscillations.
#include <fmt/format.h>

#include "modes/modes_scene.hpp"
#include "progress.hpp"
#include "scene_arguments.hpp"
#include "stopping.hpp"

namespace livens::app {
namespace {

int modes(const Arguments& arguments) {
  const Scene scene = load_with_changes(arguments.text("SCENE"), arguments);
  ModesSceneOptions options;
  options.out = arguments.text("--out");
  options.threads = threads_of(arguments);
  options.interrupted = stop_asked;
  const bool quiet = arguments.has("--quiet");
  ProgressLine line;
  if (!quiet)
    options.progress = [&](const std::string& what, double wall_time) {
      line.show(fmt::format("{}, {}", what, duration_text(wall_time)), wall_time);
    };
  stop_on_signals();
  const ModesSceneResult result = modes_scene(scene, options);
  line.clear();
  print_closing_lines(result.lines, result.exit_code, quiet);
  return result.exit_code;
}

}  // namespace

Command modes_command() {
  return {"modes",
          "Find the frequencies and shapes of small oscillations",
          "Examples:\n"
          "  livens modes beam.toml                                into runs/beam_modes, then runs/beam_modes-2, ...\n"
          "  livens modes beam.toml --set modes.count=30           more of them\n"
          "  livens modes beam.toml --set modes.near=440           those closest to 440 Hz\n"
          "  livens modes string.toml --set integrator.kind=static about the equilibrium under its loads\n"
          "  livens view runs/beam_modes                           the shapes, side by side\n"
          "Writes modes.csv, summary.json, report.html with moving shapes, BODY.vtu with a vector field for each mode\n"
          "(ParaView: Warp By Vector), and runs/mode_*: a recording of one swing, for `livens view` and `export`.",
          {{"SCENE", "", "scene file", true, false},
           {"--out", "DIR", "directory, instead of runs/NAME_modes", false, false},
           set_option(),
           threads_option("number of threads; the results do not depend on it"),
           force_option(),
           {"--quiet", "", "print nothing but errors", false, false}},
          modes};
}

}  // namespace livens::app
