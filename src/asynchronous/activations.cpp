#include "asynchronous/activations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

namespace livens {
namespace {

constexpr double most_ratio = 8;  // of the step of a spring over what the motion of its nodes asks for

}  // namespace

Activations::Activations(std::shared_ptr<const StencilSystem> system, const StepRule& rule)
    : system_(std::move(system)),
      steps_(*system_, rule),
      nodes_(*system_),
      clocks_(system_->size()),
      impulses_(*system_),
      kept_{nodes_, clocks_, impulses_, {}} {}

void Activations::start(const State& state, double unbounded) {
  nodes_.start(state);
  std::vector<Pack> x;
  for (const MovingNode& node : nodes_.all()) x.push_back(node.x);
  std::vector<double> steps = steps_.start(x);
  if (!steps_.rule().levels) follow_nodes(steps);  // levels at one node are close to each other anyway
  if (!implicit_.empty()) lengthen_implicit(steps);
  clocks_.start(state.t, steps, unbounded);
  impulses_.start();
  clear_failure();
}

// A slow force on a node that others move fast varies as fast as the node does. Springs, joints and pairs of bodies
// have at most a few times the step that the fastest motion of their nodes asks for: of a pair with frequency w, a node
// of mass m beside one of mass M moves with w sqrt(M / (m + M)).
void Activations::follow_nodes(std::vector<double>& steps) const {
  std::vector<double> shortest(system_->node_count(), std::numeric_limits<double>::infinity());
  const auto own = [&](const Set& set, int stencil, int a) {
    const int* nodes = system_->nodes(set, stencil);
    if (set.per_stencil != 2) return steps[stencil];
    const double here = system_->mass(nodes[a]), there = system_->mass(nodes[1 - a]);
    return steps[stencil] * std::sqrt((here + there) / there);
  };
  for (const Set& set : system_->sets())
    for (int k = set.first; k < set.first + set.stencils->count(); ++k)
      for (int a = 0; a < set.per_stencil && !implicit(k); ++a)
        shortest[system_->nodes(set, k)[a]] = std::min(shortest[system_->nodes(set, k)[a]], own(set, k, a));
  for (const Set& set : system_->sets()) {
    if (set.per_stencil < 2 || set.term == nullptr || set.term->elements() != nullptr) continue;
    if (steps_.rule().given_for(set.name) > 0) continue;
    for (int k = set.first; k < set.first + set.stencils->count(); ++k)
      for (int a = 0; a < set.per_stencil; ++a)
        steps[k] = std::min(steps[k], most_ratio * shortest[system_->nodes(set, k)[a]]);
  }
}

void Activations::make_implicit(const std::vector<double>& alpha) {
  implicit_.clear();
  for (const double a : alpha) implicit_.push_back(a * (1 - a));
}

// Nothing else bounds their steps.
void Activations::lengthen_implicit(std::vector<double>& steps) const {
  double longest = std::isfinite(steps_.rule().longest) && !steps_.rule().levels ? steps_.rule().longest : 0;
  for (std::size_t k = 0; k < steps.size(); ++k)
    if (implicit_[k] == 0 && std::isfinite(steps[k])) longest = std::max(longest, steps[k]);
  for (std::size_t k = 0; k < steps.size(); ++k)
    if (implicit_[k] > 0) steps[k] = std::max(steps[k], longest);
}

// s = alpha (1 - alpha) w (w + 2 T): the lagged damping of time T takes as much again to be stable at any stiffness.
double Activations::softness(int stencil, double step) const {
  if (!implicit(stencil)) return 0;
  double time = 0;
  for (const auto& damping : system_->set_of(stencil).damping) time += damping.stencils->time();
  return implicit_[stencil] * step * (step + 2 * time);
}

void Activations::constrain(ConstrainedNodes& constrained) {
  constrained_ = &constrained;
  special_ = true;
}

void Activations::observe(ActivationWatch& watch) {
  watch_ = &watch;
  special_ = true;
}

bool Activations::activate(int stencil) {
  const Set& set = system_->set_of(stencil);
  return with_nodes(set.per_stencil, [&]<int N>() { return activate_nodes<N>(stencil, set); });
}

inline double Activations::step_after(int stencil, const Pack* x, const Pack* gradient) {
  const double next = steps_.next(stencil, lanes(x), lanes(gradient));
  return next > 0 ? next : clocks_[stencil].step;
}

template <int N>
void Activations::check_speeds(const int* nodes, double t) {
  for (int a = 0; a < N; ++a) {
    const Pack& p = nodes_[nodes[a]].p;
    if (!(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] > (*limits_)[nodes[a]])) continue;
    fast_.push_back(nodes[a]);
    fast_since_ = t;
  }
}

