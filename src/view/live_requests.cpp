#include "view/live_requests.hpp"

namespace livens {
namespace {

using Seconds = std::chrono::duration<double>;
constexpr Seconds too_late{0.1};  // behind the clock: continues from here instead of catching up

}  // namespace

std::optional<PaceClock::Clock::time_point> PaceClock::due(double t, double pace, Clock::time_point now) {
  const auto due = anchor_ + std::chrono::duration_cast<Clock::duration>(Seconds((t - anchor_t_) / pace));
  if (anchor_ == Clock::time_point{} || now - due > too_late) {
    anchor_ = now;
    anchor_t_ = t;
    return std::nullopt;
  }
  return now < due ? std::optional(due) : std::nullopt;
}

// --- asked from outside ---------------------------------------------------------------------------------------------

void LiveRequests::pause() {
  const std::lock_guard lock(mutex_);
  paused_ = true;
  steps_wanted_ = 0;
  changed_.notify_all();
}

void LiveRequests::play() {
  const std::lock_guard lock(mutex_);
  paused_ = false;
  steps_wanted_ = 0;
  changed_.notify_all();
}

void LiveRequests::step() {
  const std::lock_guard lock(mutex_);
  paused_ = true;
  ++steps_wanted_;
  changed_.notify_all();
}

void LiveRequests::set_pace(double pace) {
  const std::lock_guard lock(mutex_);
  pace_ = pace;
  clock_.restart();
  changed_.notify_all();
}

// Of two that wait the later one counts, with what the earlier one was for.
void LiveRequests::configure(std::unique_ptr<LiveConfiguration> next) {
  const std::lock_guard lock(mutex_);
  if (next_ != nullptr) {
    if (!next->start) next->start = std::move(next_->start);
    next->changes.insert(next->changes.begin(), next_->changes.begin(), next_->changes.end());
  }
  next_ = std::move(next);
  target_.reset();
  changed_.notify_all();
}

void LiveRequests::move_pull(const std::array<double, 3>& target) {
  const std::lock_guard lock(mutex_);
  if (next_ != nullptr && next_->pulls())
    next_->move_to(target);
  else
    target_ = target;
  changed_.notify_all();
}

void LiveRequests::stop() {
  const std::lock_guard lock(mutex_);
  stop_ = true;
  changed_.notify_all();
}

bool LiveRequests::paused() const {
  const std::lock_guard lock(mutex_);
  return paused_;
}

double LiveRequests::pace() const {
  const std::lock_guard lock(mutex_);
  return pace_;
}

// --- the thread that steps ------------------------------------------------------------------------------------------

LiveOrder LiveRequests::wait(bool idle) {
  Lock lock(mutex_);
  for (;;) {
    if (target_) {
      const LiveOrder order{LiveOrder::Kind::move_pull, *target_};
      target_.reset();
      return order;
    }
    if (is_left()) return {LiveOrder::Kind::leave};
    if (!idle && !is_held()) return {LiveOrder::Kind::step};
    changed_.wait(lock);
    clock_.restart();
  }
}

bool LiveRequests::leaving() const {
  const std::lock_guard lock(mutex_);
  return is_left();
}

bool LiveRequests::stopping() const {
  const std::lock_guard lock(mutex_);
  return stop_;
}

bool LiveRequests::waiting() const {
  const std::lock_guard lock(mutex_);
  return is_held();
}

bool LiveRequests::count_step() {
  const std::lock_guard lock(mutex_);
  if (steps_wanted_ > 0) --steps_wanted_;
  return is_held();
}

void LiveRequests::keep_pace(double t) {
  Lock lock(mutex_);
  while (pace_ > 0 && !is_left() && !paused_) {
    const auto due = clock_.due(t, pace_, PaceClock::Clock::now());
    if (!due) return;
    changed_.wait_until(lock, *due);
  }
}

void LiveRequests::restart_clock() {
  const std::lock_guard lock(mutex_);
  clock_.restart();
}

std::unique_ptr<LiveConfiguration> LiveRequests::take_configuration() {
  const std::lock_guard lock(mutex_);
  return stop_ ? nullptr : std::move(next_);
}

}  // namespace livens
