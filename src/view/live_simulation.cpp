#include "view/live_simulation.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <livens/run.hpp>

#include "run/undefined_step.hpp"
#include "solve/stop_request.hpp"

namespace livens {
namespace {

constexpr double looks = 1000;  // of methods without a global step

}  // namespace

LiveSimulation::LiveSimulation(std::unique_ptr<LiveConfiguration> first, double pace, bool paused)
    : now_(std::move(first)), history_(now_->quantities->columns()), requests_(pace, paused) {
  begin();
  thread_ = std::thread([this] { run(); });
}

LiveSimulation::~LiveSimulation() {
  requests_.stop();
  thread_.join();
}

void LiveSimulation::run() {
  const StopScope stops([this] { return requests_.stopping(); });
  for (;;) {
    std::unique_ptr<LiveConfiguration> next;
    if (!obey(state_)) {
      next = requests_.take_configuration();
      if (next == nullptr) return;
    }
    StepReport report;
    try {
      if (next != nullptr) {
        take(std::move(next));
        continue;
      }
      report = advance();
    } catch (const std::exception& error) {
      report.converged = false;
      report.message = error.what();
    }
    settle(std::move(report));
  }
}

// As livens::run does it.
// The session as one observer of its own loop.
class LiveSimulation::Steps final : public Observer {
 public:
  explicit Steps(LiveSimulation& live)
      : live_(live), look_((live.now_->plan.t_end - live.now_->plan.t_begin) / looks) {}
  void observe(const Sample& sample) override { stop_ = !live_.after_step(sample.state, sample.report); }
  bool stop() const override { return stop_; }
  double next_time() const override { return std::min(live_.history_.next_time(), live_.state_.t + look_); }

 private:
  LiveSimulation& live_;
  double look_;  // s
  bool stop_ = false;
};

StepReport LiveSimulation::advance() {
  Steps steps(*this);
  Observer* const observers[] = {&steps};
  if (now_->dragged) now_->dragged->follow(state_);
  StepReport report = advance_observed(*now_->model, state_, *now_->integrator, now_->plan.t_end, observers);
  while (!report.converged && now_->dragged && now_->dragged->give_way(state_)) {
    board_.note(state_.t, now_->dragged->name + " stands still: what it pushes cannot get out of its way");
    report = advance_observed(*now_->model, state_, *now_->integrator, now_->plan.t_end, observers);
  }
  return report;
}

bool LiveSimulation::after_step(const State& now, const StepReport& report) {
  history_.observe(*now_, {*now_->plain, now, report, *now_->integrator}, books_);
  if (!history_.finite()) return false;
  const bool pausing = requests_.count_step();
  publish(pausing ? LiveBoard::When::now : LiveBoard::When::if_due, now);
  requests_.keep_pace(now.t);
  if (!pausing && requests_.waiting()) publish(LiveBoard::When::now, now);  // asked for while it waited for the clock
  if (!obey(now)) return false;
  if (now_->dragged) now_->dragged->follow(now);
  return true;
}

bool LiveSimulation::obey(const State& now) {
  for (;;) {
    const LiveOrder order = requests_.wait(board_.phase() != LivePhase::running);
    if (order.kind != LiveOrder::Kind::move_pull) return order.kind == LiveOrder::Kind::step;
    books_.move_pull(*now_, now, order.target);
    if (requests_.paused()) board_.tell();
  }
}

// After the last step: it is over, or it failed, or it was left.
void LiveSimulation::settle(StepReport report) {
  if (!history_.finite()) {
    report.converged = false;
    report.message = fmt::format("t = {:.4g} s: the energy is not finite. Use a smaller step", state_.t);
  }
  publish(LiveBoard::When::now, state_);
  if (!report.converged) name_undefined(report);
  if (!report.converged)
    board_.end(LivePhase::failed, report.message);
  else if (!requests_.leaving())
    board_.end(LivePhase::ended, "");
  if (board_.phase() != LivePhase::running) board_.tell();
}

// An expression of the scene that has no value there is the reason, as `run` says it.
void LiveSimulation::name_undefined(StepReport& report) const {
  const auto undefined = undefined_in_step(now_->scene, *now_->model, now_->plan, state_, report);
  if (!undefined) return;
  report.message = fmt::format("t = {:.4g} s: {}", state_.t, undefined_text(*undefined, now_->scene.root));
}

void LiveSimulation::begin() {
  state_ = std::move(*now_->start);
  now_->start.reset();
  const Sample sample{*now_->plain, state_, StepReport{}, *now_->integrator};
  now_->quantities->begin(sample);
  books_.begin(*now_, state_);
  board_.begin(state_.t);
  requests_.restart_clock();
  history_.begin(*now_, sample, books_);
  publish(LiveBoard::When::now, state_);
}

void LiveSimulation::take(std::unique_ptr<LiveConfiguration> next) {
  if (next->start) {
    now_ = std::move(next);
    board_.count_restart();
    return begin();
  }
  books_.change(*now_, *next, state_);
  if (now_->dragged && !(next->dragged && next->dragged->hand == now_->dragged->hand))
    now_->dragged->hand->let_go(state_.t, now_->dragged->rate);
  now_ = std::move(next);
  now_->quantities->begin({*now_->plain, state_, StepReport{}, *now_->integrator});
  history_.change();
  for (std::string& text : now_->changes) board_.note(state_.t, std::move(text));
  publish(LiveBoard::When::now, state_);
  board_.run_on();
}

}  // namespace livens
