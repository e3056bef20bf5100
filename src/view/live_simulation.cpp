#include "view/live_simulation.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace livens {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr Seconds between_snapshots{1.0 / 60};
constexpr Seconds too_late{0.1};  // behind the clock: it goes on from here instead of catching up
constexpr Seconds speed_window{0.5};
constexpr std::size_t most_interventions = 200;
constexpr double rows_of_history = 1000;
constexpr double looks = 1000;  // of methods without steps of the whole

double size_of(const LiveConfiguration& now) { return now.plan.t_end - now.plan.t_begin; }

double pull_energy(const LiveConfiguration& now, const State& state) {
  return now.pull != nullptr ? now.pull->energy(state.t, state.q) : 0;
}

// What the present integrator has booked.
void add_books(const LiveConfiguration& now, LiveLedger& books) {
  const Ledger& ledger = now.integrator->ledger();
  books.work += ledger.time_work;
  const auto& forces = now.model->parts().forces;
  for (std::size_t k = 0; k < forces.size() && k < ledger.energy_out.size(); ++k) {
    if (forces[k]->ledger_side() == LedgerSide::dissipated)
      books.dissipated += ledger.energy_out[k];
    else
      books.work -= ledger.energy_out[k];
  }
}

}  // namespace

LiveSimulation::LiveSimulation(std::unique_ptr<LiveConfiguration> first, double pace, bool paused)
    : now_(std::move(first)), columns_(now_->quantities->columns()), paused_(paused), pace_(pace) {
  begin();
  thread_ = std::thread([this] { run(); });
}

LiveSimulation::~LiveSimulation() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

// --- asked from outside ---------------------------------------------------------------------------------------------

void LiveSimulation::on_news(std::function<void()> tell) {
  const std::lock_guard lock(mutex_);
  tell_ = std::move(tell);
}

void LiveSimulation::pause() {
  const std::lock_guard lock(mutex_);
  paused_ = true;
  steps_wanted_ = 0;
  changed_.notify_all();
}

void LiveSimulation::play() {
  const std::lock_guard lock(mutex_);
  paused_ = false;
  steps_wanted_ = 0;
  changed_.notify_all();
}

void LiveSimulation::step() {
  const std::lock_guard lock(mutex_);
  paused_ = true;
  ++steps_wanted_;
  changed_.notify_all();
}

void LiveSimulation::set_pace(double pace) {
  const std::lock_guard lock(mutex_);
  pace_ = pace;
  anchor_ = {};
  changed_.notify_all();
}

// Of two that wait the later one counts, with what the earlier one was for.
void LiveSimulation::configure(std::unique_ptr<LiveConfiguration> next) {
  const std::lock_guard lock(mutex_);
  if (next_ != nullptr) {
    if (!next->start) next->start = std::move(next_->start);
    next->changes.insert(next->changes.begin(), next_->changes.begin(), next_->changes.end());
  }
  next_ = std::move(next);
  target_.reset();
  changed_.notify_all();
}

void LiveSimulation::move_pull(const std::array<double, 3>& target) {
  const std::lock_guard lock(mutex_);
  if (next_ != nullptr && next_->pull != nullptr)
    next_->pull->move_to(target);
  else
    target_ = target;
  changed_.notify_all();
}

LiveSimulation::Status LiveSimulation::status() const {
  const std::lock_guard lock(mutex_);
  return {phase_, paused_, pace_, message_, interventions_};
}

std::shared_ptr<const LiveSnapshot> LiveSimulation::snapshot() const {
  const std::lock_guard lock(mutex_);
  return snapshot_;
}

std::vector<std::vector<double>> LiveSimulation::rows(long first) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::vector<double>> result(columns_.size());
  for (auto row = static_cast<std::size_t>(std::max(first, 0L)); row < rows_.size(); ++row)
    for (std::size_t k = 0; k < columns_.size(); ++k) result[k].push_back(rows_[row][k]);
  return result;
}

// --- the thread that steps ------------------------------------------------------------------------------------------

