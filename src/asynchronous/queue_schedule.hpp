// The stencil with the smallest time goes next; ties go to the smallest number [L04 4.3].
#pragma once

#include <algorithm>

#include "asynchronous/activation_schedule.hpp"
#include "asynchronous/event_queue.hpp"
#include "asynchronous/event_windows.hpp"

namespace livens {

class QueueSchedule final : public SingleSchedule {
 public:
  using SingleSchedule::SingleSchedule;

  bool run(double T) override {
    if (activations_.clocks().size() == 0) return true;
    if (!current_) fill();
    return windowed_ ? run_windows(T) : run_queue(T);
  }
  void renew() override { current_ = false; }

 private:
  // Windows, where steps stay as they are; a queue where they change, or the longest is very many of the shortest.
  void fill() {
    const StencilClocks& clocks = activations_.clocks();
    double shortest = clocks[0].step, longest = shortest;
    for (int k = 1; k < clocks.size(); ++k) {
      shortest = std::min(shortest, clocks[k].step);
      longest = std::max(longest, clocks[k].step);
    }
    windowed_ = activations_.steps_stay() && EventWindows::fits(shortest, longest);
    if (windowed_)
      windows_.assign(clocks.times(), shortest, longest);
    else
      queue_.assign(clocks.times());
    current_ = true;
  }

  bool run_windows(double T) {
    constexpr std::size_t far = 8, near = 4;  // how many events ahead indices and nodes are fetched
    while (windows_.next().time <= T) {
      const int stencil = windows_.next().number;
      activations_.fetch(windows_.ahead(far).number);
      activations_.fetch_nodes(windows_.ahead(near).number);
      windows_.postpone(activations_.clocks().time_after(stencil));
      if (!activations_.activate(stencil)) return false;
      if (!activations_.fast_nodes().empty()) return true;
    }
    return true;
  }

  bool run_queue(double T) {
    while (queue_.next_time() <= T) {
      const int stencil = queue_.next();
      if (!activations_.activate(stencil)) return false;
      queue_.set(stencil, activations_.clocks()[stencil].time);
      if (!activations_.fast_nodes().empty()) return true;
    }
    return true;
  }

  EventQueue queue_;
  EventWindows windows_;
  bool current_ = false, windowed_ = false;
};

}  // namespace livens
