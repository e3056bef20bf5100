#include "asynchronous/balanced_schedule.hpp"

#include <algorithm>
#include <cmath>

#include "asynchronous/memory_lists.hpp"

namespace livens {
namespace {

constexpr double floor_of_step = 0.1;  // of the step that the rule allows, which is the cap
constexpr int samples = 16;            // of the imbalance between floor and cap
constexpr int bisections = 60;
constexpr double rounding_of_times = 4e-16;

// V of a stencil at time t if its nodes drift on as they do now.
double potential(const Activations& activations, int stencil, double t) {
  const StencilSystem& system = activations.system();
  const StencilSystem::Set& set = system.set_of(stencil);
  const int* nodes = system.nodes(set, stencil);
  Pack x[most_nodes], g[most_nodes];
  for (int a = 0; a < set.per_stencil; ++a) x[a] = activations.nodes()[nodes[a]].position(t);
  return set.stencils->evaluate(stencil - set.first, lanes(x), lanes(g));
}

}  // namespace

BalancedSchedule::BalancedSchedule(Activations& activations) : SingleSchedule(activations) {
  const StencilSystem& system = activations.system();
  memory_.targets.resize(system.size());
  limits_.resize(system.size());
  neighbours_.resize(system.size());
  for (const auto& here : system.stencils_at_nodes())
    for (const int a : here)
      for (const int b : here)
        if (a != b) neighbours_[a].push_back(b);
  for (auto& list : neighbours_) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
}

void BalancedSchedule::start() {
  std::fill(memory_.targets.begin(), memory_.targets.end(), Target{});
  memory_.counts = {};
  for (std::size_t k = 0; k < limits_.size(); ++k) limits_[k] = activations_.clocks()[static_cast<int>(k)].step;
}

double BalancedSchedule::imbalance(int stencil, double t) const {
  return potential(activations_, stencil, t) - memory_.targets[stencil].potential;
}

double BalancedSchedule::bisect(int stencil, double low, double high, bool negative_at_low) const {
  for (int i = 0; i < bisections && high - low > rounding_of_times * std::abs(high); ++i) {
    const double middle = 0.5 * (low + high);
    ((imbalance(stencil, middle) < 0) == negative_at_low ? low : high) = middle;
  }
  return high;
}

// The first instant after `now` at which the stencil finds the energy it should; nodes drift on as they do now.
double BalancedSchedule::balanced_time(int stencil, double now) {
  const StencilClock& clock = activations_.clocks()[stencil];
  if (!memory_.targets[stencil].known) return clock.time;
  const double cap = limits_[stencil], floor = floor_of_step * cap;
  const double first = std::max(clock.last + floor, now), last = std::max(clock.last + cap, first);
  double t0 = first, f0 = imbalance(stencil, t0), best = t0, least = std::abs(f0);
  for (int k = 1; k <= samples && last > first; ++k) {
    const double t1 = first + (last - first) * k / samples, f1 = imbalance(stencil, t1);
    if (f0 == 0 || (f0 < 0) != (f1 < 0)) {
      ++memory_.counts.roots;
      return bisect(stencil, t0, t1, f0 < 0);
    }
    if (std::abs(f1) < least) least = std::abs(f1), best = t1;
    t0 = t1;
    f0 = f1;
  }
  BalanceCounts& counts = memory_.counts;
  (best == first ? counts.at_floor : best == last ? counts.at_cap : counts.minimised) += 1;
  return best;
}

bool BalancedSchedule::activate(int stencil) {
  const StencilSystem& system = activations_.system();
  const StencilSystem::Set& set = system.set_of(stencil);
  const int* of = system.nodes(set, stencil);
  MovingNodes& nodes = activations_.nodes();
  StencilClock& clock = activations_.clocks()[stencil];
  const double t = clock.time, weight = clock.count == 0 ? 0 : t - clock.last;
  Pack x[most_nodes], p[most_nodes], impulse[most_nodes];
  for (int a = 0; a < set.per_stencil; ++a) {
    MovingNode& node = nodes[of[a]];
    node.drift_to(t);
    x[a] = node.x;
    p[a] = node.p;
  }
  const double energy = activations_.impulses().make(set, stencil, {.weight = weight}, x, p, impulse);
  if (!is_finite(energy)) return activations_.fail(stencil, t);
  double gained = 0;  // T+ - T-
  for (int a = 0; a < set.per_stencil; ++a) {
    Pack& now = nodes[of[a]].p;
    for (int c = 0; c < 3; ++c) gained += p[a][3] * impulse[a][c] * (now[c] + 0.5 * impulse[a][c]);
    now += impulse[a];
  }
  memory_.targets[stencil] = {energy - gained, clock.count > 0};
  clock.last = t;
  ++clock.count;
  clock.time = clock.count == 1 ? t + limits_[stencil] : balanced_time(stencil, t);
  clock.step = clock.time - t;
  return true;
}

bool BalancedSchedule::run(double T) {
  StencilClocks& clocks = activations_.clocks();
  queue_.assign(clocks.times());
  while (queue_.next_time() <= T) {
    const int stencil = queue_.next();
    const double t = clocks[stencil].time;
    if (!activate(stencil)) return false;
    queue_.set(stencil, clocks[stencil].time);
    for (const int other : neighbours_[stencil]) {
      if (!memory_.targets[other].known) continue;
      StencilClock& theirs = clocks[other];
      theirs.time = balanced_time(other, t);
      theirs.step = theirs.time - theirs.last;
      queue_.set(other, theirs.time);
    }
  }
  return true;
}

std::vector<std::pair<std::string, long>> BalancedSchedule::events() const {
  const BalanceCounts& counts = memory_.counts;
  return {{"steps from a root of the energy balance", counts.roots},
          {"at the shortest step, no root", counts.at_floor},
          {"at the longest step, no root", counts.at_cap},
          {"least imbalance in between, no root", counts.minimised}};
}

void BalancedSchedule::visit_memory(MemoryVisitor& visitor) {
  if (memory_.targets.empty()) return;
  visitor.visit("balance_limits", limits_);
  visit_list(visitor, "balance_targets", memory_.targets);
  BalanceCounts& counts = memory_.counts;
  for (long* count : {&counts.roots, &counts.at_floor, &counts.at_cap, &counts.minimised})
    visitor.visit("balance_count", *count);
}

double balanced_energy(const Activations& activations) {
  double sum = 0;
  for (const MovingNode& node : activations.nodes().all())
    for (int c = 0; c < 3; ++c) sum += 0.5 * node.inverse_mass() * node.p[c] * node.p[c];
  for (int k = 0; k < activations.system().size(); ++k) sum += potential(activations, k, activations.clocks()[k].time);
  return sum;
}

}  // namespace livens
