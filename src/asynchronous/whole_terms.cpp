#include "asynchronous/whole_terms.hpp"

#include <algorithm>
#include <cmath>

#include "asynchronous/memory_lists.hpp"
#include "math/finite.hpp"

namespace livens {
namespace {

constexpr int power_iterations = 60;
constexpr double difference = 1e-6;    // of the extent, or of 1 m/s, to difference gradients and forces
constexpr double most_of_limit = 0.5;  // stencils at the same nodes take the rest
constexpr double margin = 1.1;         // of a frequency by power iterations, which come from below
constexpr int most_repetitions = 200;
constexpr double repeated_enough = 1e-15;  // of the velocities

double largest(ConstVector x) {
  double size = 0;
  for (const double value : x) size = std::max(size, std::abs(value));
  return size;
}

double extent(ConstVector q) {
  const auto [least, most] = std::minmax_element(q.begin(), q.end());
  return *most > *least ? *most - *least : 1;
}

}  // namespace

WholeTerms::WholeTerms(const Model& model, const StencilSystem& system) : model_(&model), system_(&system) {
  const ModelParts& parts = model.parts();
  for (const auto& term : parts.terms) {
    if (StencilSystem::covers(model, *term)) continue;
    const Invariance keeps = term->invariance();
    Whole whole;
    whole.term = term;
    whole.booked = !(keeps.translations && keeps.rotations) || model.supported_count() > 0;
    wholes_.push_back(std::move(whole));
  }
  for (std::size_t f = 0; f < parts.forces.size(); ++f) {
    if (parts.forces[f]->stencils() != nullptr) continue;
    Whole whole;
    whole.force = parts.forces[f];
    whole.number = f;
    whole.step_energy = parts.forces[f]->step_energy();
    wholes_.push_back(std::move(whole));
  }
  for (auto* vector : {&q_, &v_, &impulse_, &middle_, &other_}) vector->resize(model.size());
}

void WholeTerms::start(const State& state, const StepRule& rule) {
  q_ = state.q;
  v_ = state.v;
  now_.ledger = Ledger{};
  now_.ledger.energy_out.assign(model_->parts().forces.size(), 0.0);
  now_.ledger.symmetry_impulse.assign(model_->parts().symmetries.size(), 0.0);
  failed_.clear();
  now_.origin = state.t;
  now_.clocks.clear();
  now_.before.clear();
  for (const Whole& whole : wholes_) {
    now_.clocks.push_back({state.t, state.t, step_of(whole, state.t, rule), 0});
    now_.before.insert(now_.before.end(), state.q.begin(), state.q.end());
  }
}

void WholeTerms::limit_steps(double longest) {
  if (longest <= 0) {
    for (const StencilClock& clock : now_.clocks)
      if (std::isfinite(clock.step)) longest = std::max(longest, clock.step);
    if (longest <= 0) return;
  }
  for (StencilClock& clock : now_.clocks) clock.step = std::min(clock.step, longest);
}

void WholeTerms::round_steps(double base) {
  for (StencilClock& clock : now_.clocks) {
    if (!(base > 0) || !std::isfinite(clock.step)) continue;
    double step = base;
    while (step > clock.step) step *= 0.5;
    clock.step = step;
  }
}

// |M^-1 d2W/dq2|, or |M^-1 df/dv|, by power iterations with differences.
double WholeTerms::frequency(const Whole& whole, double t) const {
  const std::size_t n = q_.size();
  const std::vector<double>& mass = model_->parts().mass.diagonal;
  std::vector<double> u(n), up(n), down(n);
  for (std::size_t i = 0; i < n; ++i)
    u[i] = model_->supported(static_cast<int>(i)) ? 0 : std::cos(1.7 * double(i) + 0.3);
  double value = 0;
  for (int k = 0; k < power_iterations; ++k) {
    const double size = largest(u);
    if (!(size > 0) || !std::isfinite(size)) return 0;
    const double eps = difference * (whole.term ? extent(q_) : 1.0) / size;
    for (const double side : {1.0, -1.0}) {
      std::vector<double>& out = side > 0 ? up : down;
      std::fill(out.begin(), out.end(), 0.0);
      const std::vector<double>& at = whole.term ? q_ : v_;
      for (std::size_t i = 0; i < n; ++i) other_[i] = at[i] + side * eps * u[i];
      if (whole.term)
        whole.term->add_gradient(t, other_, 1, out);
      else
        whole.force->add_force(t, q_, other_, 1, out);
    }
    for (std::size_t i = 0; i < n; ++i)
      u[i] = model_->supported(static_cast<int>(i)) ? 0 : (up[i] - down[i]) / (2 * eps) / mass[i];
    value = largest(u) / size;
    const double now = largest(u);
    for (double& x : u) x /= now > 0 ? now : 1;
  }
  return margin * value;
}

// 2/omega of a potential; 2/rate of a damping, beyond which its explicit impulse turns velocities round.
double WholeTerms::step_of(const Whole& whole, double t, const StepRule& rule) const {
  const double value = frequency(whole, t);
  double step = rule.longest;
  if (value > 0 && std::isfinite(value))
    step = std::min(step, std::min(rule.factor, most_of_limit) * 2 / (whole.term ? std::sqrt(value) : value));
  return step;
}

double WholeTerms::next_time() const {
  double next = std::numeric_limits<double>::infinity();
  for (const StencilClock& clock : now_.clocks) next = std::min(next, clock.time);
  return next;
}

void WholeTerms::gather(const std::vector<MovingNode>& nodes) const {
  for (int a = 0; a < system_->node_count(); ++a) {
    const int first = system_->coordinate(a);
    for (int c = 0; c < system_->dimension(); ++c) {
      q_[first + c] = nodes[a].x[c];
      v_[first + c] = nodes[a].p[c] * nodes[a].inverse_mass();
    }
    if (!system_->moves(a)) continue;
    Pack x = nodes[a].x, velocity{};
    system_->place(a, x[3], x, &velocity);
    for (int c = 0; c < system_->dimension(); ++c)
      if (model_->supported(first + c)) v_[first + c] = velocity[c];
  }
}

void WholeTerms::scatter(std::vector<MovingNode>& nodes) const {
  for (int a = 0; a < system_->node_count(); ++a)
    for (int c = 0; c < system_->dimension(); ++c) nodes[a].p[c] += impulse_[system_->coordinate(a) + c];
}

// w f at the mean of the velocities before and after, by repetition: a step is short enough for it to converge.
bool WholeTerms::add_force_impulse(const Whole& whole, double t, double weight) const {
  const std::vector<double>& mass = model_->parts().mass.diagonal;
  middle_ = v_;
  for (int k = 0; k < most_repetitions; ++k) {
    std::fill(impulse_.begin(), impulse_.end(), 0.0);
    whole.force->add_force(t, q_, middle_, weight, impulse_);
    if (!whole.force->depends_on_velocity()) return true;
    double change = 0, size = 0;
    for (std::size_t i = 0; i < q_.size(); ++i) {
      if (model_->supported(static_cast<int>(i))) continue;
      const double next = v_[i] + 0.5 * impulse_[i] / mass[i];
      change = std::max(change, std::abs(next - middle_[i]));
      size = std::max(size, std::abs(next));
      middle_[i] = next;
    }
    if (!(change > repeated_enough * size)) return std::isfinite(size);
  }
  return false;
}

// Writes the impulse at (t, q_, v_) and books it.
bool WholeTerms::add_impulse(std::size_t k, double t, double weight, Ledger& ledger) const {
  const Whole& whole = wholes_[k];
  const std::vector<double>& mass = model_->parts().mass.diagonal;
  const ConstVector then = before(k);
  if (whole.force && !whole.step_energy) {
    if (!add_force_impulse(whole, t, weight)) return false;
  } else {
    std::fill(impulse_.begin(), impulse_.end(), 0.0);
    if (whole.step_energy) {
      whole.step_energy->begin(then);
      whole.step_energy->add_gradient(q_, -1, impulse_);
    } else {
      whole.term->add_gradient(t, q_, -weight, impulse_);
    }
  }
  for (std::size_t i = 0; i < q_.size(); ++i) {
    if (model_->supported(static_cast<int>(i))) {
      // What a support that moves does against the potential.
      if (whole.term) ledger.time_work -= impulse_[i] * v_[i];
      impulse_[i] = 0;
    }
    other_[i] = v_[i] + impulse_[i] / mass[i];
  }
  if (!all_finite(impulse_)) return false;
  if (whole.force) {
    book_force(*model_, whole.number, q_, impulse_, v_, other_, ledger);
    return true;
  }
  if (whole.booked) book_impulse(*model_, q_, impulse_, ledger);
  const double last = now_.clocks[k].last;
  for (const ConstVector q : {then, ConstVector(q_)})
    ledger.time_work += 0.5 * (whole.term->energy(t, q) - whole.term->energy(last, q));
  return true;
}

bool WholeTerms::activate(MovingNodes& moving) {
  const double t = next_time();
  std::vector<MovingNode>& nodes = moving.all();
  drift_all(*system_, t, nodes, moving.carried());
  for (std::size_t k = 0; k < wholes_.size(); ++k) {
    StencilClock& clock = now_.clocks[k];
    if (clock.time != t) continue;
    gather(nodes);
    if (!add_impulse(k, t, 0.5 * (clock.step_before() + clock.step), now_.ledger)) {
      failed_ = wholes_[k].name();
      return false;
    }
    scatter(nodes);
    std::copy(q_.begin(), q_.end(), now_.before.begin() + static_cast<std::ptrdiff_t>(k * q_.size()));
    clock.last = t;
    ++clock.count;
    clock.time = now_.origin + static_cast<double>(clock.count) * clock.step;
  }
  return true;
}

void WholeTerms::read(double T, std::vector<MovingNode>& nodes, Ledger& ledger) const {
  if (empty()) return;
  Ledger all = now_.ledger;
  for (std::size_t k = 0; k < wholes_.size(); ++k) {
    gather(nodes);
    const StencilClock& clock = now_.clocks[k];
    add_impulse(k, T, T - clock.last - 0.5 * clock.step, all);
    scatter(nodes);
  }
  for (std::size_t f = 0; f < all.energy_out.size(); ++f) ledger.energy_out[f] += all.energy_out[f];
  for (std::size_t s = 0; s < all.symmetry_impulse.size(); ++s) ledger.symmetry_impulse[s] = all.symmetry_impulse[s];
  for (int c = 0; c < 3; ++c) {
    ledger.linear_impulse[c] += all.linear_impulse[c];
    ledger.angular_impulse[c] += all.angular_impulse[c];
  }
  ledger.time_work += all.time_work;
}

double WholeTerms::longest_step() const {
  double longest = 0;
  for (const StencilClock& clock : now_.clocks) longest = std::max(longest, clock.step);
  return longest;
}

double WholeTerms::shortest_step() const {
  double shortest = std::numeric_limits<double>::infinity();
  for (const StencilClock& clock : now_.clocks) shortest = std::min(shortest, clock.step);
  return shortest;
}

long WholeTerms::updates() const {
  long sum = 0;
  for (const StencilClock& clock : now_.clocks) sum += clock.count;
  return sum;
}

void WholeTerms::visit_memory(MemoryVisitor& visitor) {
  if (empty()) return;
  now_.clocks.resize(wholes_.size());
  now_.before.resize(wholes_.size() * q_.size());
  visitor.visit("whole_origin", now_.origin);
  visit_list(visitor, "whole_clocks", now_.clocks);
  std::vector<double> counts;
  for (const StencilClock& clock : now_.clocks) counts.push_back(static_cast<double>(clock.count));
  visitor.visit("whole_counts", counts);
  for (std::size_t k = 0; k < counts.size(); ++k) now_.clocks[k].count = static_cast<long>(counts[k]);
  visitor.visit("whole_before", now_.before);
  Ledger& ledger = now_.ledger;
  ledger.energy_out.resize(model_->parts().forces.size());
  ledger.symmetry_impulse.resize(model_->parts().symmetries.size());
  visitor.visit("whole_energy_out", ledger.energy_out);
  visitor.visit("whole_symmetry_impulse", ledger.symmetry_impulse);
  visitor.visit("whole_time_work", ledger.time_work);
  std::vector<double> impulses(ledger.linear_impulse, ledger.linear_impulse + 3);
  impulses.insert(impulses.end(), ledger.angular_impulse, ledger.angular_impulse + 3);
  visitor.visit("whole_impulses", impulses);
  std::copy_n(impulses.begin(), 3, ledger.linear_impulse);
  std::copy_n(impulses.begin() + 3, 3, ledger.angular_impulse);
}

}  // namespace livens
