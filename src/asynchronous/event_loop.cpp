#include "asynchronous/event_loop.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "asynchronous/look.hpp"

namespace livens {
namespace {

StepRule rule_for(StepRule rule, ScheduleKind kind) {
  rule.levels = rule.levels || kind == ScheduleKind::levels;
  return rule;
}

}  // namespace

EventLoop::EventLoop(const Model& model, std::shared_ptr<const StencilSystem> system, const StepRule& rule,
                     ScheduleKind kind)
    : rule_(rule_for(rule, kind)),
      activations_(std::move(system), rule_),
      wholes_(model, activations_.system()),
      constrained_(model, activations_.system()),
      contact_(model, activations_.system()),
      schedule_(make_schedule(kind, activations_)) {
  if (!constrained_.empty()) activations_.constrain(constrained_);
  if (!contact_.empty()) activations_.limit_speeds(&contact_.limits());
}

void EventLoop::watch(const std::vector<int>& stencils) {
  watch_.watch(stencils);
  if (!watch_.idle()) activations_.observe(watch_);
}

void EventLoop::trace(int activations) {
  watch_.trace(activations);
  if (!watch_.idle()) activations_.observe(watch_);
}

bool EventLoop::start(const State& state) {
  wholes_.start(state, rule_);
  activations_.start(state, std::isfinite(rule_.longest) ? rule_.longest : wholes_.longest_step());
  wholes_.limit_steps(activations_.clocks().longest_step());
  schedule_->start();
  wholes_.round_steps(schedule_->base());
  watch_.start();
  longest_ = std::max(wholes_.longest_step(), activations_.clocks().longest_step());
  if (longest_ == 0) longest_ = rule_.equal > 0 ? rule_.equal : rule_.longest;  // nodes that move on their own
  if (!std::isfinite(longest_)) longest_ = contact_.own_step();
  constrained_.start(longest_);
  if (!(longest_ > 0 && std::isfinite(longest_))) return false;
  if (!contact_.empty()) contact_.start(schedule_->base() > 0 ? schedule_->base() : longest_, state.t, activations_);
  return true;
}

// Whole terms come between activations of stencils, those that depend on velocities also before those of their time.
bool EventLoop::run(double T) {
  if (!contact_.empty()) return run_with_contact(T);
  for (double next = wholes_.next_time(); next <= T; next = wholes_.next_time()) {
    const double just_before = std::nextafter(next, -std::numeric_limits<double>::infinity());
    if (wholes_.has_halves() && !(schedule_->run(just_before) && wholes_.begin(activations_))) return false;
    if (!schedule_->run(next) || !wholes_.finish(activations_)) return false;
  }
  return schedule_->run(T);
}

// Stencils up to T, or until a node is faster than contact expects: then there may be a tick before T.
bool EventLoop::run_stencils(double T) {
  while (schedule_->next_instant() <= T && contact_.next_time() >= T) {
    // Where the instant is known, everything of it goes at once, and then all speeds are looked at.
    const double instant = schedule_->next_instant();
    const bool one_instant = std::isfinite(instant);
    if (!schedule_->run(one_instant ? instant : T)) return false;
    std::vector<int>& fast = activations_.fast_nodes();
    if (one_instant) contact_.notice(instant, activations_);
    if (!one_instant && fast.empty()) return true;
    if (!one_instant) contact_.notice(activations_.fast_since(), fast, activations_);
    fast.clear();
  }
  return true;
}

// At one instant: stencils, whole terms, contact.
bool EventLoop::run_with_contact(double T) {
  contact_.make_current(activations_);
  bool begun = false;  // halves of the whole terms that are due next
  for (;;) {
    const double whole = wholes_.next_time(), next = std::min({contact_.next_time(), whole, T});
    const bool halves = next == whole && wholes_.has_halves() && !begun;
    const double until = halves ? std::nextafter(next, -std::numeric_limits<double>::infinity()) : next;
    if (!run_stencils(until)) return false;
    if (contact_.next_time() < next) continue;
    if (halves) {
      if (!wholes_.begin(activations_)) return false;
      begun = true;
      contact_.notice(next, activations_);
    } else if (next == whole) {
      if (!wholes_.finish(activations_)) return false;
      begun = false;
      contact_.notice(next, activations_);
    } else if (next == contact_.next_time()) {
      if (!contact_.act(activations_)) return false;
    } else {
      contact_.pass(T);
      return true;
    }
  }
}

bool EventLoop::read(double T, State& state, Ledger& ledger) const {
  return look(activations_, *schedule_, wholes_, constrained_, contact_, T, state, ledger);
}

void EventLoop::keep() {
  activations_.keep();
  wholes_.keep();
  constrained_.keep();
  contact_.keep();
  schedule_->keep();
  watch_.keep();
}

void EventLoop::put_back() {
  activations_.put_back();
  wholes_.put_back();
  constrained_.put_back();
  contact_.put_back();
  schedule_->put_back();
  watch_.put_back();
}

void EventLoop::visit_memory(MemoryVisitor& visitor) {
  activations_.visit_memory(visitor);
  wholes_.visit_memory(visitor);
  constrained_.visit_memory(visitor);
  contact_.visit_memory(visitor);
  schedule_->visit_memory(visitor);
  watch_.visit_memory(visitor);
  schedule_->renew();
}

}  // namespace livens
