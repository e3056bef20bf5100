// Time adaption: the times are varied like the positions, and the step follows from the conservation of the discrete
// energy [L04 6.1; Kane, Marsden and Ortiz 1999].
//
// With Ld = h [1/2 v'Mv - W(q1)], v = (q1 - q0) / h, the equations (84) and (85) of L04 are
//   M v = p0,   p1 = p0 - h dW(q1)                        (symplectic Euler A; (87) of L04)
//   E(h) = -D3 Ld = 1/2 p0'M^-1 p0 + W(q0 + h v) = E      ((88) of L04; E: that of the first step)
// This Ld makes them well-posed one after the other: p0 is known before the step is, so that E(h) is a function of one
// variable along a straight line. With W(q0) in its place, (3) of L04, p1 would be known and the line bent by h.
//
// The smallest root within [shortest_step, longest_step] is taken: larger ones go through the system, from one side of
// a valley to the other. Often there is none, since E(h) = H + h/2 dW/dt + O(h^2) cannot be kept while dW/dt changes
// its sign, at turning points and at the bottom of valleys. Then the step is the one that minimises (E(h) - E)^2. A
// change of the step from h- to h+ adds (h+ - h-)/2 dW/dt to the energy; where that would lead away from E the step
// stays as it was, because a cycle of such changes pumps energy without bound. E is the energy of the first step and
// not of the step before, so that what one step misses the next ones can bring back.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <livens/registry.hpp>
#include <livens/scene.hpp>
#include <livens/stepper.hpp>

#include "math/parallel.hpp"

namespace livens {
namespace {

constexpr double default_range = 2;  // longest and shortest step over the first one
constexpr int pieces = 8;            // of the range of steps, in which roots and minima are bracketed
constexpr int most_iterations = 80;
constexpr double width_of_minimum = 1e-9;  // of the bracket, relative: E is flat there

double dot(ConstVector a, ConstVector b) {
  return sum_chunks(a.size(), [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += a[i] * b[i];
    return sum;
  });
}

struct Bounds {
  double first, shortest, longest;
  explicit Bounds(const Settings& settings)
      : first(settings.number("step")),
        shortest(settings.given("shortest_step") ? settings.number("shortest_step") : first / default_range),
        longest(settings.given("longest_step") ? settings.number("longest_step") : first * default_range) {}
  bool fixed() const { return shortest == longest; }
};

// E(h) - E and its derivative, v.dW(q0 + h v).
struct Point {
  double h = 0, value = 0, slope = 0;
  bool finite() const { return std::isfinite(value) && std::isfinite(slope); }
};

class SymplecticEnergyMomentumStepper final : public Stepper {
 public:
  SymplecticEnergyMomentumStepper(const Settings& settings, const Model& model)
      : bounds_(settings), tolerance_(settings.number("tolerance")), h_(bounds_.first) {
    const auto n = static_cast<std::size_t>(model.size());
    for (auto* vector : {&q1_, &p1_, &v1_, &gradient_}) vector->resize(n);
    if (model.has_external_terms()) impulse_.resize(n);
  }

  std::optional<double> next_step() const override { return h_; }

  // A step of another length than next_step() is taken as it is: a piece of a step that is tried again.
  StepReport step(const Model& model, State& state, double h, StepContext context) override {
    line_ = {&model, &state, &context.counters, 0.5 * dot(state.p, state.v)};
    const bool follows = state.q == seen_q_ && state.p == seen_p_;
    Events met = events_;
    if (follows && h == h_ && !bounds_.fixed()) h = h_ = chosen_step(met);
    const double e = line_.kinetic + potential_at(h);
    if (!std::isfinite(e) || model.time_power(state.t + h, q1_, state.v) != 0) return failure(state.t, h, e);
    if (!follows) energy_ = e;
    for (std::size_t i = 0; i < p1_.size(); ++i) p1_[i] = state.p[i] - h * gradient_[i];
    model.divide_mass(p1_, v1_);
    rate_ = 0.5 * (dot(gradient_, state.v) + dot(gradient_, v1_));
    if (!std::isfinite(rate_)) return failed_not_finite(state.t, h);
    book_external(model, state.t + h, h, context.ledger);
    events_ = met;
    last_energy_ = e;
    state.q.swap(q1_);
    state.p.swap(p1_);
    state.v.swap(v1_);
    seen_q_ = state.q;
    seen_p_ = state.p;
    StepReport report;
    report.h = h;
    return report;
  }

  std::optional<double> discrete_energy(const Model&, const State&) override {
    if (seen_q_.empty()) return std::nullopt;
    return last_energy_;
  }

  std::vector<std::pair<std::string, long>> events() const override {
    std::vector<std::pair<std::string, long>> result;
    for (std::size_t k = 0; k < events_.size(); ++k) result.emplace_back(event_names[k], events_[k]);
    return result;
  }

