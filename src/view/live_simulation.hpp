// The thread that steps a live session. It makes exactly the steps of livens::run as long as nobody interferes, and it
// waits for nobody but the clock: what others may see are copies that it lays out now and then.
#pragma once

#include <thread>

#include "view/live_board.hpp"
#include "view/live_history.hpp"
#include "view/live_requests.hpp"

namespace livens {

class LiveSimulation {
 public:
  // The configuration has a start.
  LiveSimulation(std::unique_ptr<LiveConfiguration> first, double pace, bool paused);
  LiveSimulation(const LiveSimulation&) = delete;
  LiveSimulation& operator=(const LiveSimulation&) = delete;
  ~LiveSimulation();

  // Any thread may ask and look.
  LiveRequests& requests() { return requests_; }
  LiveBoard& board() { return board_; }
  const LiveHistory& history() const { return history_; }

 private:
  void run();
  void begin();  // from the start of the configuration
  void take(std::unique_ptr<LiveConfiguration> next);
  class Steps;

  StepReport advance();  // until the end, or until it has to be left
  bool after_step(const State& now, const StepReport& report);
  bool obey(const State& now);  // waits while it is paused; false: the steps have to be left
  void settle(StepReport report);
  void name_undefined(StepReport& report) const;
  void publish(LiveBoard::When when, const State& now) { board_.publish(when, *now_, now, books_, history_.size()); }

  // Of the thread that steps.
  std::unique_ptr<LiveConfiguration> now_;
  State state_;
  LiveBooks books_;

  LiveHistory history_;
  LiveBoard board_;
  LiveRequests requests_;
  std::thread thread_;
};

}  // namespace livens
