#include "view/live_simulation.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace livens {
namespace {

constexpr double looks = 1000;  // of methods without steps of the whole

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
StepReport LiveSimulation::advance() {
  const auto on_step = [this](const State& now, const StepReport& report) { return after_step(now, report); };
  const double t_end = now_->plan.t_end, look = (t_end - now_->plan.t_begin) / looks;
  if (!now_->integrator->continuous()) return now_->integrator->advance(*now_->model, state_, t_end, on_step);
  StepReport report;
  while (state_.t < t_end) {
    const double next = std::min(history_.next_time(), state_.t + look);
    report = now_->integrator->advance(*now_->model, state_, std::min(t_end, std::max(next, state_.t * (1 + 1e-12))));
    if (!report.converged || !on_step(state_, report)) break;
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
  return obey(now);
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
  if (!report.converged)
    board_.end(LivePhase::failed, report.message);
  else if (!requests_.leaving())
    board_.end(LivePhase::ended, "");
  if (board_.phase() != LivePhase::running) board_.tell();
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
  now_ = std::move(next);
  now_->quantities->begin({*now_->plain, state_, StepReport{}, *now_->integrator});
  history_.change();
  for (std::string& text : now_->changes) board_.note(state_.t, std::move(text));
  publish(LiveBoard::When::now, state_);
  board_.run_on();
}

}  // namespace livens
