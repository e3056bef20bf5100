#include "asynchronous/event_loop.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>

#include "math/finite.hpp"

namespace livens {
namespace {

constexpr int most_nodes = 10;

// body.operator()<N>() for the number of nodes of a stencil.
template <class Body>
auto with_nodes(int nodes, const Body& body) {
  switch (nodes) {
    case 1: return body.template operator()<1>();
    case 2: return body.template operator()<2>();
    case 3: return body.template operator()<3>();
    case 4: return body.template operator()<4>();
    case 6: return body.template operator()<6>();
    default: return body.template operator()<10>();
  }
}

}  // namespace

EventLoop::EventLoop(std::shared_ptr<const StencilSystem> system, const StepRule& rule)
    : system_(std::move(system)), steps_(*system_, rule) {
  nodes_.resize(system_->node_count());
  clocks_.resize(system_->size());
  bool booked = false, damped = false;
  std::size_t places = 0;
  for (const auto& set : system_->sets()) {
    places += static_cast<std::size_t>(set.stencils->count() * set.per_stencil);
    damped = damped || !set.damping.empty();
  }
  for (int k = 0; k < system_->size(); ++k) booked = booked || system_->booked(k);
  if (booked || damped) books_.resize(clocks_.size());
  if (damped) before_.resize(places);
}

void EventLoop::start(const State& state) {
  origin_ = state.t;
  const auto dim = static_cast<std::size_t>(system_->dimension());
  for (std::size_t a = 0; a < nodes_.size(); ++a) {
    Node& node = nodes_[a];
    node.x = node.p = Pack{};
    const auto first = static_cast<std::size_t>(system_->coordinate(static_cast<int>(a)));
    for (std::size_t c = 0; c < dim; ++c) {
      node.x[c] = state.q[first + c];
      node.p[c] = state.p[first + c];
    }
    node.x[3] = state.t;
    node.p[3] = 1 / system_->mass(static_cast<int>(a));
  }
  alignas(32) double x[4 * most_nodes];
  for (const auto& set : system_->sets())
    for (int k = 0; k < set.stencils->count(); ++k) {
      const int stencil = set.first + k;
      const int* nodes = system_->nodes(set, stencil);
      for (int a = 0; a < set.per_stencil; ++a) *reinterpret_cast<Pack*>(x + 4 * a) = nodes_[nodes[a]].x;
      clocks_[stencil] = {state.t, state.t, steps_.first(stencil, x), 0};
    }
  // Nothing bounds the step of a load on a free node; it takes that of the slowest stencil.
  double longest = 0;
  for (const Clock& clock : clocks_)
    if (std::isfinite(clock.step)) longest = std::max(longest, clock.step);
  for (Clock& clock : clocks_)
    if (!std::isfinite(clock.step)) clock.step = longest;
  std::fill(books_.begin(), books_.end(), Book{});
  std::fill(targets_.begin(), targets_.end(), Target{});
  for (std::size_t k = 0; k < limits_.size(); ++k) limits_[k] = clocks_[k].step;
  for (LocalBalance& balance : watched_) balance = {balance.stencil, 1, 0, 0, 0, {}, {}, {}};
  balance_ = {};
  traced_.clear();
  queue_current_ = patches_current_ = false;
  patches_.clear();
  failed_ = -1;
  stopped_ = false;
}

long EventLoop::total_updates() const {
  long sum = 0;
  for (const Clock& clock : clocks_) sum += clock.count;
  return sum;
}

template <int N>
inline void EventLoop::drift(const int* nodes, double t, double* x) {
  for (int a = 0; a < N; ++a) {
    Node& node = nodes_[nodes[a]];
    Pack y = node.x + (t - node.x[3]) * node.p[3] * node.p;
    y[3] = t;
    node.x = y;
    *reinterpret_cast<Pack*>(x + 4 * a) = y;
  }
}

inline void EventLoop::schedule(int stencil, Clock& clock, double next) {
  const double t = clock.time;
  clock.last = t;
  clock.step = next;
  ++clock.count;
  // Whole multiples do not gather rounding.
  const double time = steps_.rule().update ? t + next : origin_ + static_cast<double>(clock.count) * next;
  std::atomic_ref(clocks_[stencil].time).store(time, std::memory_order_release);
}

void EventLoop::fail(int stencil, double t) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  stopped_ = true;
  if (failed_ >= 0 && (failed_time_ < t || (failed_time_ == t && failed_ < stencil))) return;
  failed_ = stencil;
  failed_time_ = t;
}

