// The stencil with the smallest time goes next; ties go to the smallest number [L04 4.3].
#pragma once

#include "asynchronous/activation_schedule.hpp"
#include "asynchronous/event_queue.hpp"

namespace livens {

class QueueSchedule final : public SingleSchedule {
 public:
  using SingleSchedule::SingleSchedule;

  bool run(double T) override {
    if (!current_) queue_.assign(activations_.clocks().times());
    current_ = true;
    const bool early = activations_.steps_stay();
    while (queue_.next_time() <= T) {
      const int stencil = queue_.next();
      // The matches of the queue and the forces do not need each other: begun first, they overlap in the processor.
      if (early) queue_.set(stencil, activations_.clocks().time_after(stencil));
      if (!activations_.activate(stencil)) return false;
      if (!early) queue_.set(stencil, activations_.clocks()[stencil].time);
    }
    return true;
  }
  void renew() override { current_ = false; }

 private:
  EventQueue queue_;
  bool current_ = false;
};

}  // namespace livens