void LiveSimulation::run() {
  for (;;) {
    std::unique_ptr<LiveConfiguration> next;
    {
      Lock lock(mutex_);
      if (!hold(lock, state_)) {
        if (stop_) return;
        next = std::move(next_);
      }
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
    if (!finite_) {
      report.converged = false;
      report.message = fmt::format("t = {:.4g} s: the energy is not finite. Use a smaller step", state_.t);
    }
    publish(state_, true);
    const std::lock_guard lock(mutex_);
    if (!report.converged) {
      phase_ = Phase::failed;
      message_ = report.message;
    } else if (!stop_ && next_ == nullptr) {
      phase_ = Phase::ended;
    }
    if (phase_ != Phase::running && tell_) tell_();
  }
}

// As livens::run does it.
StepReport LiveSimulation::advance() {
  const auto on_step = [this](const State& now, const StepReport& report) { return after_step(now, report); };
  const double t_end = now_->plan.t_end;
  if (!now_->integrator->continuous()) return now_->integrator->advance(*now_->model, state_, t_end, on_step);
  StepReport report;
  while (state_.t < t_end) {
    const double next = std::min(schedule_.next_time(), state_.t + size_of(*now_) / looks);
    report = now_->integrator->advance(*now_->model, state_, std::min(t_end, std::max(next, state_.t * (1 + 1e-12))));
    if (!report.converged || !on_step(state_, report)) break;
  }
  return report;
}

bool LiveSimulation::after_step(const State& now, const StepReport& report) {
  record(now, report, false);
  if (!finite_) return false;
  bool pausing = false;
  {
    const std::lock_guard lock(mutex_);
    if (steps_wanted_ > 0) --steps_wanted_;
    pausing = paused_ && steps_wanted_ == 0;
  }
  publish(now, pausing);
  Lock lock(mutex_);
  keep_pace(lock, now.t);
  if (paused_ && steps_wanted_ == 0 && !pausing) {  // asked for while it waited for the clock
    lock.unlock();
    publish(now, true);
    lock.lock();
  }
  return hold(lock, now);
}

bool LiveSimulation::hold(Lock& lock, const State& now) {
  for (;;) {
    if (target_) {
      apply_target(now);
      if (paused_ && tell_) tell_();
    }
    const bool waits = phase_ != Phase::running || (paused_ && steps_wanted_ == 0);
    if (stop_ || next_ != nullptr || !waits) break;
    changed_.wait(lock);
    anchor_ = {};
  }
  return !stop_ && next_ == nullptr;
}

// Moving the end of the spring puts energy into it.
void LiveSimulation::apply_target(const State& now) {
  if (now_->pull != nullptr) {
    books_.pull -= pull_energy(*now_, now);
    now_->pull->move_to(*target_);
    books_.pull += pull_energy(*now_, now);
  }
  target_.reset();
}

void LiveSimulation::keep_pace(Lock& lock, double t) {
  while (pace_ > 0 && !stop_ && next_ == nullptr && !paused_) {
    const auto now = Clock::now();
    const auto due = anchor_ + std::chrono::duration_cast<Clock::duration>(Seconds((t - anchor_t_) / pace_));
    if (anchor_ == Clock::time_point{} || now - due > too_late) {
      anchor_ = now;
      anchor_t_ = t;
      return;
    }
    if (now >= due) return;
    changed_.wait_until(lock, due);
  }
}

void LiveSimulation::begin() {
  state_ = std::move(*now_->start);
  now_->start.reset();
  const Sample sample{*now_->plain, state_, StepReport{}, *now_->integrator};
  now_->quantities->begin(sample);
  books_ = {};
  books_.start = energy(*now_->plain, state_).total;
  books_.pull = pull_energy(*now_, state_);
  schedule_ = Schedule(state_.t, now_->plan.history_every.value_or(size_of(*now_) / rows_of_history));
  steps_before_ = 0;
  speed_since_ = Clock::now();
  speed_t_ = state_.t;
  {
    const std::lock_guard lock(mutex_);
    rows_.clear();
    interventions_.clear();
    phase_ = Phase::running;
    message_.clear();
    anchor_ = {};
  }
  column_of_.clear();
  record(state_, {}, true);
  publish(state_, true);
}

void LiveSimulation::take(std::unique_ptr<LiveConfiguration> next) {
  const bool anew = next->start.has_value();
  if (anew) {
    now_ = std::move(next);
    ++generation_;
    return begin();
  }
  add_books(*now_, books_);
  steps_before_ += now_->integrator->counters().steps;
  books_.pull += pull_energy(*next, state_) - pull_energy(*now_, state_);
  if (next->plain != now_->plain) {
    const double before = energy(*now_->plain, state_).total;
    next->plain->velocity(state_.t, state_.q, state_.p, state_.v);  // the momenta stay
    books_.changes += energy(*next->plain, state_).total - before;
  }
  now_ = std::move(next);
  now_->quantities->begin({*now_->plain, state_, StepReport{}, *now_->integrator});
  column_of_.clear();
  finite_ = true;
  for (std::string& text : now_->changes) note(state_.t, std::move(text));
  publish(state_, true);
  const std::lock_guard lock(mutex_);
  phase_ = Phase::running;
  message_.clear();
}

void LiveSimulation::note(double t, std::string text) {
  const std::lock_guard lock(mutex_);
  if (interventions_.size() >= most_interventions) interventions_.erase(interventions_.begin());
  interventions_.push_back({t, std::move(text)});
}

LiveLedger LiveSimulation::ledger(const State& now) const {
  LiveLedger books = books_;
  add_books(*now_, books);
  books.pull -= pull_energy(*now_, now);  // what is in the spring has not reached the body
  return books;
}

// A row as livens::run writes it, with the books of the whole session.
void LiveSimulation::record(const State& now, const StepReport& report, bool always) {
  const Sample sample{*now_->plain, now, report, *now_->integrator};
  now_->quantities->advance(sample);
  if (!schedule_.due(now.t, report.h) && !always) return;
  const auto values = now_->quantities->evaluate(sample);
  if (column_of_.empty())
    for (const Column& column : columns_)
      column_of_.push_back(now_->quantities->has(column.name) ? static_cast<int>(now_->quantities->index(column.name))
                                                              : -1);
  const LiveLedger books = ledger(now);
  std::vector<double> row;
  double total = 0;
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    const std::string& name = columns_[k].name;
    double value = column_of_[k] >= 0 ? values[column_of_[k]] : std::nan("");
    if (name == "energy") total = value;
    if (name == "step") value += static_cast<double>(steps_before_);
    if (name == "dissipated") value = books.dissipated;
    if (name == "work") value = books.work + books.pull + books.changes;
    if (name == "energy_error")
      value = total + books.dissipated - books.work - books.pull - books.changes - books.start;
    row.push_back(value);
  }
  finite_ = !std::isinf(total);
  const std::lock_guard lock(mutex_);
  rows_.push_back(std::move(row));
}

void LiveSimulation::publish(const State& now, bool always) {
  const auto clock = Clock::now();
  if (!always && clock - published_ < between_snapshots) return;
  published_ = clock;
  if (clock - speed_since_ > speed_window) {
    speed_ = (now.t - speed_t_) / Seconds(clock - speed_since_).count();
    speed_since_ = clock;
    speed_t_ = now.t;
  }
  auto fresh = std::make_shared<LiveSnapshot>();
  fresh->seq = ++seq_;
  fresh->generation = generation_;
  fresh->steps = steps_before_ + now_->integrator->counters().steps;
  fresh->speed = speed_;
  fresh->state = now;
  fresh->ledger = ledger(now);
  fresh->model = now_->plain;
  fresh->drawing = now_->drawing;
  std::function<void()> tell;
  {
    const std::lock_guard lock(mutex_);
    fresh->rows = static_cast<long>(rows_.size());
    snapshot_ = std::move(fresh);
    tell = tell_;
  }
  if (tell) tell();
}

}  // namespace livens