double EventLoop::impulse(const StencilSystem::Set& set, int stencil, double weight, const double* x,
                          const double* before, const Pack* p, const double* inverse_mass, double* g,
                          Book* book) const {
  const int N = set.per_stencil, k = stencil - set.first;
  const int* nodes = system_->nodes(set, stencil);
  const double energy = set.stencils->evaluate(k, x, g);
  const Pack* free = system_->free_coordinates();
  const Pack* load = system_->loads(set, stencil);
  for (int a = 0; a < N; ++a) {
    Pack& force = *reinterpret_cast<Pack*>(g + 4 * a);
    if (load != nullptr) force -= load[a];
    force *= -weight;
    if (free != nullptr) force *= free[nodes[a]];
  }
  if (!set.damping.empty() && before != nullptr) {
    alignas(32) double moved[4 * most_nodes], damping[4 * most_nodes] = {};
    for (int i = 0; i < 4 * N; ++i) moved[i] = x[i] - before[i];
    for (const auto& each : set.damping) each.stencils->add_impulse(k, x, moved, damping);
    // It takes what the kinetic energy loses from the elastic impulse on.
    for (int a = 0; a < N; ++a) {
      Pack against = *reinterpret_cast<Pack*>(damping + 4 * a);
      if (free != nullptr) against *= free[nodes[a]];
      Pack& force = *reinterpret_cast<Pack*>(g + 4 * a);
      const Pack v = (p[a] + force - 0.5 * against) * inverse_mass[a];
      book->dissipated += against[0] * v[0] + against[1] * v[1] + against[2] * v[2];
      force -= against;
    }
  }
  if (system_->booked(stencil))
    for (int a = 0; a < N; ++a) {
      const double *r = x + 4 * a, *f = g + 4 * a;
      for (int c = 0; c < 3; ++c) {
        book->linear[c] += f[c];
        book->angular[c] += r[(c + 1) % 3] * f[(c + 2) % 3] - r[(c + 2) % 3] * f[(c + 1) % 3];
      }
    }
  return energy;
}

const Pack* EventLoop::before_of(const StencilSystem::Set& set, int stencil) const {
  if (set.damping.empty()) return nullptr;
  return before_.data() + (system_->masses(set, stencil) - system_->masses(system_->sets().front(), 0));
}

template <int N>
inline bool EventLoop::activate_nodes(int stencil, const StencilSystem::Set& set) {
  Clock& clock = clocks_[stencil];
  const double step_before = clock.count == 0 ? 0 : clock.step;
  if (special_ || !system_->plain(stencil)) return activate_special<N>(stencil, set, step_before);
  alignas(32) double x[4 * N], g[4 * N];
  const int* nodes = system_->nodes(set, stencil);
  drift<N>(nodes, clock.time, x);
  if (!is_finite(set.stencils->evaluate(stencil - set.first, x, g))) return fail(stencil, clock.time), false;
  double step_after = clock.step;
  if (steps_.rule().update) {
    const double next = steps_.next(stencil, x, g);
    if (next > 0) step_after = next;
  }
  const double weight = 0.5 * (step_before + step_after);
  for (int a = 0; a < N; ++a) nodes_[nodes[a]].p -= weight * *reinterpret_cast<const Pack*>(g + 4 * a);
  schedule(stencil, clock, step_after);
  return true;
}

