#include "run/run_clock.hpp"

#include <algorithm>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <tbb/task_arena.h>

namespace livens {
namespace {

constexpr double progress_interval = 0.2;  // s
constexpr double long_unseen = 0.02;       // s

std::string utc_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

long peak_memory() {
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * 1024;
}

}  // namespace

RunClock::RunClock() : started_(utc_now()) {}

void RunClock::begin(double t, long steps) {
  t_begin_ = t;
  steps_before_ = steps;
}

// The step that was measured stands for all since the look before, which took no longer than they did.
void RunClock::end_output() {
  const Clock::time_point now = Clock::now();
  const double since = std::chrono::duration<double>(now - looked_).count();
  output_time_ += std::min(since, stride_ * std::chrono::duration<double>(now - output_began_).count());
  looked_ = now;
  if (since > glance)
    stride_ = std::max(1, stride_ / 2);
  else if (since < glance / 4)
    stride_ = std::min(most_unseen, 2 * stride_);
  unseen_ = stride_;
}

bool RunClock::looks_after_many() {
  const bool time = seconds_since(looked_) > long_unseen;
  if (time) unseen_ = 0;
  return time;
}

void RunClock::tell(const RunOptions& options, const Sample& sample, double t_end) {
  if (!options.progress || seconds_since(told_) < progress_interval) return;
  told_ = Clock::now();
  options.progress(
      {t_begin_, sample.state.t, t_end, sample.integrator.counters().steps - steps_before_, seconds_since(began_)});
}

Timing RunClock::timing(int threads) const {
  Timing timing;
  timing.started = started_;
  timing.finished = utc_now();
  timing.wall_time = seconds_since(began_);
  timing.output_time = output_time_;
  timing.threads = threads > 0 ? threads : tbb::this_task_arena::max_concurrency();
  timing.peak_memory = peak_memory();
  return timing;
}

}  // namespace livens
