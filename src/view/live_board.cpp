#include "view/live_board.hpp"

namespace livens {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr Seconds between_snapshots{1.0 / 60};
constexpr Seconds speed_window{0.5};
constexpr std::size_t most_interventions = 200;

}  // namespace

void SpeedMeter::restart(double t) {
  since_ = Clock::now();
  t_ = t;
}

void SpeedMeter::observe(double t, Clock::time_point now) {
  if (now - since_ <= speed_window) return;
  speed_ = (t - t_) / Seconds(now - since_).count();
  since_ = now;
  t_ = t;
}

void LiveBoard::on_news(std::function<void()> tell) {
  const std::lock_guard lock(mutex_);
  tell_ = std::move(tell);
}

std::shared_ptr<const LiveSnapshot> LiveBoard::snapshot() const {
  const std::lock_guard lock(mutex_);
  return snapshot_;
}

LiveBoard::Standing LiveBoard::standing() const {
  const std::lock_guard lock(mutex_);
  return standing_;
}

void LiveBoard::begin(double t) {
  meter_.restart(t);
  const std::lock_guard lock(mutex_);
  standing_ = {};
}

void LiveBoard::run_on() {
  const std::lock_guard lock(mutex_);
  standing_.phase = LivePhase::running;
  standing_.message.clear();
}

void LiveBoard::end(LivePhase phase, const std::string& message) {
  const std::lock_guard lock(mutex_);
  standing_.phase = phase;
  standing_.message = message;
}

void LiveBoard::note(double t, std::string text) {
  const std::lock_guard lock(mutex_);
  auto& list = standing_.interventions;
  if (list.size() >= most_interventions) list.erase(list.begin());
  list.push_back({t, std::move(text)});
}

LivePhase LiveBoard::phase() const {
  const std::lock_guard lock(mutex_);
  return standing_.phase;
}

void LiveBoard::tell() const {
  std::function<void()> tell;
  {
    const std::lock_guard lock(mutex_);
    tell = tell_;
  }
  if (tell) tell();
}

void LiveBoard::publish(When when, const LiveConfiguration& now, const State& state, const LiveBooks& books,
                        long rows) {
  const auto clock = Clock::now();
  if (when == When::if_due && clock - published_ < between_snapshots) return;
  published_ = clock;
  meter_.observe(state.t, clock);
  auto fresh = std::make_shared<LiveSnapshot>();
  fresh->seq = ++seq_;
  fresh->generation = generation_;
  fresh->steps = books.steps(now);
  fresh->rows = rows;
  fresh->speed = meter_.speed();
  fresh->state = state;
  fresh->ledger = books.ledger(now, state);
  fresh->model = now.plain;
  fresh->drawing = now.drawing;
  {
    const std::lock_guard lock(mutex_);
    snapshot_ = std::move(fresh);
  }
  tell();
}

}  // namespace livens
