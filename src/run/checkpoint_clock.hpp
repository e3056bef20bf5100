// When a run writes checkpoints: by simulated time, by steps, and by wall time.
#pragma once

#include <algorithm>
#include <chrono>

#include <livens/setup.hpp>

#include "files/schedule.hpp"
#include "run/checkpoint.hpp"

namespace livens {

class CheckpointClock {
 public:
  CheckpointClock(const std::filesystem::path& run, const Scene& scene, const std::vector<InputFile>& inputs,
                  const RunPlan& plan)
      : writer_(run, scene, inputs, plan),
        every_(plan.checkpoint_every),
        every_steps_(plan.checkpoint_every_steps),
        every_wall_(plan.checkpoint_every_wall) {}

  void begin(double t) { schedule_ = Schedule(t, every_); }
  double next_time() const { return schedule_.next_time(); }
  bool counts_steps() const { return every_steps_ > 0; }

  // looks: at the wall clock, too.
  bool due(const Sample& sample, bool looks) {
    const bool by_time = schedule_.due(sample);
    const bool by_steps = every_steps_ > 0 && sample.integrator.counters().steps % every_steps_ == 0;
    const bool by_wall = looks && std::chrono::duration<double>(Clock::now() - written_).count() > every_wall_;
    return by_time || by_steps || by_wall;
  }
  void write(const Sample& sample, std::span<Observer* const> observers) {
    writer_.write(sample, observers);
    written_ = Clock::now();
  }

  // Keeps a good state in memory from time to time: at most a small part of the run is spent on that.
  void keep(const Sample& sample, std::span<Observer* const> observers) {
    const auto began = Clock::now();
    if (began < keep_next_) return;
    writer_.keep(sample, observers);
    const auto taken = Clock::now() - began;
    keep_next_ = began + std::max<Clock::duration>(keep_interval, keep_part * taken);
  }
  void write_kept() { writer_.write_kept(); }

 private:
  using Clock = std::chrono::steady_clock;

  CheckpointWriter writer_;
  Schedule schedule_;
  double every_;      // s
  long every_steps_;  // 0: never
  double every_wall_;
  static constexpr std::chrono::milliseconds keep_interval{500};
  static constexpr int keep_part = 50;
  Clock::time_point written_ = Clock::now(), keep_next_{};
};

}  // namespace livens