// With loads, supports, damping, books, an implicit solve, or somebody watching.
template <int N>
bool EventLoop::activate_special(int stencil, const StencilSystem::Set& set, double step_before) {
  alignas(32) double x[4 * N], g[4 * N];
  Clock& clock = clocks_[stencil];
  const auto at = static_cast<std::size_t>(stencil);
  const int* nodes = system_->nodes(set, stencil);
  const bool implicit = !implicit_.empty() && implicit_[at] != 0;
  Pack p[N];
  double inverse_mass[N], delay[N];
  for (int a = 0; a < N; ++a) {
    const Node& node = nodes_[nodes[a]];
    p[a] = node.p;
    inverse_mass[a] = node.p[3];
    delay[a] = clock.time - node.x[3];
    if (implicit) *reinterpret_cast<Pack*>(x + 4 * a) = node.x;
  }
  double step_after = clock.step;
  if (!implicit) drift<N>(nodes, clock.time, x);
  if (steps_.rule().update && !implicit) {
    set.stencils->evaluate(stencil - set.first, x, g);
    const double next = steps_.next(stencil, x, g);
    if (next > 0) step_after = next;
  }
  // An implicit impulse belongs to the time since the last one, an explicit one to both sides of its instant.
  const double weight = implicit ? step_before : 0.5 * (step_before + step_after);
  auto* before = reinterpret_cast<double*>(const_cast<Pack*>(before_of(set, stencil)));
  if (before != nullptr && clock.count == 0) std::copy(x, x + 4 * N, before);
  double energy = 0;
  if (implicit) {
    alignas(32) double x_new[4 * N];
    if (!solve_implicit(set, stencil, weight, x, delay, p, x_new, g)) return fail(stencil, clock.time), false;
    for (int a = 0; a < N; ++a) {
      Node& node = nodes_[nodes[a]];
      x_new[4 * a + 3] = clock.time;
      node.x = *reinterpret_cast<const Pack*>(x_new + 4 * a);
    }
  } else {
    energy = impulse(set, stencil, weight, x, before, p, inverse_mass, g, books_.empty() ? nullptr : &books_[at]);
    if (before != nullptr) std::copy(x, x + 4 * N, before);
  }
  if (!is_finite(energy)) return fail(stencil, clock.time), false;
  double kinetic_before = 0, kinetic_after = 0;
  for (int a = 0; a < N; ++a) {
    Pack& now = nodes_[nodes[a]].p;
    now += *reinterpret_cast<const Pack*>(g + 4 * a);
    for (int c = 0; c < 3; ++c) {
      kinetic_before += 0.5 * inverse_mass[a] * p[a][c] * p[a][c];
      kinetic_after += 0.5 * inverse_mass[a] * now[c] * now[c];
    }
  }
  if (traced_.size() < trace_length_) {
    traced_.push_back({clock.time, stencil, {nodes, nodes + N}, {}});
    for (int a = 0; a < N; ++a) traced_.back().x.push_back(nodes_[nodes[a]].x[0]);
  }
  if (!watch_of_.empty() && watch_of_[at] >= 0)
    note_balance(watched_[watch_of_[at]], clock.time, energy, kinetic_before, kinetic_after);
  schedule(stencil, clock, step_after);
  return true;
}

constexpr std::size_t most_kept = 4000;

void EventLoop::note_balance(LocalBalance& balance, double t, double energy, double before, double after) {
  if (balance.seen > 0 && balance.seen % balance.stride == 0) {
    balance.t.push_back(t);
    balance.energy.push_back(balance.before);
    balance.residual.push_back(balance.before - balance.after - energy);
  }
  ++balance.seen;
  balance.before = before + energy;
  balance.after = after;
  if (balance.t.size() < most_kept) return;
  for (auto* values : {&balance.t, &balance.energy, &balance.residual}) {  // every second one stays
    for (std::size_t k = 1; 2 * k < values->size(); ++k) (*values)[k] = (*values)[2 * k];
    values->resize(values->size() / 2);
  }
  balance.stride *= 2;
}

void EventLoop::watch(const std::vector<int>& stencils) {
  watch_of_.assign(clocks_.size(), -1);
  watched_.clear();
  for (const int stencil : stencils) {
    watch_of_[stencil] = static_cast<int>(watched_.size());
    watched_.push_back({});
    watched_.back().stencil = stencil;
  }
  special_ = special_ || !stencils.empty();
}

void EventLoop::trace(std::size_t activations) {
  trace_length_ = activations;
  special_ = special_ || activations > 0;
}

void EventLoop::make_implicit(const std::vector<bool>& stencils) {
  implicit_.assign(stencils.begin(), stencils.end());
  special_ = true;
}

bool EventLoop::activate(int stencil) {
  const StencilSystem::Set& set = system_->set_of(stencil);
  return with_nodes(set.per_stencil, [&]<int N>() { return activate_nodes<N>(stencil, set); });
}

