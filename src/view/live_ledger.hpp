// The energy ledger of a live session, over all its configurations.
#pragma once

#include <array>

#include "view/live_configuration.hpp"

namespace livens {

// energy = start + pull + changes + work - dissipated + error
struct LiveLedger {
  double start = 0, pull = 0, changes = 0, work = 0, dissipated = 0;  // J
};

class LiveBooks {
 public:
  void begin(const LiveConfiguration& now, const State& state);
  // Moving the end of the spring puts energy into it.
  void move_pull(LiveConfiguration& now, const State& state, const std::array<double, 3>& target);
  // Takes over what the integrator of `now` has booked, before `next` goes on. Where the model is another one the
  // momenta stay and the velocities follow, which may change the energy.
  void change(const LiveConfiguration& now, const LiveConfiguration& next, State& state);

  LiveLedger ledger(const LiveConfiguration& now, const State& state) const;
  long steps_before() const { return steps_before_; }  // of earlier configurations since the start
  long steps(const LiveConfiguration& now) const { return steps_before_ + now.integrator->counters().steps; }

 private:
  LiveLedger books_;  // without what the present integrator has booked; pull: energy put into the spring
  long steps_before_ = 0;
};

}  // namespace livens
