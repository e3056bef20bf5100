// Wall time of a run, and when to tell of its progress.
#pragma once

#include <chrono>
#include <string>

#include <livens/run.hpp>

#include "run/run_facts.hpp"

namespace livens {

class RunClock {
 public:
  using Clock = std::chrono::steady_clock;

  RunClock();

  // Where this call of run() begins.
  void begin(double t, long steps);
  // Whether to look at the clock after this step: where steps are shorter than a fraction of a millisecond, only after
  // some of them, or looking would take as long as stepping.
  bool looks() { return --unseen_ <= 0; }
  // The same after many steps at once: whether it is time for a step of its own, which will look.
  bool looks_after_many();
  // Measures the time that is not the integrator's, for all steps since the look before.
  void begin_output() { output_began_ = Clock::now(); }
  void end_output();
  void end_output_of_many() { output_time_ += seconds_since(output_began_); }
  // A few times a second.
  void tell(const RunOptions& options, const Sample& sample, double t_end);

  Timing timing(int threads) const;

 private:
  static double seconds_since(Clock::time_point then) {
    return std::chrono::duration<double>(Clock::now() - then).count();
  }

  Clock::time_point began_ = Clock::now(), told_ = began_, output_began_ = began_, looked_ = began_;
  std::string started_;
  double t_begin_ = 0, output_time_ = 0;
  long steps_before_ = 0;
  static constexpr double glance = 2e-4;  // s
  static constexpr int most_unseen = 64;  // steps
  int stride_ = 1, unseen_ = 0;           // steps from look to look, and to the next one
};

}  // namespace livens
