// livens export: finished runs as files for other programs.
#include "export/export.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "command.hpp"
#include "stopping.hpp"

namespace livens::app {
namespace {

std::optional<double> number(const Arguments& arguments, const std::string& name) {
  const std::string given = arguments.text(name);
  if (given.empty()) return std::nullopt;
  double value = 0;
  const auto parsed = std::from_chars(given.data(), given.data() + given.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != given.data() + given.size() || !std::isfinite(value))
    throw UsageError(name + " " + given + ": expected a number");
  return value;
}

// Names in several options, or after commas.
std::vector<std::string> names(const Arguments& arguments, const std::string& option) {
  std::vector<std::string> result;
  for (const std::string& list : arguments.list(option))
    for (std::size_t at = 0; at <= list.size();) {
      const std::size_t comma = std::min(list.find(',', at), list.size());
      if (comma > at) result.push_back(list.substr(at, comma - at));
      at = comma + 1;
    }
  return result;
}

int export_command_run(const Arguments& arguments) {
  ExportOptions options;
  options.out = arguments.text("--out");
  options.fields = names(arguments, "--fields");
  options.bodies = names(arguments, "--body");
  options.columns = names(arguments, "--columns");
  options.choice.every = arguments.positive("--every", 0);
  options.choice.from = number(arguments, "--from");
  options.choice.to = number(arguments, "--to");
  options.choice.fps = number(arguments, "--fps").value_or(0);
  if (arguments.has("--fps") && options.choice.fps <= 0)
    throw UsageError("--fps " + arguments.text("--fps") + ": expected a number above 0");
  options.interrupted = stop_asked;
  stop_on_signals();
  const std::vector<std::string>& runs = arguments.list("RUN");
  const std::string format = arguments.text("--format");
  const std::string command = fmt::format("livens export {} --format {}: ", fmt::join(runs, " "), format);
  try {
    const ExportResult exported = export_runs(format, runs, options);
    fmt::print("{}{}\n", command, exported.text);
    for (const std::string& note : exported.notes) fmt::print("note      {}\n", note);
    return done;
  } catch (const ExportInterrupted& interruption) {
    fmt::print(stderr, "{}{}\n", command, interruption.what());
    return interrupted;
  }
}

std::string formats_text() {
  std::string text = "Formats:\n";
  for (const ExportFormat& format : export_formats()) text += fmt::format("  {:<9} {}\n", format.name, format.brief);
  return text;
}

}  // namespace

Command export_command() {
  return {"export",
          "Write a finished run as a page, for Blender, for ParaView or as a table",
          formats_text() +
              "Examples:\n"
              "  livens export runs/bunny --format html                       bunny.html, self-contained\n"
              "  livens export runs/bar runs/bar-2 --format html              side by side\n"
              "  livens export runs/bunny --format blender --fps 30           bunny_blender/, with open.py\n"
              "  livens export runs/bar --format vtu --fields stress --from 1 --to 2\n"
              "  livens export runs/bar --format csv --columns energy,kinetic\n"
              "  livens export runs/bar --format csv --body bar               positions of its nodes",
          {{"RUN", "", "run directories", true, true},
           {"--format", "FORMAT", "html, blender, vtu or csv", true, false},
           {"--out", "PATH", "file or directory to write; default: by the name of the run", false, false},
           {"--fields", "NAMES",
            "only these recorded fields, separated by commas; html also gets arrows of vector fields", false, true},
           {"--body", "NAMES", "only these bodies", false, true},
           {"--columns", "NAMES", "only these columns of the history", false, true},
           {"--every", "N", "every N-th frame, or row of the history", false, false},
           {"--from", "T", "from this time on, s", false, false},
           {"--to", "T", "up to this time, s", false, false},
           {"--fps", "N", "N frames per simulated second", false, false}},
          export_command_run};
}

}  // namespace livens::app
