// livens adapt: moves the reference nodes of a static scene to where the energy is least.
#include <fmt/format.h>

#include "adapt/adapt_scene.hpp"
#include "progress.hpp"
#include "scene_arguments.hpp"
#include "stopping.hpp"

namespace livens::app {
namespace {

std::string text_of(const AdaptProgress& now, double wall_time) {
  return fmt::format("iteration {}: {:.4g} J gained, forces left {:.1e}, {} elements at the bound, {}", now.iteration,
                     now.gained, now.residual, now.active, duration_text(wall_time));
}

int adapt(const Arguments& arguments) {
  const Scene scene = load_with_changes(arguments.text("SCENE"), arguments);
  AdaptSceneOptions options;
  options.out = arguments.text("--out");
  options.threads = threads_of(arguments);
  options.interrupted = stop_asked;
  const bool quiet = arguments.has("--quiet");
  ProgressLine line;
  if (!quiet)
    options.progress = [&](const AdaptProgress& now, double wall_time) {
      line.show(text_of(now, wall_time), wall_time);
    };
  stop_on_signals();
  const AdaptSceneResult result = adapt_scene(scene, options);
  line.clear();
  print_closing_lines(result.lines, result.exit_code, quiet);
  return result.exit_code;
}

}  // namespace

Command adapt_command() {
  return {
      "adapt",
      "Move the reference nodes of a static scene to where the energy is least",
      "Examples:\n"
      "  livens adapt crack.toml                             into runs/crack_adapted, then runs/crack_adapted-2, ...\n"
      "  livens adapt crack.toml --set adapt.quality=0.3     no element falls below this quality\n"
      "  livens adapt crack.toml --set adapt.tolerance=1e-3  most of the energy, in less time\n"
      "Writes mesh.msh (for mesh.kind = \"file\"), before.vtu, after.vtu, adapt.json and report.html. Ctrl-C ends it\n"
      "with the mesh reached so far.",
      {{"SCENE", "", "scene file with integrator.kind = \"static\"", true, false},
       {"--out", "DIR", "directory, instead of runs/NAME_adapted", false, false},
       set_option(),
       threads_option("number of threads; the results do not depend on it"),
       force_option(),
       {"--quiet", "", "print nothing but errors", false, false}},
      adapt};
}

}  // namespace livens::app
