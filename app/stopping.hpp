// Ctrl-C and SIGTERM: the work ends after its present step, with complete output.
#pragma once

#include <string>
#include <vector>

namespace livens::app {

// From now on the first signal is remembered; a second one ends the process at once.
void stop_on_signals();
bool stop_asked();

// The closing lines of a run or study: to stderr after a failure, and left out if asked to be quiet.
void print_closing_lines(const std::vector<std::string>& lines, int exit_code, bool quiet);

}  // namespace livens::app
