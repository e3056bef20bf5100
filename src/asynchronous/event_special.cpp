// What the event loop does besides explicit impulses at given steps: implicit stencils, steps that balance the energy,
// and given sequences.
#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

#include "asynchronous/event_loop.hpp"

namespace livens {
namespace {

constexpr int most_nodes = 10;
constexpr int most_iterations = 30;
constexpr double rounding = 4e-16;
constexpr double accepted = 1e-9;  // where the residual does not fall any more: forces are differences of positions

}  // namespace

// With P the momentum between the last events of the nodes and this one, d their distance in time,
//   P = p - 1/2 w dW(x*),  x* = x + 1/2 d P/m,  x+ = x + d P/m,  p+ = P - 1/2 w dW(x*)
// Newton's method with second derivatives from differences of the gradient; g becomes p+ - p.
bool EventLoop::solve_implicit(const StencilSystem::Set& set, int stencil, double weight, const double* x,
                               const double* delay, const Pack* p, double* x_new, double* g) {
  const int N = set.per_stencil, D = system_->dimension(), n = N * D, k = stencil - set.first;
  const Pack* load = system_->loads(set, stencil);
  const Pack* free = system_->free_coordinates();
  const int* nodes = system_->nodes(set, stencil);
  const auto place = [&](int i) { return 4 * (i / D) + i % D; };
  alignas(32) double star[4 * most_nodes], gradient[4 * most_nodes], moved[4 * most_nodes], other[4 * most_nodes];
  Eigen::VectorXd P(n), residual(n);
  double size = 0, scale = 0;
  for (int i = 0; i < n; ++i) {
    P[i] = p[i / D][i % D];
    scale = std::max(scale, std::abs(P[i]));
    size = std::max(size, std::abs(x[place(i)] - x[i % D]));
  }
  const double eps = 1e-6 * (size > 0 ? size : 1);
  const auto evaluate = [&](const Eigen::VectorXd& at) {
    std::copy(x, x + 4 * N, star);
    for (int i = 0; i < n; ++i) star[place(i)] += 0.5 * delay[i / D] * at[i] * p[i / D][3];
    const double energy = set.stencils->evaluate(k, star, gradient);
    for (int i = 0; i < n; ++i) {
      double& slope = gradient[place(i)];
      if (load != nullptr) slope -= load[i / D][i % D];
      if (free != nullptr) slope *= free[nodes[i / D]][i % D];
      residual[i] = at[i] - p[i / D][i % D] + 0.5 * weight * slope;
      scale = std::max(scale, std::abs(weight * slope));
    }
    return energy - energy == 0;
  };
  if (!evaluate(P)) return false;
  double last = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    const double norm = residual.lpNorm<Eigen::Infinity>();
    if (norm <= rounding * scale || (norm > 0.5 * last && norm <= accepted * scale)) break;
    if (iteration + 1 == most_iterations) return false;
    last = norm;
    Eigen::MatrixXd J = Eigen::MatrixXd::Identity(n, n);
    for (int j = 0; j < n; ++j) {
      const double by = 0.5 * delay[j / D] * p[j / D][3];
      if (by == 0) continue;
      std::copy(star, star + 4 * N, moved);
      moved[place(j)] += eps;
      set.stencils->evaluate(k, moved, other);
      for (int i = 0; i < n; ++i) {
        double slope = other[place(i)];
        if (load != nullptr) slope -= load[i / D][i % D];
        if (free != nullptr) slope *= free[nodes[i / D]][i % D];
        J(i, j) += 0.5 * weight * (slope - gradient[place(i)]) / eps * by;
      }
    }
    const Eigen::VectorXd direction = J.partialPivLu().solve(residual), from = P;
    double part = 1;
    do {
      P = from - part * direction;
      part /= 2;
    } while (!evaluate(P) && part > 1e-6);
  }
  for (int i = 0; i < 4 * N; ++i) x_new[i] = x[i], g[i] = 0;
  for (int i = 0; i < n; ++i) {
    x_new[place(i)] += delay[i / D] * P[i] * p[i / D][3];
    g[place(i)] = P[i] - p[i / D][i % D] - 0.5 * weight * gradient[place(i)];
  }
  // Books of loads and supports, as for explicit impulses; they act at x* = (x + x+)/2.
  if (system_->booked(stencil)) {
    Book& book = books_[stencil];
    for (int a = 0; a < N; ++a)
      for (int c = 0; c < 3; ++c) {
        const double* f = g + 4 * a;
        const int i = (c + 1) % 3, j = (c + 2) % 3;
        book.linear[c] += f[c];
        book.angular[c] += 0.5 * ((x[4 * a + i] + x_new[4 * a + i]) * f[j] - (x[4 * a + j] + x_new[4 * a + j]) * f[i]);
      }
  }
  return true;
}

