// The clocks of the stencils: when each was last activated, and when it will be next.
#pragma once

#include <array>
#include <atomic>
#include <vector>

#include <livens/integrator.hpp>

namespace livens {

struct StencilClock {
  double time = 0, last = 0, step = 0;  // next activation, last one, the step between them
  long count = 0;                       // activations so far

  // Before the first activation there is none: it has half an impulse.
  double step_before() const { return count == 0 ? 0 : step; }

  std::array<double, 3> numbers() const { return {time, last, step}; }
  void restore(const double* numbers) {
    time = numbers[0];
    last = numbers[1];
    step = numbers[2];
  }
};

// A list of clocks in a checkpoint.
void visit_clocks(MemoryVisitor& visitor, const char* name, const char* counts, std::vector<StencilClock>& clocks);

class StencilClocks {
 public:
  explicit StencilClocks(int stencils) : clocks_(stencils) {}

  // All clocks at the time t; steps that nothing bounds are as long as the longest bounded one, or `unbounded`.
  void start(double t, const std::vector<double>& steps, double unbounded = 0);
  double longest_step() const;
  int size() const { return static_cast<int>(clocks_.size()); }
  StencilClock& operator[](int stencil) { return clocks_[stencil]; }
  const StencilClock& operator[](int stencil) const { return clocks_[stencil]; }
  double origin() const { return origin_; }
  std::vector<double> times() const;
  long total_updates() const;

  // The stencil has been activated at its time; it is due again after `step`, or, if steps are all alike, at a whole
  // multiple of it from the start, which gathers no rounding.
  void advance(int stencil, double step, bool alike) {
    StencilClock& clock = clocks_[stencil];
    const double t = clock.time;
    clock.last = t;
    clock.step = step;
    ++clock.count;
    const double time = alike ? origin_ + static_cast<double>(clock.count) * step : t + step;
    std::atomic_ref(clock.time).store(time, std::memory_order_release);
  }
  // When it will be due after that, if steps are all alike.
  double time_after(int stencil) const {
    const StencilClock& clock = clocks_[stencil];
    return origin_ + static_cast<double>(clock.count + 1) * clock.step;
  }
  // For threads that do not own the stencil: once they see the new time they see the nodes of its last activation.
  double published_time(int stencil) const {
    return std::atomic_ref(clocks_[stencil].time).load(std::memory_order_acquire);
  }

  void visit_origin(MemoryVisitor& visitor) { visitor.visit("event_origin", origin_); }
  void visit_memory(MemoryVisitor& visitor);

 private:
  double origin_ = 0;
  mutable std::vector<StencilClock> clocks_;  // atomic references to const objects come with C++26
};

}  // namespace livens