  void visit_memory(MemoryVisitor& visitor) override {
    visitor.visit("h", h_);
    visitor.visit("energy", energy_);
    visitor.visit("last_energy", last_energy_);
    visitor.visit("rate", rate_);
    visitor.visit("seen_q", seen_q_);
    visitor.visit("seen_p", seen_p_);
    for (std::size_t k = 0; k < events_.size(); ++k) visitor.visit(event_names[k], events_[k]);
  }

 private:
  enum Event { energy_root, no_root, at_shortest_step, at_longest_step, minimum_inside, step_kept, event_count };
  using Events = std::array<long, event_count>;
  static constexpr std::array<const char*, event_count> event_names = {"energy_root",           "no_root",
                                                                       "no_root_shortest_step", "no_root_longest_step",
                                                                       "no_root_minimum",       "no_root_step_kept"};

  // W(q0 + h v); leaves the point in q1_ and the gradient there.
  double potential_at(double h) {
    const std::vector<double>&q = line_.state->q, &v = line_.state->v;
    for (std::size_t i = 0; i < q.size(); ++i) q1_[i] = q[i] + h * v[i];
    ++line_.counters->evaluations;
    return line_.model->gradient_and_potential(line_.state->t + h, q1_, gradient_);
  }

  Point point_at(double h) {
    const double w = potential_at(h);
    return {h, (line_.kinetic + w) - energy_, dot(gradient_, line_.state->v)};
  }

  // Follows E(h) upwards from the shortest step until it meets E.
  double chosen_step(Events& met) {
    const double ratio = std::pow(bounds_.longest / bounds_.shortest, 1.0 / pieces);
    Point left = point_at(bounds_.shortest), best = left;
    const auto consider = [&](const Point& point) {
      if (std::abs(point.value) < std::abs(best.value)) best = point;
    };
    if (is_root(left)) return root_taken(left, met);
    for (int k = 1; k <= pieces && left.finite(); ++k) {
      const Point right = point_at(k == pieces ? bounds_.longest : bounds_.shortest * std::pow(ratio, k));
      if (!right.finite()) break;  // an element is inside out: no step goes there
      if (left.value * right.value <= 0) return root_taken(root_between(left, right), met);
      // |E(h) - E| falls at the left and rises at the right: its least value may be beyond zero.
      if (left.value * left.slope < 0 && right.value * right.slope > 0) {
        const Point middle = minimum_between(left, right);
        if (left.value * middle.value <= 0) return root_taken(root_between(left, middle), met);
        consider(middle);
      }
      consider(right);
      left = right;
    }
    return without_root(best, met);
  }

  bool is_root(const Point& point) const { return std::abs(point.value) <= tolerance_ * line_.kinetic; }

  static double root_taken(const Point& point, Events& met) {
    ++met[energy_root];
    return point.h;
  }

  double without_root(const Point& best, Events& met) const {
    ++met[no_root];
    if ((best.h - h_) * rate_ * best.value > 0) {
      ++met[step_kept];
      return std::clamp(h_, bounds_.shortest, bounds_.longest);
    }
    ++met[best.h == bounds_.shortest ? at_shortest_step : best.h == bounds_.longest ? at_longest_step : minimum_inside];
    return best.h;
  }

  // Newton's method within a bracket, or bisection where it does not help; until the imbalance is rounding.
  Point root_between(Point a, Point b) {
    const double noise = 4 * std::numeric_limits<double>::epsilon() * (line_.kinetic + std::abs(energy_));
    Point best = std::abs(a.value) < std::abs(b.value) ? a : b;
    bool better = true;
    for (int k = 0; k < most_iterations && !is_root(best); ++k) {
      const double newton = best.h - best.value / best.slope, middle = 0.5 * (a.h + b.h);
      const double h = better && newton > a.h && newton < b.h ? newton : middle;
      if (h <= a.h || h >= b.h) break;
      const Point next = point_at(h);
      (next.value * a.value > 0 ? a : b) = next;
      better = std::abs(next.value) < 0.5 * std::abs(best.value);
      if (std::abs(next.value) < std::abs(best.value)) best = next;
      if (!better && std::abs(best.value) <= noise) break;
    }
    return best;
  }

  // Where the slope changes its sign; ends early if E is crossed.
  Point minimum_between(Point a, Point b) {
    const double sign = a.value;
    Point best = std::abs(a.value) < std::abs(b.value) ? a : b;
    for (int k = 0; k < most_iterations && b.h - a.h > width_of_minimum * b.h; ++k) {
      // Every other point by bisection, so that no end gets stuck.
      const double secant = a.h - a.slope * (b.h - a.h) / (b.slope - a.slope);
      const Point next = point_at(k % 2 == 0 && secant > a.h && secant < b.h ? secant : 0.5 * (a.h + b.h));
      if (!next.finite()) break;
      if (std::abs(next.value) < std::abs(best.value) || next.value * sign <= 0) best = next;
      if (next.value * sign <= 0) break;
      (next.slope * a.slope > 0 ? a : b) = next;
    }
    return best;
  }