// --- steps that balance the energy
// ------------------------------------------------------------------------------------

namespace {

constexpr double floor_of_step = 0.1;  // of the step that the rule allows, which is the cap
constexpr int samples = 16;            // of the imbalance between floor and cap
constexpr int bisections = 60;

}  // namespace

// The first instant after `now` at which the stencil finds the energy it should; nodes drift on as they do now.
double EventLoop::balanced_time(int stencil, double now) {
  const auto at = static_cast<std::size_t>(stencil);
  const Clock& clock = clocks_[at];
  const StencilSystem::Set& set = system_->set_of(stencil);
  const int* nodes = system_->nodes(set, stencil);
  const double cap = limits_[at], floor = floor_of_step * cap;
  if (!targets_[at].known) return clock.time;
  alignas(32) double x[4 * most_nodes], g[4 * most_nodes];
  const auto imbalance = [&](double t) {
    for (int a = 0; a < set.per_stencil; ++a) {
      const Node& node = nodes_[nodes[a]];
      *reinterpret_cast<Pack*>(x + 4 * a) = node.x + (t - node.x[3]) * node.p[3] * node.p;
    }
    return set.stencils->evaluate(stencil - set.first, x, g) - targets_[at].potential;
  };
  const double first = std::max(clock.last + floor, now), last = std::max(clock.last + cap, first);
  double t0 = first, f0 = imbalance(t0), best = t0, least = std::abs(f0);
  for (int k = 1; k <= samples && last > first; ++k) {
    const double t1 = first + (last - first) * k / samples, f1 = imbalance(t1);
    if (f0 == 0 || (f0 < 0) != (f1 < 0)) {
      double low = t0, high = t1;
      for (int i = 0; i < bisections && high - low > rounding * std::abs(high); ++i) {
        const double middle = 0.5 * (low + high);
        ((imbalance(middle) < 0) == (f0 < 0) ? low : high) = middle;
      }
      ++balance_.roots;
      return high;
    }
    if (std::abs(f1) < least) least = std::abs(f1), best = t1;
    t0 = t1;
    f0 = f1;
  }
  (best == first ? balance_.at_floor : best == last ? balance_.at_cap : balance_.minimised) += 1;
  return best;
}

void EventLoop::make_balanced() {
  targets_.assign(clocks_.size(), {});
  limits_.assign(clocks_.size(), 0.0);
  neighbours_.assign(clocks_.size(), {});
  for (const auto& here : system_->stencils_at_nodes())
    for (const int a : here)
      for (const int b : here)
        if (a != b) neighbours_[a].push_back(b);
  for (auto& list : neighbours_) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
}

