// What others may see of a live session: copies that the thread that steps lays out now and then, and how it stands.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "view/live_ledger.hpp"

namespace livens {

struct LiveSnapshot {
  long seq = 0;         // counts snapshots
  long generation = 0;  // counts restarts
  long steps = 0, rows = 0;
  double speed = 0;  // simulated seconds for one of the clock, lately
  State state;
  LiveLedger ledger;
  std::shared_ptr<const Model> model;  // of the scene
  std::shared_ptr<const Drawing> drawing;
};

struct LiveIntervention {
  double t = 0;
  std::string text;
};

enum class LivePhase { running, ended, failed };

// How fast the simulated time runs, over a while of the clock.
class SpeedMeter {
 public:
  using Clock = std::chrono::steady_clock;
  void restart(double t);
  void observe(double t, Clock::time_point now);
  double speed() const { return speed_; }

 private:
  Clock::time_point since_{};
  double t_ = 0, speed_ = 0;
};

class LiveBoard {
 public:
  struct Standing {
    LivePhase phase = LivePhase::running;
    std::string message;
    std::vector<LiveIntervention> interventions;
  };

  // May be called by several threads. Called after every snapshot, by the thread that steps:
  void on_news(std::function<void()> tell);
  std::shared_ptr<const LiveSnapshot> snapshot() const;
  Standing standing() const;

  // For the thread that steps.
  void begin(double t);  // from scratch: running, and without interventions
  void run_on();         // after it ended or failed
  void end(LivePhase phase, const std::string& message);
  void note(double t, std::string text);
  LivePhase phase() const;
  void tell() const;
  enum class When { now, if_due };
  void publish(When when, const LiveConfiguration& now, const State& state, const LiveBooks& books, long rows);
  void count_restart() { ++generation_; }

 private:
  using Clock = std::chrono::steady_clock;

  Clock::time_point published_{};
  SpeedMeter meter_;
  long seq_ = 0, generation_ = 0;

  mutable std::mutex mutex_;  // of all that follows
  std::function<void()> tell_;
  Standing standing_;
  std::shared_ptr<const LiveSnapshot> snapshot_;
};

}  // namespace livens