bool EventLoop::run_queue(double T) {
  if (!queue_current_) {
    std::vector<double> times;
    for (const Clock& clock : clocks_) times.push_back(clock.time);
    queue_.assign(times);
    queue_current_ = true;
  }
  patches_current_ = false;
  while (queue_.next_time() <= T) {
    const int stencil = queue_.next();
    if (!activate(stencil)) return false;
    queue_.set(stencil, clocks_[stencil].time);
  }
  return true;
}

void EventLoop::read(double T, State& state, Ledger& ledger) const {
  static thread_local std::vector<Node> seen;
  seen.assign(nodes_.begin(), nodes_.end());
  for (Node& node : seen) {
    Pack y = node.x + (T - node.x[3]) * node.p[3] * node.p;
    y[3] = T;
    node.x = y;
  }
  Book sum;
  std::fill(ledger.energy_out.begin(), ledger.energy_out.end(), 0.0);
  alignas(32) double x[4 * most_nodes], g[4 * most_nodes];
  Pack p[most_nodes];
  double inverse_mass[most_nodes];
  for (const auto& set : system_->sets()) {
    for (int k = 0; k < set.stencils->count(); ++k) {
      const int stencil = set.first + k;
      const Clock& clock = clocks_[stencil];
      const int* nodes = system_->nodes(set, stencil);
      for (int a = 0; a < set.per_stencil; ++a) {
        const Node& node = seen[nodes[a]];
        *reinterpret_cast<Pack*>(x + 4 * a) = node.x;
        p[a] = node.p;
        inverse_mass[a] = node.p[3];
      }
      const auto* before = reinterpret_cast<const double*>(before_of(set, stencil));
      Book book = books_.empty() ? Book{} : books_[stencil];
      const bool one_sided = !targets_.empty() || (!implicit_.empty() && implicit_[stencil] != 0);
      const double weight = T - clock.last - (one_sided ? 0 : 0.5 * clock.step);
      impulse(set, stencil, weight, x, before, p, inverse_mass, g, &book);
      for (int a = 0; a < set.per_stencil; ++a) seen[nodes[a]].p += *reinterpret_cast<const Pack*>(g + 4 * a);
      for (int c = 0; c < 3; ++c) {
        sum.linear[c] += book.linear[c];
        sum.angular[c] += book.angular[c];
      }
      double time = 0;  // all damping of a set is a multiple of one stiffness
      for (const auto& damping : set.damping) time += damping.stencils->time();
      for (const auto& damping : set.damping)
        if (time > 0) ledger.energy_out[damping.force] += book.dissipated * damping.stencils->time() / time;
    }
  }
  for (int c = 0; c < 3; ++c) {
    ledger.linear_impulse[c] = sum.linear[c];
    ledger.angular_impulse[c] = sum.angular[c];
  }
  write_nodes(seen, state);
  state.t = T;
}

void EventLoop::read_nodes(State& state) const { write_nodes(nodes_, state); }

void EventLoop::write_nodes(const std::vector<Node>& nodes, State& state) const {
  const auto dim = static_cast<std::size_t>(system_->dimension());
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    const auto first = static_cast<std::size_t>(system_->coordinate(static_cast<int>(a)));
    for (std::size_t c = 0; c < dim; ++c) {
      state.q[first + c] = nodes[a].x[c];
      state.p[first + c] = nodes[a].p[c];
      state.v[first + c] = nodes[a].p[c] * nodes[a].p[3];
    }
  }
}

// Member by member: the room of the last time is used again.
void EventLoop::keep() {
  kept_.nodes = nodes_;
  kept_.clocks = clocks_;
  kept_.books = books_;
  kept_.before = before_;
  kept_.modes = steps_.modes();
  kept_.targets = targets_;
  kept_.watched = watched_;
  kept_.balance = balance_;
}

void EventLoop::put_back() {
  nodes_ = kept_.nodes;
  clocks_ = kept_.clocks;
  books_ = kept_.books;
  before_ = kept_.before;
  steps_.modes() = kept_.modes;
  targets_ = kept_.targets;
  watched_ = kept_.watched;
  balance_ = kept_.balance;
  queue_current_ = patches_current_ = false;
  failed_ = -1;
  stopped_ = false;
}

namespace {

using Time = std::chrono::steady_clock;
constexpr double measured_for = 0.03;  // s

double seconds_since(Time::time_point then) { return std::chrono::duration<double>(Time::now() - then).count(); }

}  // namespace

