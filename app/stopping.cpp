#include "stopping.hpp"

#include <csignal>
#include <cstdio>

#include <unistd.h>

#include "command.hpp"

namespace livens::app {
namespace {

volatile std::sig_atomic_t asked = 0;

void remember(int) { asked = 1; }

}  // namespace

void stop_on_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    action.sa_handler = remember;
    // A second Ctrl-C ends the program at once. A terminal that goes away sends SIGHUP more than once, and nohup has it
    // ignored.
    action.sa_flags = SA_RESTART | (signal == SIGHUP ? 0 : static_cast<int>(SA_RESETHAND));
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    if (signal == SIGHUP && before.sa_handler == SIG_IGN) continue;
    sigaction(signal, &action, nullptr);
  }
}

bool stop_asked() { return asked != 0; }

void print_closing_lines(const std::vector<std::string>& lines, int exit_code, bool quiet) {
  const bool failed = exit_code == numerical_failure, colours = isatty(STDERR_FILENO) != 0;
  for (const std::string& line : lines) {
    const bool broken = line.rfind("  broken", 0) == 0;  // a claim: never silent
    if (broken) std::fprintf(stderr, colours ? "\033[31m%s\033[0m\n" : "%s\n", line.c_str());
    if (!broken && (!quiet || failed)) std::fprintf(failed ? stderr : stdout, "%s\n", line.c_str());
  }
}

}  // namespace livens::app
