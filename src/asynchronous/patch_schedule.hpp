// Local minima in parallel: one patch of stencils per thread, each with a queue of its own.
//
// A stencil may go when its time is the first among all stencils that it shares a node with: then its nodes are as it
// would find them in the order of all times. A patch takes its own stencils in that order, and at its border reads the
// times of neighbours in other patches, which only grow: a value read late makes it wait, never err. Patches at the
// same time wait for each other briefly; the first of all stencils never waits. How stencils are divided changes no
// bit.
#pragma once

#include <vector>

#include "asynchronous/activation_schedule.hpp"
#include "asynchronous/event_queue.hpp"

namespace livens {

class PatchSchedule final : public SingleSchedule {
 public:
  using SingleSchedule::SingleSchedule;

  bool run(double T) override;
  void start() override;
  void renew() override { current_ = false; }

 private:
  // Neighbouring stencils with a queue of their own, and for each the neighbours in other patches.
  struct Patch {
    std::vector<int> members;  // ascending
    EventQueue queue;          // of places in members
    std::vector<int> foreign_start, foreign;
  };

  void make_patches(int count);
  void fill_queues();
  void find_foreign(const std::vector<int>& patch_of);
  bool run_patch(Patch& patch, double T);
  bool must_wait(Patch& patch, int place, double t) const;

  std::vector<Patch> patches_;
  bool current_ = false;  // queues have the times of the clocks
};

}  // namespace livens
