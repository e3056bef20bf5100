#include "asynchronous/whole_terms.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "asynchronous/memory_lists.hpp"
#include "asynchronous/term_stencil.hpp"
#include "math/finite.hpp"

namespace livens {
namespace {

constexpr int power_iterations = 60;
constexpr double whole_difference = 1e-6;  // of the extent, or of 1 m/s, to difference gradients and forces
constexpr double most_of_limit = 0.5;      // stencils at the same nodes take the rest
constexpr double margin = 1.1;             // of a frequency by power iterations, which come from below
constexpr int most_repetitions = 200;
constexpr double repeated_enough = 1e-15;  // of the velocities
constexpr double worth_dividing = 2;       // ratio of the steps of two parts
constexpr double never = std::numeric_limits<double>::infinity();

double extent(ConstVector q) {
  const auto [least, most] = std::minmax_element(q.begin(), q.end());
  return *most > *least ? *most - *least : 1;
}

}  // namespace

WholeTerms::WholeTerms(const Model& model, const StencilSystem& system) : model_(&model), system_(&system) {
  const ModelParts& parts = model.parts();
  for (auto* vector : {&q_, &v_, &impulse_, &middle_, &other_}) vector->resize(model.size());
  for (const auto& term : parts.terms) {
    if (StencilSystem::covers(model, *term)) continue;
    const auto divided = term->by_rate();
    add_term(term);
    wholes_.back().parts = static_cast<int>(divided.size());
    for (const auto& part : divided) add_term(part);
  }
  for (std::size_t f = 0; f < parts.forces.size(); ++f) {
    const Force& force = *parts.forces[f];
    if (StencilSystem::covers(model, force)) continue;
    const Invariance keeps = force.invariance();
    Whole whole;
    whole.force = parts.forces[f];
    whole.number = f;
    whole.step_energy = force.step_energy();
    whole.booked = !(keeps.translations && keeps.rotations) || model.supported_count() > 0;
    whole.halves = whole.step_energy == nullptr && force.depends_on_velocity();
    add(std::move(whole), force.coordinates());
  }
}

void WholeTerms::add_term(std::shared_ptr<const EnergyTerm> term) {
  const Invariance keeps = term->invariance();
  const std::vector<int> coordinates = term->coordinates();
  Whole whole;
  whole.in_time = term->depends_on_time();
  whole.booked = !(keeps.translations && keeps.rotations) || model_->supported_count() > 0;
  whole.term = std::move(term);
  add(std::move(whole), coordinates);
}

void WholeTerms::add(Whole whole, const std::vector<int>& coordinates) {
  // Momentum maps of symmetries may look at any coordinate.
  const bool all = coordinates.empty() || (whole.force && !model_->parts().symmetries.empty());
  if (all) {
    whole.nodes.resize(static_cast<std::size_t>(system_->node_count()));
    std::iota(whole.nodes.begin(), whole.nodes.end(), 0);
  } else {
    for (const int first : nodes_of_coordinates(*model_, coordinates)) whole.nodes.push_back(system_->node_of(first));
  }
  if (looks_back(whole)) {
    whole.before = now_.before.size();
    now_.before.resize(now_.before.size() + q_.size());
  }
  wholes_.push_back(std::move(whole));
}

void WholeTerms::start(const State& state, const StepRule& rule) {
  q_ = state.q;
  v_ = state.v;
  failed_.clear();
  now_.origin = state.t;
  now_.clocks.clear();
  now_.books.assign(wholes_.size(), {});
  now_.energy.assign(wholes_.size(), 0.0);
  now_.symmetry.assign(model_->parts().symmetries.size(), 0.0);
  for (std::size_t k = 0; k < wholes_.size(); ++k) {
    Whole& whole = wholes_[k];
    whole.given = rule.given_for(whole.name()) > 0;
    now_.clocks.push_back({state.t, state.t, step_of(whole, state.t, rule), 0});
    if (looks_back(whole))
      std::copy(state.q.begin(), state.q.end(), now_.before.begin() + static_cast<std::ptrdiff_t>(whole.before));
    if (whole.in_time) now_.energy[k] = whole.term->energy(state.t, state.q);
  }
}

// The undivided potential, or its parts: whichever is not in use is never due.
void WholeTerms::choose_divided() {
  for (std::size_t k = 0; k < wholes_.size(); ++k) {
    const auto parts = static_cast<std::size_t>(wholes_[k].parts);
    if (parts == 0) continue;
    double shortest = never, longest = 0;
    for (std::size_t part = k + 1; part <= k + parts; ++part) {
      shortest = std::min(shortest, now_.clocks[part].step);
      longest = std::max(longest, now_.clocks[part].step);
    }
    if (longest >= worth_dividing * shortest) {
      now_.clocks[k].time = never;
    } else {
      for (std::size_t part = k + 1; part <= k + parts; ++part) now_.clocks[part].time = never;
    }
  }
}

void WholeTerms::limit_steps(double longest) {
  if (longest <= 0)
    for (const StencilClock& clock : now_.clocks)
      if (std::isfinite(clock.step)) longest = std::max(longest, clock.step);
  for (std::size_t k = 0; k < wholes_.size() && longest > 0; ++k)
    if (!wholes_[k].given) now_.clocks[k].step = std::min(now_.clocks[k].step, longest);
  choose_divided();
}

void WholeTerms::round_steps(double base) {
  for (std::size_t k = 0; k < wholes_.size(); ++k) {
    StencilClock& clock = now_.clocks[k];
    if (wholes_[k].given || !(base > 0) || !std::isfinite(clock.step)) continue;
    double step = base;
    while (step > clock.step) step *= 0.5;
    clock.step = step;
  }
}

template <class Body>
void WholeTerms::each_coordinate(const Whole& whole, const Body& body) const {
  for (const int a : whole.nodes)
    for (int c = 0; c < system_->dimension(); ++c) body(static_cast<std::size_t>(system_->coordinate(a) + c));
}

// |M^-1 d2W/dq2|, or |M^-1 df/dv|, by power iterations with differences.
double WholeTerms::frequency(const Whole& whole, double t) const {
  const std::vector<double>& mass = model_->parts().mass.diagonal;
  std::vector<double> u(q_.size()), up(q_.size()), down(q_.size());
  const auto largest = [&] {
    double size = 0;
    each_coordinate(whole, [&](std::size_t i) { size = std::max(size, std::abs(u[i])); });
    return size;
  };
  const auto free = [&](std::size_t i) { return !model_->supported(static_cast<int>(i)); };
  each_coordinate(whole, [&](std::size_t i) { u[i] = free(i) ? std::cos(1.7 * double(i) + 0.3) : 0; });
  const std::vector<double>& at = whole.term ? q_ : v_;
  const double scale = whole_difference * (whole.term ? extent(q_) : 1.0);
  other_ = at;
  double value = 0;
  for (int k = 0; k < power_iterations; ++k) {
    const double size = largest();
    if (!(size > 0) || !std::isfinite(size)) return 0;
    const double eps = scale / size;
    for (const double side : {1.0, -1.0}) {
      std::vector<double>& out = side > 0 ? up : down;
      each_coordinate(whole, [&](std::size_t i) {
        out[i] = 0;
        other_[i] = at[i] + side * eps * u[i];
      });
      if (whole.term)
        whole.term->add_gradient(t, other_, 1, out);
      else
        whole.force->add_force(t, q_, other_, 1, out);
    }
    each_coordinate(whole, [&](std::size_t i) { u[i] = free(i) ? (up[i] - down[i]) / (2 * eps) / mass[i] : 0; });
    const double now = largest();
    value = now / size;
    each_coordinate(whole, [&](std::size_t i) { u[i] /= now > 0 ? now : 1; });
  }
  return margin * value;
}

// 2/omega of a potential; 2/rate of a damping, beyond which its explicit impulse turns velocities round.
double WholeTerms::step_of(const Whole& whole, double t, const StepRule& rule) const {
  if (const double given = rule.given_for(whole.name()); given > 0) return given;
  const double value = frequency(whole, t);
  double step = rule.longest;
  if (value > 0 && std::isfinite(value))
    step = std::min(step, std::min(rule.factor, most_of_limit) * 2 / (whole.term ? std::sqrt(value) : value));
  return step;
}

double WholeTerms::next_time() const {
  double next = never;
  for (const StencilClock& clock : now_.clocks) next = std::min(next, clock.time);
  return next;
}

bool WholeTerms::has_halves() const {
  const double t = next_time();
  for (std::size_t k = 0; k < wholes_.size(); ++k)
    if (wholes_[k].halves && now_.clocks[k].time == t) return true;
  return false;
}

void WholeTerms::gather(const Whole& whole, const std::vector<MovingNode>& nodes) const {
  for (const int a : whole.nodes) {
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

void WholeTerms::scatter(const Whole& whole, std::vector<MovingNode>& nodes) const {
  for (const int a : whole.nodes)
    for (int c = 0; c < system_->dimension(); ++c) nodes[a].p[c] += impulse_[system_->coordinate(a) + c];
}

// w f at the mean of the velocities before and after, by repetition: a step is short enough for it to converge.
bool WholeTerms::add_force_impulse(const Whole& whole, double t, double weight) const {
  const std::vector<double>& mass = model_->parts().mass.diagonal;
  each_coordinate(whole, [&](std::size_t i) { middle_[i] = v_[i]; });
  for (int k = 0; k < most_repetitions; ++k) {
    each_coordinate(whole, [&](std::size_t i) { impulse_[i] = 0; });
    whole.force->add_force(t, q_, middle_, weight, impulse_);
    if (!whole.halves) return true;
    double change = 0, size = 0;
    each_coordinate(whole, [&](std::size_t i) {
      if (model_->supported(static_cast<int>(i))) return;
      const double next = v_[i] + 0.5 * impulse_[i] / mass[i];
      change = std::max(change, std::abs(next - middle_[i]));
      size = std::max(size, std::abs(next));
      middle_[i] = next;
    });
    if (!(change > repeated_enough * size)) return std::isfinite(size);
  }
  return false;
}

// Writes the impulse at (t, q_, v_), that of supports included.
bool WholeTerms::make_impulse(std::size_t k, double t, double weight) const {
  const Whole& whole = wholes_[k];
  if (whole.force && !whole.step_energy) {
    if (!add_force_impulse(whole, t, weight)) return false;
  } else {
    each_coordinate(whole, [&](std::size_t i) { impulse_[i] = 0; });
    if (whole.step_energy) {
      whole.step_energy->begin(before(whole));
      whole.step_energy->add_gradient(q_, -1, impulse_);
    } else {
      whole.term->add_gradient(t, q_, -weight, impulse_);
    }
  }
  bool finite = true;
  each_coordinate(whole, [&](std::size_t i) { finite = finite && std::isfinite(impulse_[i]); });
  return finite;
}

// Books the impulse, and takes from it what supports feel.
void WholeTerms::book(std::size_t k, double t, Progress& progress) const {
  const Whole& whole = wholes_[k];
  const std::vector<double>& mass = model_->parts().mass.diagonal;
  ImpulseBook& book = progress.books[k];
  for (const int a : whole.nodes) {
    Pack x{}, J{};
    for (int c = 0; c < system_->dimension(); ++c) {
      const std::size_t i = static_cast<std::size_t>(system_->coordinate(a) + c);
      if (model_->supported(static_cast<int>(i))) {
        // What a support that moves does against the potential.
        if (whole.term) book.work -= impulse_[i] * v_[i];
        impulse_[i] = 0;
      }
      x[c] = q_[i];
      J[c] = impulse_[i];
      // H before - H after
      if (whole.force) book.dissipated -= impulse_[i] * (v_[i] + 0.5 * impulse_[i] / mass[i]);
    }
    if (whole.booked) system_->book(a, x, J, book);
  }
  if (whole.in_time) {
    const double last = now_.clocks[k].last, then = now_.energy[k], now = whole.term->energy(t, q_);
    book.work += 0.5 * (whole.term->energy(t, before(whole)) - then + now - whole.term->energy(last, q_));
    progress.energy[k] = now;
  }
  if (!whole.force) return;
  const auto& symmetries = model_->parts().symmetries;
  for (std::size_t s = 0; s < symmetries.size(); ++s) {
    symmetries[s].generator(q_, other_);
    for (std::size_t i = 0; i < q_.size(); ++i) progress.symmetry[s] += impulse_[i] * other_[i];
  }
}

bool WholeTerms::act(std::size_t k, double t, double weight, Activations& activations) {
  const Whole& whole = wholes_[k];
  std::vector<MovingNode>& nodes = activations.nodes().all();
  for (const int a : whole.nodes)
    if (!activations.bring(a, t)) return false;
  gather(whole, nodes);
  if (!make_impulse(k, t, weight)) {
    failed_ = whole.name();
    return false;
  }
  book(k, t, now_);
  scatter(whole, nodes);
  if (looks_back(whole)) each_coordinate(whole, [&](std::size_t i) { now_.before[whole.before + i] = q_[i]; });
  return true;
}

bool WholeTerms::begin(Activations& activations) {
  const double t = next_time();
  for (std::size_t k = 0; k < wholes_.size(); ++k) {
    const StencilClock& clock = now_.clocks[k];
    if (clock.time != t || !wholes_[k].halves) continue;
    if (!act(k, t, 0.25 * (clock.step_before() + clock.step), activations)) return false;
  }
  return true;
}

bool WholeTerms::finish(Activations& activations) {
  const double t = next_time();
  for (std::size_t k = 0; k < wholes_.size(); ++k) {
    const StencilClock& clock = now_.clocks[k];
    if (clock.time != t || wholes_[k].halves) continue;
    if (!act(k, t, 0.5 * (clock.step_before() + clock.step), activations)) return false;
  }
  for (std::size_t k = wholes_.size(); k-- > 0;) {
    const StencilClock& clock = now_.clocks[k];
    if (clock.time != t || !wholes_[k].halves) continue;
    if (!act(k, t, 0.25 * (clock.step_before() + clock.step), activations)) return false;
  }
  for (StencilClock& clock : now_.clocks) {
    if (clock.time != t) continue;
    clock.last = t;
    ++clock.count;
    clock.time = now_.origin + static_cast<double>(clock.count) * clock.step;
  }
  return true;
}

void WholeTerms::read(double T, std::vector<MovingNode>& nodes, Ledger& ledger) const {
  if (empty()) return;
  seen_.books = now_.books;
  seen_.energy = now_.energy;
  seen_.symmetry = now_.symmetry;
  for (std::size_t k = 0; k < wholes_.size(); ++k) {
    if (!used(k)) continue;
    const StencilClock& clock = now_.clocks[k];
    gather(wholes_[k], nodes);
    make_impulse(k, T, T - clock.last - 0.5 * clock.step);
    book(k, T, seen_);
    scatter(wholes_[k], nodes);
    seen_.books[k].enter(ledger);
    if (wholes_[k].force) ledger.energy_out[wholes_[k].number] += seen_.books[k].dissipated;
  }
  std::copy(seen_.symmetry.begin(), seen_.symmetry.end(), ledger.symmetry_impulse.begin());
}

double WholeTerms::longest_step() const {
  double longest = 0;
  for (std::size_t k = 0; k < wholes_.size(); ++k)
    if (used(k)) longest = std::max(longest, now_.clocks[k].step);
  return longest;
}

double WholeTerms::shortest_step() const {
  double shortest = never;
  for (std::size_t k = 0; k < wholes_.size(); ++k)
    if (used(k)) shortest = std::min(shortest, now_.clocks[k].step);
  return shortest;
}

long WholeTerms::count() const {
  long count = 0;
  for (std::size_t k = 0; k < wholes_.size(); ++k) count += used(k) ? 1 : 0;
  return count;
}

double WholeTerms::updates_per_second() const {
  double sum = 0;
  for (std::size_t k = 0; k < wholes_.size(); ++k)
    if (used(k)) sum += 1 / now_.clocks[k].step;
  return sum;
}

long WholeTerms::updates() const {
  long sum = 0;
  for (const StencilClock& clock : now_.clocks) sum += clock.count;
  return sum;
}

void WholeTerms::visit_memory(MemoryVisitor& visitor) {
  if (empty()) return;
  now_.clocks.resize(wholes_.size());
  now_.books.resize(wholes_.size());
  now_.energy.resize(wholes_.size());
  now_.symmetry.resize(model_->parts().symmetries.size());
  visitor.visit("whole_origin", now_.origin);
  visit_clocks(visitor, "whole_clocks", "whole_counts", now_.clocks);
  visit_list(visitor, "whole_books", now_.books);
  visitor.visit("whole_before", now_.before);
  visitor.visit("whole_energy", now_.energy);
  visitor.visit("whole_symmetry_impulse", now_.symmetry);
}

}  // namespace livens