bool EventLoop::run_balanced(double T) {
  std::vector<double> times;
  for (const Clock& clock : clocks_) times.push_back(clock.time);
  queue_.assign(times);
  alignas(32) double x[4 * most_nodes], g[4 * most_nodes];
  while (queue_.next_time() <= T) {
    const int stencil = queue_.next();
    const auto at = static_cast<std::size_t>(stencil);
    Clock& clock = clocks_[at];
    const StencilSystem::Set& set = system_->set_of(stencil);
    const int* nodes = system_->nodes(set, stencil);
    const double t = clock.time, weight = clock.count == 0 ? 0 : t - clock.last;
    Pack p[most_nodes];
    double inverse_mass[most_nodes];
    for (int a = 0; a < set.per_stencil; ++a) {
      Node& node = nodes_[nodes[a]];
      node.x += (t - node.x[3]) * node.p[3] * node.p;
      node.x[3] = t;
      *reinterpret_cast<Pack*>(x + 4 * a) = node.x;
      p[a] = node.p;
      inverse_mass[a] = node.p[3];
    }
    const double energy =
        impulse(set, stencil, weight, x, nullptr, p, inverse_mass, g, books_.empty() ? nullptr : &books_[at]);
    if (!(energy - energy == 0)) return fail(stencil, t), false;
    double gained = 0;  // T+ - T-
    for (int a = 0; a < set.per_stencil; ++a) {
      Pack& now = nodes_[nodes[a]].p;
      const Pack kick = *reinterpret_cast<const Pack*>(g + 4 * a);
      for (int c = 0; c < 3; ++c) gained += inverse_mass[a] * kick[c] * (now[c] + 0.5 * kick[c]);
      now += kick;
    }
    targets_[at] = {energy - gained, clock.count > 0};
    clock.last = t;
    ++clock.count;
    clock.time = clock.count == 1 ? t + limits_[at] : balanced_time(stencil, t);
    clock.step = clock.time - t;
    queue_.set(stencil, clock.time);
    for (const int other : neighbours_[at]) {
      Clock& theirs = clocks_[other];
      if (!targets_[other].known) continue;
      theirs.time = balanced_time(other, t);
      theirs.step = theirs.time - theirs.last;
      queue_.set(other, theirs.time);
    }
  }
  queue_current_ = patches_current_ = false;
  return true;
}

double EventLoop::balanced_energy() const {
  alignas(32) double x[4 * most_nodes], g[4 * most_nodes];
  double sum = 0;
  for (const Node& node : nodes_)
    for (int c = 0; c < 3; ++c) sum += 0.5 * node.p[3] * node.p[c] * node.p[c];
  for (const auto& set : system_->sets())
    for (int k = 0; k < set.stencils->count(); ++k) {
      const int* nodes = system_->nodes(set, set.first + k);
      for (int a = 0; a < set.per_stencil; ++a) {
        const Node& node = nodes_[nodes[a]];
        *reinterpret_cast<Pack*>(x + 4 * a) = node.x + (time(set.first + k) - node.x[3]) * node.p[3] * node.p;
      }
      sum += set.stencils->evaluate(k, x, g);
    }
  return sum;
}

bool EventLoop::play(std::span<const Part> sequence) {
  alignas(32) double x[4 * most_nodes], g[4 * most_nodes];
  for (const auto& [component, step] : sequence) {
    if (component < 0) {
      for (Node& node : nodes_) {
        const double t = node.x[3] + step;
        node.x += step * node.p[3] * node.p;
        node.x[3] = t;
      }
      continue;
    }
    const StencilSystem::Set& set = system_->set_of(component);
    const int* nodes = system_->nodes(set, component);
    for (int a = 0; a < set.per_stencil; ++a) *reinterpret_cast<Pack*>(x + 4 * a) = nodes_[nodes[a]].x;
    const double energy = set.stencils->evaluate(component - set.first, x, g);
    if (!(energy - energy == 0)) return fail(component, clocks_[component].time), false;
    for (int a = 0; a < set.per_stencil; ++a) nodes_[nodes[a]].p -= step * *reinterpret_cast<const Pack*>(g + 4 * a);
    Clock& clock = clocks_[component];
    clock.last = clock.time += step;
    ++clock.count;
  }
  return true;
}

}  // namespace livens
