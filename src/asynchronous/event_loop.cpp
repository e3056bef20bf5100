#include "asynchronous/event_loop.hpp"

#include "asynchronous/look.hpp"

namespace livens {

EventLoop::EventLoop(std::shared_ptr<const StencilSystem> system, const StepRule& rule, ScheduleKind kind)
    : activations_(std::move(system), rule), schedule_(make_schedule(kind, activations_)) {}

void EventLoop::watch(const std::vector<int>& stencils) {
  watch_.watch(stencils);
  if (!watch_.idle()) activations_.observe(watch_);
}

void EventLoop::trace(int activations) {
  watch_.trace(activations);
  if (!watch_.idle()) activations_.observe(watch_);
}

void EventLoop::start(const State& state) {
  activations_.start(state);
  schedule_->start();
  watch_.start();
}

void EventLoop::read(double T, State& state, Ledger& ledger) const {
  look(activations_, schedule_->impulse_span(), T, state, ledger);
}

void EventLoop::keep() {
  activations_.keep();
  schedule_->keep();
  watch_.keep();
}

void EventLoop::put_back() {
  activations_.put_back();
  schedule_->put_back();
  watch_.put_back();
}

void EventLoop::visit_memory(MemoryVisitor& visitor) {
  activations_.visit_memory(visitor);
  schedule_->visit_memory(visitor);
  watch_.visit_memory(visitor);
  schedule_->renew();
}

}  // namespace livens
