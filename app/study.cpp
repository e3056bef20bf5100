// livens study: a scene many times, with other methods, steps and parameters, compared.
#include "study/study.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

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

// One line that changes on a terminal, a plain line every ten seconds elsewhere.
class StudyLine {
 public:
  ~StudyLine() { clear(); }

  void show(const StudyProgress& now) {
    const std::string text = text_of(now);
    if (terminal_) {
      std::fprintf(stderr, "\r\033[K%s", text.c_str());
      std::fflush(stderr);
    } else if (now.wall_time - last_plain_ >= 10) {
      std::fprintf(stderr, "%s\n", text.c_str());
      last_plain_ = now.wall_time;
    }
  }
  void clear() {
    if (terminal_) std::fputs("\r\033[K", stderr);
  }

 private:
  static std::string text_of(const StudyProgress& now) {
    const double part = static_cast<double>(now.done) / static_cast<double>(now.total);
    const std::string left =
        now.done > 0 ? "  about " + duration_text(now.wall_time * (1 - part) / part) + " left" : "";
    return fmt::format("{:3.0f} %  {} of {} runs{}", 100 * part, now.done, now.total, left);
  }

  bool terminal_ = ::isatty(STDERR_FILENO) == 1;
  double last_plain_ = 0;
};

int study(const Arguments& arguments) {
  const Study wanted = load_with_changes_of(arguments);
  StudyOptions options;
  options.out = arguments.text("--out");
  options.figures = arguments.text("--figures");
  options.threads = arguments.positive("--threads", 0);
  options.keep_runs = arguments.has("--keep-runs");
  options.interrupted = stop_asked;
  const bool quiet = arguments.has("--quiet");
  StudyLine line;
  if (!quiet) options.progress = [&](const StudyProgress& now) { line.show(now); };
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
           {"--threads", "N", "number of cases at a time; the results do not depend on it", false, false},
           {"--quiet", "", "print nothing but errors", false, false}},
          study};
}

}  // namespace livens::app
