// livens run: a scene from its start, or from where another run stands, to its end.
#include <filesystem>

#include <livens/run.hpp>

#include "progress.hpp"
#include "scene_arguments.hpp"
#include "stopping.hpp"

namespace livens::app {
namespace {

// A run directory names the scene that ran in it, for --resume.
std::string scene_file(const Arguments& arguments) {
  const std::string path = arguments.text("SCENE");
  const bool is_run = std::filesystem::is_directory(path) && std::filesystem::exists(path + "/scene.toml");
  return is_run && arguments.has("--resume") ? path + "/scene.toml" : path;
}

RunOptions options_of(const Arguments& arguments) {
  if (arguments.has("--resume") && arguments.has("--from"))
    throw UsageError("--resume continues a run, --from begins a new one: use one of them");
  RunOptions options;
  options.out = arguments.text("--out");
  options.resume = arguments.has("--resume");
  options.from = arguments.text("--from");
  options.threads = threads_of(arguments);
  options.profile = arguments.has("--profile");
  if (options.resume && options.out.empty() && std::filesystem::is_directory(arguments.text("SCENE")))
    options.out = arguments.text("SCENE");
  options.interrupted = stop_asked;
  return options;
}

int run_scene(const Arguments& arguments) {
  const Scene scene = load_with_changes(scene_file(arguments), arguments);
  RunOptions options = options_of(arguments);
  const bool quiet = arguments.has("--quiet");
  ProgressLine progress;
  if (!quiet) options.progress = [&](const Progress& now) { progress.show(progress_text(now), now.wall_time); };
  stop_on_signals();
  const RunResult result = run(scene, options);
  progress.clear();
  print_closing_lines(result.lines, result.exit_code, quiet);
  return result.exit_code;
}

}  // namespace

Command run_command() {
  return {"run",
          "Run a scene and write its run directory",
          "Examples:\n"
          "  livens run pendulum.toml                                into runs/pendulum, then runs/pendulum-2, ...\n"
          "  livens run pendulum.toml --out there                    an existing run there is replaced\n"
          "  livens run pendulum.toml --set integrator.kind=rk4 --set integrator.step=0.05\n"
          "  livens run pendulum.toml --resume                       continues bit for bit from the last checkpoint\n"
          "  livens run pendulum.toml --resume --set time.end=100    and further\n"
          "  livens run pendulum.toml --from runs/pendulum --set integrator.step=0.001\n"
          "Ctrl-C ends a run cleanly; --resume continues from there.",
          {{"SCENE", "", "scene file; with --resume also a run directory", true, false},
           {"--out", "DIR", "run directory, instead of runs/NAME", false, false},
           set_option(),
           {"--resume", "", "continue the newest run of this scene, or the one in --out", false, false},
           {"--from", "RUN", "begin a new run from the last state of another", false, false},
           threads_option("number of threads; the results do not depend on it"),
           force_option(),
           {"--profile", "", "say where the time went, also in summary.json", false, false},
           {"--quiet", "", "print nothing but errors", false, false}},
          run_scene};
}

}  // namespace livens::app
