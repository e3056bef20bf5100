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
      schedule_(make_schedule(kind, activations_)) {
  if (!constrained_.empty()) activations_.constrain(constrained_);
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
  if (longest_ == 0) longest_ = rule_.longest;  // nothing but nodes that move on their own
  constrained_.start(longest_);
  return longest_ > 0 && std::isfinite(longest_);
}

// Whole terms come between activations of stencils, those that depend on velocities also before those of their time.
bool EventLoop::run(double T) {
  for (double next = wholes_.next_time(); next <= T; next = wholes_.next_time()) {
    const double just_before = std::nextafter(next, -std::numeric_limits<double>::infinity());
    if (wholes_.has_halves() && !(schedule_->run(just_before) && wholes_.begin(activations_))) return false;
    if (!schedule_->run(next) || !wholes_.finish(activations_)) return false;
  }
  return schedule_->run(T);
}

bool EventLoop::read(double T, State& state, Ledger& ledger) const {
  return look(activations_, *schedule_, wholes_, constrained_, T, state, ledger);
}

void EventLoop::keep() {
  activations_.keep();
  wholes_.keep();
  constrained_.keep();
  schedule_->keep();
  watch_.keep();
}

void EventLoop::put_back() {
  activations_.put_back();
  wholes_.put_back();
  constrained_.put_back();
  schedule_->put_back();
  watch_.put_back();
}

void EventLoop::visit_memory(MemoryVisitor& visitor) {
  activations_.visit_memory(visitor);
  wholes_.visit_memory(visitor);
  constrained_.visit_memory(visitor);
  schedule_->visit_memory(visitor);
  watch_.visit_memory(visitor);
  schedule_->renew();
}

}  // namespace livens
