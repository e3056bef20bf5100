// What all comparisons print: one line for each setting of each method, comma-separated, for bench/peers/tables.py.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>

namespace peers {

// Processor time of this thread.
inline double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The best of a few rounds; short work is repeated until it can be timed. What it returns is kept, or a compiler that
// sees through all of it would leave it out.
template <class Work>
double best_seconds(int rounds, const Work& work) {
  constexpr double least = 2e-3;  // s, a round
  [[maybe_unused]] static double volatile kept;
  double best = 1e300;
  for (int round = 0; round < rounds; ++round) {
    int times = 0;
    const double since = processor_seconds();
    double spent = 0;
    do {
      kept = work();
      ++times;
      spent = processor_seconds() - since;
    } while (spent < least);
    best = std::min(best, spent / times);
  }
  return best;
}

inline void print_header() { std::printf("problem,program,method,setting,error,energy_error,seconds\n"); }

inline void print_row(const std::string& problem, const std::string& program, const std::string& method, double setting,
                      double error, double energy_error, double seconds) {
  std::printf("%s,%s,%s,%.6g,%.3e,%.3e,%.4e\n", problem.c_str(), program.c_str(), method.c_str(), setting, error,
              energy_error, seconds);
  std::fflush(stdout);
}

}  // namespace peers