double EventLoop::time_of_update() const {
  std::vector<Node> nodes = nodes_;
  long updates = 0;
  const auto began = Time::now();
  do {
    for (const auto& set : system_->sets())
      with_nodes(set.per_stencil, [&]<int N>() {
        alignas(32) double x[4 * N], g[4 * N];
        for (int k = 0; k < set.stencils->count(); ++k) {
          const int* of = system_->nodes(set, set.first + k);
          for (int a = 0; a < N; ++a) {  // no time passes, but it is not told so
            Node& node = nodes[of[a]];
            node.x += (clocks_[0].last - clocks_[0].last) * node.p[3] * node.p;
            *reinterpret_cast<Pack*>(x + 4 * a) = node.x;
          }
          set.stencils->evaluate(k, x, g);
          for (int a = 0; a < N; ++a) nodes[of[a]].p -= 1e-300 * *reinterpret_cast<const Pack*>(g + 4 * a);
        }
      });
    updates += system_->size();
  } while (seconds_since(began) < measured_for);
  return seconds_since(began) / static_cast<double>(updates);
}

double EventLoop::time_of_queue() const {
  std::vector<double> times;
  for (const Clock& clock : clocks_) times.push_back(clock.time);
  EventQueue queue;
  queue.assign(times);
  long events = 0;
  const auto began = Time::now();
  do {
    for (int k = 0; k < 1000; ++k) queue.set(queue.next(), queue.next_time() + clocks_[queue.next()].step);
    events += 1000;
  } while (seconds_since(began) < measured_for);
  return seconds_since(began) / static_cast<double>(events);
}

void EventLoop::visit_memory(MemoryVisitor& visitor) {
  std::vector<double> numbers;
  const auto visit = [&](const char* name, auto& items, std::size_t each, const auto& access) {
    numbers.resize(items.size() * each);
    for (std::size_t k = 0; k < items.size(); ++k)
      for (std::size_t i = 0; i < each; ++i) numbers[k * each + i] = *access(items[k], i);
    visitor.visit(name, numbers);
    for (std::size_t k = 0; k < items.size(); ++k)
      for (std::size_t i = 0; i < each; ++i) *access(items[k], i) = numbers[k * each + i];
  };
  visitor.visit("event_origin", origin_);
  visit("event_nodes", nodes_, 8, [](Node& node, std::size_t i) { return reinterpret_cast<double*>(&node) + i; });
  visit("event_clocks", clocks_, 3, [](Clock& clock, std::size_t i) { return reinterpret_cast<double*>(&clock) + i; });
  std::vector<double> counts;  // exact up to 2^53
  for (const Clock& clock : clocks_) counts.push_back(static_cast<double>(clock.count));
  visitor.visit("event_counts", counts);
  for (std::size_t k = 0; k < clocks_.size(); ++k) clocks_[k].count = static_cast<long>(counts[k]);
  visit("event_books", books_, 7, [](Book& book, std::size_t i) { return reinterpret_cast<double*>(&book) + i; });
  visit("event_before", before_, 4, [](Pack& pack, std::size_t i) { return reinterpret_cast<double*>(&pack) + i; });
  if (!steps_.modes().empty()) visitor.visit("event_modes", steps_.modes());
  if (!targets_.empty()) {
    visitor.visit("balance_limits", limits_);
    std::vector<double> known;
    for (const Target& target : targets_) {
      known.push_back(target.potential);
      known.push_back(target.known ? 1 : 0);
    }
    visitor.visit("balance_targets", known);
    for (std::size_t k = 0; k < targets_.size(); ++k) targets_[k] = {known[2 * k], known[2 * k + 1] > 0};
    for (long* count : {&balance_.roots, &balance_.at_floor, &balance_.at_cap, &balance_.minimised})
      visitor.visit("balance_count", *count);
  }
  for (LocalBalance& balance : watched_) {
    visitor.visit("watch_stride", balance.stride);
    visitor.visit("watch_seen", balance.seen);
    visitor.visit("watch_before", balance.before);
    visitor.visit("watch_after", balance.after);
    visitor.visit("watch_t", balance.t);
    visitor.visit("watch_energy", balance.energy);
    visitor.visit("watch_residual", balance.residual);
  }
  queue_current_ = patches_current_ = false;
}

}  // namespace livens
