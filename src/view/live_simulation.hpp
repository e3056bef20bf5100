// The thread that steps a live session. It makes exactly the steps of livens::run as long as nobody interferes, and it
// waits for nobody but the clock: what others may see are copies that it lays out now and then.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "files/schedule.hpp"
#include "view/live_configuration.hpp"

namespace livens {

// energy = start + pull + changes + work - dissipated + error
struct LiveLedger {
  double start = 0, pull = 0, changes = 0, work = 0, dissipated = 0;  // J
};

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

class LiveSimulation {
 public:
  enum class Phase { running, ended, failed };

  // The configuration has a start.
  LiveSimulation(std::unique_ptr<LiveConfiguration> first, double pace, bool paused);
  LiveSimulation(const LiveSimulation&) = delete;
  LiveSimulation& operator=(const LiveSimulation&) = delete;
  ~LiveSimulation();

  // Called after every snapshot, by the thread that steps.
  void on_news(std::function<void()> tell);

  void pause();
  void play();
  void step();                 // one, and then pause
  void set_pace(double pace);  // simulated seconds for one of the clock; 0: as fast as it goes
  void configure(std::unique_ptr<LiveConfiguration> next);
  void move_pull(const std::array<double, 3>& target);

  struct Status {
    Phase phase = Phase::running;
    bool paused = false;
    double pace = 1;
    std::string message;
    std::vector<LiveIntervention> interventions;
  };
  Status status() const;
  std::shared_ptr<const LiveSnapshot> snapshot() const;

  const std::vector<Column>& columns() const { return columns_; }  // of the history
  // By column, the rows from number `first` on.
  std::vector<std::vector<double>> rows(long first) const;

 private:
  using Clock = std::chrono::steady_clock;
  using Lock = std::unique_lock<std::mutex>;

  void run();
  void begin();  // from the start of the configuration
  void take(std::unique_ptr<LiveConfiguration> next);
  StepReport advance();  // until the end, or until it has to be left
  bool after_step(const State& now, const StepReport& report);
  bool hold(Lock& lock, const State& now);  // while it is paused; false: the steps have to be left
  void apply_target(const State& now);
  void keep_pace(Lock& lock, double t);
  void record(const State& now, const StepReport& report, bool always);
  void publish(const State& now, bool always);
  void note(double t, std::string text);
  LiveLedger ledger(const State& now) const;

  // Of the thread that steps.
  std::unique_ptr<LiveConfiguration> now_;
  State state_;
  LiveLedger books_;  // without what the present integrator has booked; pull: energy put into the spring
  Schedule schedule_;
  std::vector<int> column_of_;  // of the present quantities, for each column of the history; -1: none
  bool finite_ = true;          // the energy of the last row
  Clock::time_point published_{}, speed_since_{};
  double speed_t_ = 0, speed_ = 0;
  long seq_ = 0, generation_ = 0, steps_before_ = 0;

  std::vector<Column> columns_;

  mutable std::mutex mutex_;  // of all that follows
  std::condition_variable changed_;
  std::function<void()> tell_;
  bool stop_ = false, paused_ = false;
  long steps_wanted_ = 0;
  double pace_ = 1;
  Clock::time_point anchor_{};  // when t was anchor_t_; none: from the next step on
  double anchor_t_ = 0;
  Phase phase_ = Phase::running;
  std::string message_;
  std::unique_ptr<LiveConfiguration> next_;
  std::optional<std::array<double, 3>> target_;
  std::shared_ptr<const LiveSnapshot> snapshot_;
  std::vector<LiveIntervention> interventions_;
  std::vector<std::vector<double>> rows_;

  std::thread thread_;
};

}  // namespace livens
