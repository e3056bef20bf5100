// livens compare: what differs between runs, and what that did.
#include "export/compare.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "command.hpp"

namespace livens::app {
namespace {

int compare(const Arguments& arguments) {
  const std::vector<std::string>& runs = arguments.list("RUN");
  if (runs.size() < 2) throw UsageError("livens compare takes two runs or more: livens compare runs/bar runs/bar-2");
  const Comparison comparison = compare_runs(runs);
  if (arguments.has("--json")) {
    fmt::print("{}", comparison.json());
    return done;
  }
  fmt::print("livens compare {}: {}\n", fmt::join(runs, " "), comparison.sentence);
  for (const std::string& note : comparison.notes) fmt::print("note      {}\n", note);
  fmt::print("\n{}", comparison.text());
  return done;
}

}  // namespace

Command compare_command() {
  return {"compare",
          "Print the keys in which runs differ, and their effect",
          "Examples:\n"
          "  livens compare runs/bar runs/bar-2\n"
          "  livens compare runs/bar runs/bar-2 runs/bar-3 --json\n"
          "Numbers are those at the end of the time span that all runs share, from history.csv.",
          {{"RUN", "", "run directories, two or more", true, true}, {"--json", "", "as JSON", false, false}},
          compare};
}

}  // namespace livens::app
