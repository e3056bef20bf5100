#include "asynchronous/level_schedule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace livens {
namespace {

constexpr double worth_a_team = 1e4;    // ns of chunks in a tick
constexpr double worth_a_region = 1e5;  // ns in a run
constexpr int phases = 3;               // of a tick: chunks, their slots, stencils one by one

}  // namespace

void LevelSchedule::start() {
  tick_ = 0;
  if (!is_current()) build();
  chunks_.start();
  checked_ = true;
}

// Whether the levels that were built are those of the clocks.
bool LevelSchedule::is_current() const {
  const StencilClocks& clocks = activations_.clocks();
  if (static_cast<int>(level_of_.size()) != clocks.size() || clocks.size() == 0) return false;
  for (int k = 0; k < clocks.size(); ++k)
    if (clocks[k].step != steps_[level_of_[k]]) return false;
  return true;
}

void LevelSchedule::build() {
  const StencilClocks& clocks = activations_.clocks();
  double longest = 0, shortest = std::numeric_limits<double>::infinity();
  for (int k = 0; k < clocks.size(); ++k) {
    longest = std::max(longest, clocks[k].step);
    shortest = std::min(shortest, clocks[k].step);
  }
  level_of_.clear();
  steps_.clear();
  in_chunk_.clear();
  levels_.clear();
  if (!(longest > 0)) return;  // not yet started, or there is nothing
  for (int k = 0; k < clocks.size(); ++k)
    level_of_.push_back(static_cast<std::uint8_t>(std::lround(std::log2(longest / clocks[k].step))));
  const int count = 1 + static_cast<int>(std::lround(std::log2(longest / shortest)));
  levels_.assign(count, {});
  for (int l = 0; l < count; ++l) {
    steps_.push_back(std::ldexp(longest, -l));
    levels_[l].stride = 1L << (count - 1 - l);
  }
  choose(in_chunk_);
  chunks_.make(activations_.system(), level_of_, steps_, in_chunk_);
  alone_from_.assign(count + 1, 0);
  for (int k = 0; k < clocks.size(); ++k) {
    Level& level = levels_[level_of_[k]];
    if (in_chunk_[k] != 0)
      ++level.chunked;
    else
      level.alone.push_back(k);
  }
  for (int l = count - 1; l >= 0; --l)
    alone_from_[l] = alone_from_[l + 1] | static_cast<char>(!levels_[l].alone.empty());
}

// Explicit stencils whose nodes move freely and that nobody watches; chunks_ leaves out those that are no elements.
void LevelSchedule::choose(std::vector<char>& chosen) const {
  const StencilSystem& system = activations_.system();
  chosen.assign(system.size(), 0);
  for (const auto& set : system.sets())
    for (int k = set.first; k < set.first + set.stencils->count(); ++k) {
      bool free = !activations_.implicit(k) && !activations_.watched(k);
      for (int a = 0; a < set.per_stencil; ++a) {
        const int node = system.nodes(set, k)[a];
        free = free && !system.moves(node) && !system.slows(node) && system.cluster_of(node) < 0;
      }
      chosen[k] = free ? 1 : 0;
    }
}

long LevelSchedule::count(int level) const {
  const long stride = levels_[level].stride;
  return (tick_ + stride - 1) / stride;
}

StencilClock LevelSchedule::clock(int stencil) const {
  const StencilClocks& clocks = activations_.clocks();
  StencilClock clock = clocks[stencil];
  if (one_by_one(stencil)) return clock;
  clock.count = count(level_of_[stencil]);
  clock.time = clocks.origin() + static_cast<double>(clock.count) * clock.step;
  clock.last = clocks.origin() + static_cast<double>(std::max(0L, clock.count - 1)) * clock.step;
  return clock;
}

long LevelSchedule::total_updates() const {
  long sum = 0;
  for (std::size_t l = 0; l < levels_.size(); ++l)
    sum += count(static_cast<int>(l)) * (levels_[l].chunked + static_cast<long>(levels_[l].alone.size()));
  return sum;
}

int LevelSchedule::coarsest_at(long tick) const {
  int level = static_cast<int>(levels_.size()) - 1;
  while (level > 0 && tick % levels_[level - 1].stride == 0) --level;
  return level;
}

// A tick of several levels is the same number for all of them: counts times steps are equal before they are rounded.
LevelChunks::Instant LevelSchedule::instant(long tick) const {
  return {coarsest_at(tick), activations_.clocks().origin() + static_cast<double>(tick) * steps_.back(),
          tick == 0 ? 0.5 : 1.0};
}

