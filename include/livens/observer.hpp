// Observers look at a run and write down what they see. They change nothing: a run has the same bits however many there
// are.
#pragma once

#include <limits>

#include <livens/integrator.hpp>

namespace livens {

// What there is to see at the start of a run and after every step.
struct Sample {
  const Model& model;
  const State& state;
  const StepReport& report;  // of the last step; as made by default at the start
  // For its counters, ledger and energies. Not const, because discrete and modified energies are computed in its work
  // arrays; an observer that advances it, or gives it a memory, changes the run.
  Integrator& integrator;
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void begin(const Sample&) {}    // the start; not called when a run is resumed
  virtual void observe(const Sample&) {}  // after every step
  virtual void end(const Sample&) {}      // the last state, after its observe and after the last checkpoint
  // Asked after every step: true ends the run there.
  virtual bool stop() const { return false; }
  // The next time it wants to look at; runs of methods without steps of the whole are read then.
  virtual double next_time() const { return std::numeric_limits<double>::infinity(); }
  // What a bit-identical continuation needs.
  virtual void visit_memory(MemoryVisitor&) {}
};

}  // namespace livens
