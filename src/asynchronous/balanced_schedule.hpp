// Times are varied, too: every stencil goes when its local energy balance holds, and the neighbours of a stencil that
// went are put off or brought forward [L04 6.2, 6.3]. Impulses have the weight of the step before, as there.
#pragma once

#include <array>
#include <vector>

#include "asynchronous/activation_schedule.hpp"
#include "asynchronous/event_queue.hpp"

namespace livens {

// How the search for steps that balance the energy ended, over all activations.
struct BalanceCounts {
  long roots = 0, at_floor = 0, at_cap = 0, minimised = 0;
};

class BalancedSchedule final : public SingleSchedule {
 public:
  explicit BalancedSchedule(Activations& activations);

  bool run(double T) override;
  void start() override;
  void renew() override {}  // every run fills the queue
  ImpulseSpan impulse_span() const override { return ImpulseSpan::step_before; }
  std::vector<std::pair<std::string, long>> events() const override;
  void keep() override { kept_ = memory_; }
  void put_back() override { memory_ = kept_; }
  void visit_memory(MemoryVisitor& visitor) override;

 private:
  struct Target {  // the energy that the next activation of a stencil should find
    double potential = 0;
    bool known = false;

    std::array<double, 2> numbers() const { return {potential, known ? 1.0 : 0.0}; }
    void restore(const double* numbers) {
      potential = numbers[0];
      known = numbers[1] > 0;
    }
  };
  struct Memory {
    std::vector<Target> targets;
    BalanceCounts counts;
  };

  bool activate(int stencil);
  double balanced_time(int stencil, double now);
  double imbalance(int stencil, double t) const;
  double bisect(int stencil, double low, double high, bool negative_at_low) const;

  Memory memory_, kept_;
  std::vector<double> limits_;  // the longest step of each stencil
  std::vector<std::vector<int>> neighbours_;
  EventQueue queue_;
};

// What balanced steps keep: the kinetic energy, and of every stencil the potential that its next activation will find.
double balanced_energy(const Activations& activations);

}  // namespace livens