bool LevelSchedule::activate_alone(int coarsest) {
  for (std::size_t l = static_cast<std::size_t>(coarsest); l < levels_.size(); ++l)
    for (const int stencil : levels_[l].alone)
      if (!activations_.activate(stencil)) return false;
  return true;
}

// item: of the team; -1: all of it.
bool LevelSchedule::kick(const LevelChunks::Instant& now, int item) {
  int failed = -1;
  std::vector<MovingNode>& nodes = activations_.nodes().all();
  const bool good = item < 0 ? chunks_.kick(now, nodes, failed) : chunks_.kick_item(now, item, nodes, failed);
  return good || activations_.fail(failed, now.t);
}

bool LevelSchedule::run_tick(long tick) {
  const LevelChunks::Instant now = instant(tick);
  return kick(now, -1) && activate_alone(now.coarsest);
}

bool LevelSchedule::run_ticks(long last) {
  for (; tick_ < last; ++tick_)
    if (!run_tick(tick_)) return false;
  return true;
}

bool LevelSchedule::run_with_team(long last, int members) {
  if (chunks_.items() != members) chunks_.divide(members);
  const auto alone = [&](int coarsest) { return chunks_.work(coarsest) < worth_a_team; };
  const auto items = [&](long phase) {
    const int coarsest = coarsest_at(phase / phases), which = static_cast<int>(phase % phases);
    if (alone(coarsest)) return which == 0 ? 1 : 0;
    if (which == 0) return members;
    if (which == 1) return chunks_.has_slots(coarsest) ? members : 0;
    return alone_from_[coarsest] != 0 ? 1 : 0;
  };
  const auto work = [&](long phase, int item) {
    const long tick = phase / phases;
    const LevelChunks::Instant now = instant(tick);
    const int which = static_cast<int>(phase % phases);
    if (alone(now.coarsest)) return run_tick(tick);
    if (which == 0) return kick(now, item);
    if (which == 2) return activate_alone(now.coarsest);
    chunks_.add_slots(now, item, activations_.nodes().all());
    return true;
  };
  team_.run(members, phases * tick_, phases * last, items, work);
  if (activations_.failed()) return false;
  tick_ = std::max(tick_, last);
  return true;
}

double LevelSchedule::next_instant() const {
  if (levels_.empty()) return std::numeric_limits<double>::infinity();
  return activations_.clocks().origin() + static_cast<double>(tick_) * steps_.back();
}

bool LevelSchedule::run(double T) {
  if (!checked_ && !is_current()) build();
  checked_ = true;
  if (levels_.empty()) return true;
  const double origin = activations_.clocks().origin();
  const auto time = [&](long tick) { return origin + static_cast<double>(tick) * steps_.back(); };
  long last = tick_;
  if (time(last) <= T) last = std::max(last, static_cast<long>((T - origin) / steps_.back()));
  while (last > tick_ && time(last - 1) > T) --last;
  while (time(last) <= T) ++last;
  double work = 0;  // about, in ns
  for (std::size_t l = 0; l < levels_.size(); ++l)
    work += (chunks_.work(static_cast<int>(l)) - chunks_.work(static_cast<int>(l) + 1)) *
            static_cast<double>(last - tick_) / static_cast<double>(levels_[l].stride);
  const int members = std::min(allowed_threads(), PhaseTeam::most_items);
  if (members == 1 || work < worth_a_region || chunks_.work(0) < worth_a_team) return run_ticks(last);
  return run_with_team(last, members);
}

void LevelSchedule::read(double T, std::vector<MovingNode>& nodes, Ledger& ledger) const {
  static thread_local std::vector<double> weights;  // looks must not allocate
  weights.resize(levels_.size());
  const double origin = activations_.clocks().origin();
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    const auto before = static_cast<double>(std::max(0L, count(static_cast<int>(l)) - 1));
    weights[l] = T - (origin + before * steps_[l]) - 0.5 * steps_[l];
  }
  chunks_.read(weights, T, nodes, ledger);
}

void LevelSchedule::keep() {
  kept_tick_ = tick_;
  chunks_.keep();
}

void LevelSchedule::put_back() {
  tick_ = kept_tick_;
  chunks_.put_back();
}

void LevelSchedule::visit_memory(MemoryVisitor& visitor) {
  if (!is_current()) build();  // clocks have been read
  visitor.visit("level_tick", tick_);
  chunks_.visit_memory(visitor);
}

}  // namespace livens
