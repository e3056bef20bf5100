// What is asked of a live session, and how the thread that steps waits: for the clock, for whoever paused it, and for
// nobody else. All may be called by several threads.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

#include "view/live_configuration.hpp"

namespace livens {

// When steps are due at a pace, counted from an instant at which the clock and the simulated time are together.
class PaceClock {
 public:
  using Clock = std::chrono::steady_clock;

  void restart() { anchor_ = {}; }  // from the next step on
  // When t is due; nothing if it is, or so late that it is not worth catching up.
  std::optional<Clock::time_point> due(double t, double pace, Clock::time_point now);

 private:
  Clock::time_point anchor_{};  // when the simulated time was anchor_t_
  double anchor_t_ = 0;
};

// What the thread that steps is to do next.
struct LiveOrder {
  enum class Kind { step, move_pull, leave };  // leave the steps: to stop, or for another configuration
  Kind kind = Kind::step;
  std::array<double, 3> target{};  // m, of move_pull
};

class LiveRequests {
 public:
  LiveRequests(double pace, bool paused) : paused_(paused), pace_(pace) {}

  // Asked from outside.
  void pause();
  void play();
  void step();                 // one, and then pause
  void set_pace(double pace);  // simulated seconds for one of the clock; 0: as fast as it goes
  void configure(std::unique_ptr<LiveConfiguration> next);
  void move_pull(const std::array<double, 3>& target);
  void stop();

  bool paused() const;
  double pace() const;

  // For the thread that steps.
  LiveOrder wait(bool idle);  // for an order; idle: there are no steps left to make
  bool leaving() const;       // whether the steps are to be left
  bool stopping() const;      // for good
  bool waiting() const;       // paused, with no steps wanted
  bool count_step();          // whether it is to wait now
  void keep_pace(double t);   // waits until t is due
  void restart_clock();
  std::unique_ptr<LiveConfiguration> take_configuration();  // null: none was asked for, or it is to stop

 private:
  using Lock = std::unique_lock<std::mutex>;
  bool is_left() const { return stop_ || next_ != nullptr; }
  bool is_held() const { return paused_ && steps_wanted_ == 0; }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false, paused_ = false;
  long steps_wanted_ = 0;
  double pace_ = 1;
  PaceClock clock_;
  std::unique_ptr<LiveConfiguration> next_;
  std::optional<std::array<double, 3>> target_;
};

}  // namespace livens
