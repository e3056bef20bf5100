// livens study: a scene many times, with other methods, steps and parameters, compared.
#include "study/study.hpp"

#include <fmt/format.h>

#include "progress.hpp"
#include "scene_arguments.hpp"
#include "stopping.hpp"

namespace livens::app {
namespace {

Study load_with_changes_of(const Arguments& arguments) {
  Study study = load_study(arguments.text("STUDY"));
  for (const std::string& change : arguments.list("--set")) {
    const std::size_t equals = change.find('=');
    if (equals == std::string::npos || equals == 0)
      throw UsageError("--set " + change + ": expected KEY=VALUE, such as time.end=100");
    study.set(change.substr(0, equals), change.substr(equals + 1));
  }
  return study;
}

std::string text_of(const StudyProgress& now) {
  const double part = static_cast<double>(now.done) / static_cast<double>(now.total);
  const std::string left = now.done > 0 ? "  about " + duration_text(now.wall_time * (1 - part) / part) + " left" : "";
  return fmt::format("{:3.0f} %  {} of {} runs{}", 100 * part, now.done, now.total, left);
}

int study(const Arguments& arguments) {
  const Study wanted = load_with_changes_of(arguments);
  StudyOptions options;
  options.out = arguments.text("--out");
  options.figures = arguments.text("--figures");
  options.threads = threads_of(arguments);
  options.keep_runs = arguments.has("--keep-runs");
  options.interrupted = stop_asked;
  const bool quiet = arguments.has("--quiet");
  ProgressLine line;
  if (!quiet) options.progress = [&](const StudyProgress& now) { line.show(text_of(now), now.wall_time); };
  stop_on_signals();
  const StudyResult result = run_study(wanted, options);
  line.clear();
  print_closing_lines(result.lines, result.exit_code, quiet);
  return result.exit_code;
}

}  // namespace

Command study_command() {
  return {"study",
          "Run a scene with many methods, steps or parameters, and compare",
          "Examples:\n"
          "  livens study pendulum_study.toml                        into runs/pendulum_study, then "
          "runs/pendulum_study-2, ...\n"
          "  livens study pendulum_study.toml --set time.end=100     a key of the scene\n"
          "  livens study pendulum_study.toml --set 'sweep.integrator.step.values=[0.1, 0.05]'\n"
          "  livens study pendulum_study.toml --figures figures      the plots as SVG files, too",
          {{"STUDY", "", "study file", true, false},
           {"--out", "DIR", "directory, instead of runs/NAME", false, false},
           {"--set", "KEY=VALUE", "change a value of the scene or of the study, by its path", false, true},
           {"--figures", "DIR", "write the plots as SVG into this directory", false, false},
           {"--keep-runs", "", "write a run directory for every case", false, false},
           threads_option("number of cases at a time; the results do not depend on it"),
           force_option(),
           {"--quiet", "", "print nothing but errors", false, false}},
          study};
}

}  // namespace livens::app
