#include "asynchronous/activations.hpp"

#include <mutex>

#include "asynchronous/implicit_stencil.hpp"

namespace livens {

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
  clocks_.start(state.t, steps_.start(x), unbounded);
  impulses_.start();
  clear_failure();
}

void Activations::make_implicit(const std::vector<bool>& stencils) {
  implicit_.assign(stencils.begin(), stencils.end());
  special_ = true;
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
inline bool Activations::activate_nodes(int stencil, const Set& set) {
  if (special_ || !system_->plain(stencil)) return activate_special<N>(stencil, set);
  const StencilClock& clock = clocks_[stencil];
  const int* nodes = system_->nodes(set, stencil);
  Pack x[N], g[N];
  nodes_.drift<N>(nodes, clock.time, x);
  if (!is_finite(set.stencils->evaluate(stencil - set.first, lanes(x), lanes(g)))) return fail(stencil, clock.time);
  const bool update = steps_.rule().update;
  const double after = update ? step_after(stencil, x, g) : clock.step;
  const double weight = 0.5 * (clock.step_before() + after);
  for (int a = 0; a < N; ++a) nodes_[nodes[a]].p -= weight * g[a];
  clocks_.advance(stencil, after, !update);
  return true;
}

// With loads, supports, damping, books, an implicit solve, or somebody looking on.
template <int N>
bool Activations::activate_special(int stencil, const Set& set) {
  const double t = clocks_[stencil].time;
  const int* nodes = system_->nodes(set, stencil);
  if (constrained_ != nullptr)
    for (int a = 0; a < N; ++a)
      if (const int cluster = constrained_->cluster_of(nodes[a]);
          cluster >= 0 && !constrained_->drift(cluster, t, nodes_.all()))
        return fail(stencil, t);
  Pack p[N], impulse[N];
  for (int a = 0; a < N; ++a) p[a] = nodes_[nodes[a]].p;
  double energy = 0, after = clocks_[stencil].step;
  const bool good = implicit(stencil) ? activate_implicit<N>(stencil, set, p, impulse)
                                      : activate_explicit<N>(stencil, set, p, impulse, energy, after);
  if (!good) return fail(stencil, t);
  for (int a = 0; a < N; ++a) nodes_[nodes[a]].p += impulse[a];
  if (watch_ != nullptr) watch_->note(t, stencil, {nodes, nodes + N}, nodes_, p, energy);
  clocks_.advance(stencil, after, !steps_.rule().update);
  return true;
}

template <int N>
bool Activations::activate_explicit(int stencil, const Set& set, const Pack* p, Pack* impulse, double& energy,
                                    double& after) {
  const StencilClock& clock = clocks_[stencil];
  const int* nodes = system_->nodes(set, stencil);
  Pack x[N];
  nodes_.drift<N>(nodes, clock.time, x);
  if (system_->has_moving_supports()) nodes_.place<N>(nodes, x);
  if (steps_.rule().update) {
    set.stencils->evaluate(stencil - set.first, lanes(x), lanes(impulse));
    after = step_after(stencil, x, impulse);
  }
  if (clock.count == 0) impulses_.remember(set, stencil, x);
  energy = impulses_.make(set, stencil, 0.5 * (clock.step_before() + after), x, p, impulse);
  impulses_.remember(set, stencil, x);
  return is_finite(energy);
}

// An implicit impulse belongs to the time since the last one, an explicit one to both sides of its instant.
template <int N>
bool Activations::activate_implicit(int stencil, const Set& set, const Pack* p, Pack* impulse) {
  const StencilClock& clock = clocks_[stencil];
  const int* nodes = system_->nodes(set, stencil);
  Pack x[N], x_new[N], middle[N];
  double delay[N];
  for (int a = 0; a < N; ++a) {
    x[a] = nodes_[nodes[a]].x;
    delay[a] = clock.time - nodes_[nodes[a]].time();
  }
  ImplicitStencil solve(*system_, stencil, clock.step_before(), x, p, delay);
  if (!solve.solve()) return false;
  solve.write(x_new, impulse);
  for (int a = 0; a < N; ++a) {
    middle[a] = 0.5 * (x[a] + x_new[a]);
    x_new[a][3] = clock.time;
    nodes_[nodes[a]].x = x_new[a];
  }
  impulses_.enter(set, stencil, middle, impulse);
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
