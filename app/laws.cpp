// livens laws: measures what the records claim.
#include <cstdio>
#include <stdexcept>

#include <unistd.h>

#include <livens/laws.hpp>

#include "command.hpp"

namespace livens::app {
namespace {

constexpr const char* clear_line = "\r\033[K";

// One line that changes on a terminal, nothing elsewhere: the table is what a file or pipe wants.
void show(const LawProgress& progress) {
  std::fprintf(stderr, "%s%d of %d  %s", clear_line, progress.done + 1, progress.total, progress.what.c_str());
  std::fflush(stderr);
}

int measure(const Arguments& arguments) {
  const bool terminal = isatty(STDERR_FILENO) != 0;
  std::vector<LawResult> results;
  try {
    results = measure_laws(arguments.list("NAME"), terminal ? show : std::function<void(const LawProgress&)>());
  } catch (const std::out_of_range& error) {
    throw UsageError(error.what());
  }
  if (terminal) std::fputs(clear_line, stderr);
  const std::string text = arguments.has("--markdown") ? laws_markdown(results) : laws_table(results);
  std::fputs(text.c_str(), stdout);
  return all_hold(results) ? done : numerical_failure;
}

}  // namespace

Command laws_command() {
  return {"laws",
          "Measure the claims of integrators (order, symplecticity, symmetry, momenta, energy) and of contacts",
          "All claims take about a minute and a half. Exit code 0 only if every claim holds, 3 otherwise.\n"
          "Examples:\n  livens laws\n  livens laws newmark rk4\n  livens laws bodies plane\n  livens laws --markdown > "
          "docs/laws.md",
          {{"NAME", "", "integrators and kinds of contact; default: all", false, true},
           {"--markdown", "", "as a documentation page", false, false}},
          measure};
}

}  // namespace livens::app
