// Observers sample a run and record what they see. They change nothing: a run has the same bits however many there
// are.
#pragma once

#include <limits>

#include <livens/integrator.hpp>

namespace livens {

// The data available at the start of a run and after every step.
struct Sample {
  const Model& model;
  const State& state;
  const StepReport& report;  // of the last step; default-constructed at the start
  // For its counters, ledger and energies. Not const, because discrete and modified energies are computed in its work
  // arrays; an observer that advances it, or gives it a memory, changes the run.
  Integrator& integrator;
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void begin(const Sample&) {}    // the start; not called when a run is resumed
  virtual void observe(const Sample&) {}  // after every step
  // Whether it takes steps that end before next_time() many at a time, by the next function, where the integrator has
  // them so.
  virtual bool takes_blocks() const { return false; }
  // False: it has looked at none of these steps and wants them one by one.
  virtual bool observe_block(const StepBlock&) { return true; }
  virtual void end(const Sample&) {}  // the last state, after its observe and after the last checkpoint
  // Asked after every step: true ends the run there.
  virtual bool stop() const { return false; }
  // The next time it wants to sample; methods without a global step stop exactly there.
  virtual double next_time() const { return std::numeric_limits<double>::infinity(); }
  // The memory that a bit-identical continuation needs.
  virtual void visit_memory(MemoryVisitor&) {}
};

}  // namespace livens