template <int N>
inline bool Activations::activate_nodes(int stencil, const Set& set) {
  if (special_ || implicit(stencil) || !system_->plain(stencil)) return activate_special<N>(stencil, set);
  const StencilClock& clock = clocks_[stencil];
  const int* nodes = system_->nodes(set, stencil);
  Pack x[N], g[N];
  nodes_.drift<N>(nodes, clock.time, x);
  if (!is_finite(set.stencils->evaluate(stencil - set.first, lanes(x), lanes(g)))) return fail(stencil, clock.time);
  const bool update = steps_.rule().update;
  const double after = update ? step_after(stencil, x, g) : clock.step;
  const double weight = 0.5 * (clock.step_before() + after);
  for (int a = 0; a < N; ++a) nodes_[nodes[a]].p -= weight * g[a];
  if (limits_ != nullptr) check_speeds<N>(nodes, clock.time);
  clocks_.advance(stencil, after, !update);
  return true;
}

bool Activations::bring(int node, double t) {
  const int cluster = system_->cluster_of(node);
  if (cluster >= 0 && constrained_ != nullptr) return constrained_->drift(cluster, t, nodes_);
  nodes_.bring(node, t);
  return true;
}

// With loads, supports, drag, damping, books, constraints, an implicit solve, or somebody looking on.
template <int N>
bool Activations::activate_special(int stencil, const Set& set) {
  const StencilClock& clock = clocks_[stencil];
  const double t = clock.time;
  const int* nodes = system_->nodes(set, stencil);
  Pack x[N], p[N], impulse[N];
  for (int a = 0; a < N; ++a) {
    if (!bring(nodes[a], t)) return fail(stencil, t);
    x[a] = nodes_[nodes[a]].x;
    p[a] = nodes_[nodes[a]].p;
  }
  double after = clock.step;
  if (steps_.rule().update && !implicit(stencil)) {
    set.stencils->evaluate(stencil - set.first, lanes(x), lanes(impulse));
    after = step_after(stencil, x, impulse);
  }
  const Kick kick{0.5 * (clock.step_before() + after), softness(stencil, after), clock.count == 0};
  const double energy = impulses_.make(set, stencil, kick, x, p, impulse);
  if (!is_finite(energy)) return fail(stencil, t);
  for (int a = 0; a < N; ++a) nodes_[nodes[a]].p += impulse[a];
  if (limits_ != nullptr) check_speeds<N>(nodes, t);
  if (watch_ != nullptr) watch_->note(t, stencil, {nodes, nodes + N}, nodes_, p, energy);
  clocks_.advance(stencil, after, !steps_.rule().update);
  return true;
}

bool Activations::fail(int stencil, double t) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const bool later = failed_time_ < t || (failed_time_ == t && failed_stencil_ < stencil);
  if (failed_stencil_ < 0 || !later) {
    failed_stencil_ = stencil;
    failed_time_ = t;
  }
  failed_ = true;
  return false;
}

void Activations::clear_failure() {
  failed_stencil_ = -1;
  failed_ = false;
}

// Member by member: the memory of the last time is used again.
void Activations::keep() {
  kept_.nodes = nodes_;
  kept_.clocks = clocks_;
  kept_.impulses = impulses_;
  kept_.modes = steps_.modes();
}

void Activations::put_back() {
  nodes_ = kept_.nodes;
  clocks_ = kept_.clocks;
  impulses_ = kept_.impulses;
  steps_.modes() = kept_.modes;
  clear_failure();
}

void Activations::visit_memory(MemoryVisitor& visitor) {
  clocks_.visit_origin(visitor);
  nodes_.visit_memory(visitor);
  clocks_.visit_memory(visitor);
  impulses_.visit_memory(visitor);
  if (!steps_.modes().empty()) visitor.visit("event_modes", steps_.modes());
}

}  // namespace livens
