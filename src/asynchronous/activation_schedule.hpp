// In which order stencils are activated. Only the order of activations at one node matters: every schedule that keeps
// it has the same bits. A further schedule is one more class and one more line in make_schedule.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "asynchronous/activations.hpp"

namespace livens {

// To which steps the impulse of an explicit activation belongs.
enum class ImpulseSpan { both_steps, step_before };

class ActivationSchedule {
 public:
  virtual ~ActivationSchedule() = default;

  // All activations up to T, that instant included. False if a stencil has no energy; Activations knows which.
  virtual bool run(double T) = 0;
  // The run begins: clocks are at its start.
  virtual void start() { renew(); }
  // Clocks have changed other than by run.
  virtual void renew() = 0;

  virtual ImpulseSpan impulse_span() const { return ImpulseSpan::both_steps; }
  // Named counts for the report of a run.
  virtual std::vector<std::pair<std::string, long>> events() const { return {}; }

  // Of schedules that have a memory besides clocks and nodes.
  virtual void keep() {}
  virtual void put_back() { renew(); }
  virtual void visit_memory(MemoryVisitor& /*visitor*/) {}
};

enum class ScheduleKind {
  queue,     // one thread: the stencil with the smallest time
  patches,   // all threads: any stencil that is first among those it shares a node with
  balanced,  // one thread: times are solved for, so that the energy of each stencil balances
};

std::unique_ptr<ActivationSchedule> make_schedule(ScheduleKind kind, Activations& activations);

}  // namespace livens
