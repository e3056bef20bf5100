// In which order stencils are activated. Only the order of activations at one node matters: every schedule that keeps
// it has the same bits. Where all clocks are on levels, those of one instant go together. A further schedule is one
// more class and one more line in make_schedule.
#pragma once

#include <limits>
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
  // With nodes that are watched for their speed (Activations::limit_speeds) it may end early, after one that exceeds
  // it.
  virtual bool run(double T) = 0;
  // Of the next activation, where a run to it is one instant of many; minus infinity: nobody needs to know.
  virtual double next_instant() const { return -std::numeric_limits<double>::infinity(); }
  // The run begins: clocks are at its start.
  virtual void start() { renew(); }
  // Clocks have changed other than by run.
  virtual void renew() = 0;

  virtual ImpulseSpan impulse_span() const { return ImpulseSpan::both_steps; }
  virtual StencilClock clock(int stencil) const = 0;
  virtual long total_updates() const = 0;
  // Of which all steps are powers of two; 0: of none.
  virtual double base() const { return 0; }
  // Whether a stencil is activated by itself, so that its own clock and books have all of it.
  virtual bool one_by_one(int /*stencil*/) const { return true; }
  // Of the others: adds to nodes that are all at T what belongs to the time up to it, and all books.
  virtual void read(double /*T*/, std::vector<MovingNode>& /*nodes*/, Ledger& /*ledger*/) const {}
  // Named counts for the report of a run.
  virtual std::vector<std::pair<std::string, long>> events() const { return {}; }

  // Of schedules that have a memory besides clocks and nodes.
  virtual void keep() {}
  virtual void put_back() { renew(); }
  virtual void visit_memory(MemoryVisitor& /*visitor*/) {}
};

// A schedule in which every stencil has a clock of its own.
class SingleSchedule : public ActivationSchedule {
 public:
  explicit SingleSchedule(Activations& activations) : activations_(activations) {}
  StencilClock clock(int stencil) const override { return activations_.clocks()[stencil]; }
  long total_updates() const override { return activations_.clocks().total_updates(); }

 protected:
  Activations& activations_;
};

enum class ScheduleKind {
  queue,     // one thread: the stencil with the smallest time
  patches,   // all threads: any stencil that is first among those it shares a node with
  levels,    // all threads: steps are powers of two of one base, and elements of one instant go four at a time
  balanced,  // one thread: times are solved for, so that the energy of each stencil balances
};

std::unique_ptr<ActivationSchedule> make_schedule(ScheduleKind kind, Activations& activations);

}  // namespace livens