  void book_external(const Model& model, double t, double h, Ledger& ledger) {
    if (!model.has_external_terms() || model.dimension() == 0) return;
    model.external_gradient(t, q1_, impulse_);
    for (double& value : impulse_) value *= -h;
    book_impulse(model, q1_, impulse_, ledger);
  }

  static StepReport failure(double t, double h, double e) {
    StepReport report = failed_not_finite(t, h);
    if (std::isfinite(e)) {
      report.message =
          "the potential depends on time, and its energy is not conserved: there is no equation for the step";
      report.advice = {{"integrator.kind", "stormer_verlet", "needs no energy that stays"}};
    }
    return report;
  }

  struct Line {
    const Model* model = nullptr;
    const State* state = nullptr;
    Counters* counters = nullptr;
    double kinetic = 0;
  };

  Bounds bounds_;
  double tolerance_;
  double h_;                             // the last step, before the first the one asked for
  double energy_ = 0, last_energy_ = 0;  // E of the first step and of the last one
  double rate_ = 0;                      // dW/dt at the last kick
  Events events_{};
  std::vector<double> seen_q_, seen_p_;  // the state that the last step left; anything else begins anew
  std::vector<double> q1_, p1_, v1_, gradient_, impulse_;
  Line line_;
};

// At shapes and times without meaning: a potential of which the time can be seen there is refused before the run,
// others when they are met.
bool depends_on_time(const Model& model) {
  std::vector<double> q(model.size()), v(q.size());
  for (const Body& body : model.bodies())
    std::copy(body.reference.begin(), body.reference.end(), q.begin() + body.first);
  for (std::size_t i = 0; i < q.size(); ++i) q[i] += 0.37 + 0.061 * static_cast<double>(i % 7);
  for (const double t : {0.0, 0.37, 1.93, 11.7})
    if (const double power = model.time_power(t, q, v); std::isfinite(power) && power != 0) return true;
  return false;
}

std::string refusal(const Settings& settings, const Model& model) {
  if (!model.separable() || !model.diagonal_mass())
    return "it needs L = 1/2 v'Mv - W(q) with a diagonal M: then the momentum of a step is known before its length. "
           "Use implicit_midpoint, or mass_matrix = \"lumped\" for solids";
  if (!model.parts().forces.empty())
    return "force '" + model.parts().forces.front()->name() +
           "' removes or adds energy, and the step follows from a conserved energy. Use stormer_verlet";
  if (model.has_moving_supports()) return "moving supports do work, so that no energy is conserved. Use stormer_verlet";
  if (depends_on_time(model))
    return "the potential depends on time, so that no energy is conserved. Use stormer_verlet";
  const Bounds bounds(settings);
  if (bounds.shortest > bounds.first || bounds.first > bounds.longest)
    return "step must lie between shortest_step and longest_step";
  return "";
}

}  // namespace

IntegratorRecord symplectic_energy_momentum_record() {
  IntegratorRecord record;
  record.name = "symplectic_energy_momentum";
  record.brief = "varies the times too: the step conserves the discrete energy";
  record.citation = "L04 6.1, Kane, Marsden and Ortiz 1999";
  record.parameters = {
      required(positive(number_key("step", "s", "", "first step; it sets the discrete energy to be conserved"))),
      positive(number_key("shortest_step", "s", "",
                          "lower bound of steps; default step / 2; equal to longest_step: fixed steps")),
      positive(number_key("longest_step", "s", "",
                          "upper bound of steps; default 2 step; keep it below 2 / omega of the fastest oscillation")),
      bounded(
          number_key("tolerance", "-", "0",
                     "imbalance of energy, relative to the kinetic energy, that counts as a root; 0: down to rounding"),
          0)};
  record.claims = [](const Settings& settings, const ModelClass&) {
    Claims claims;
    // Lists ask without a step.
    const bool fixed = settings.has("step") && Bounds(settings).fixed();
    claims.order = 1;
    claims.symplectic = fixed ? Symplectic::canonical : Symplectic::no;
    claims.angular_momentum = Keeps::exact;
    claims.energy = EnergyClaim::bounded;
    claims.explicit_steps = true;
    claims.note = fixed ? "fixed steps: symplectic Euler A"
                        : "discrete_energy is exact at every step that finds a root (event energy_root); symplectic "
                          "in the phase space extended by time and energy while all steps do, not in (q, p)";
    return claims;
  };
  record.refusal = refusal;
  record.law_variants = {};  // the laws fix the step; tests/integrators measures what it does when free
  record.make = [](const Settings& settings, const SolverOptions& solver,
                   const Model& model) -> std::unique_ptr<Integrator> {
    return make_integrator(std::make_unique<SymplecticEnergyMomentumStepper>(settings, model), settings.number("step"),
                           solver, model);
  };
  return record;
}

}  // namespace livens
