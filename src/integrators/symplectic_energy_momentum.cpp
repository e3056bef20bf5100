// Time adaption: the times are varied like the positions, and the step follows from the conservation of the discrete
// energy [L04 6.1; Kane, Marsden and Ortiz 1999].
//
// With Ld = h L(t0 + a h, (1 - a) q0 + a q1, (q1 - q0)/h) the equations (84) and (85) of L04 are those of a
// straight-line step for q1 and p1, and E_start(h) = E_end of the step before for h (see varied_step.hpp). While L does
// not depend on time both are E = v.L_v - L at the point of the step; if it does, E goes on by the work of a step,
// E_end - E_start. For a = 1 and L = 1/2 v'Mv - W they are
//   M v = p0,   p1 = p0 - h dW(q1)                        (symplectic Euler A; (87) of L04)
//   E(h) = 1/2 p0'M^-1 p0 + W(q0 + h v) = E               ((88) of L04)
// which are well-posed one after the other: p0 is known before the step is, so that E(h) is a function of one variable
// along a straight line. With W(q0) in its place, (3) of L04 and a = 0, p1 would be known and the line bent by h.
//
// The smallest root within [shortest_step, longest_step] is taken: larger ones go through the system, from one side of
// a valley to the other. Often there is none, since E(h) = H + (2a - 1) h/2 dW/dt + O(h^2) cannot be kept while dW/dt
// changes its sign, at turning points and at the bottom of valleys. Then the step is the one that minimises
// (E(h) - E)^2. A change of the step from h- to h+ adds (2a - 1) (h+ - h-)/2 dW/dt to the energy; where that would lead
// away from E the step stays as it was, because a cycle of such changes pumps energy without bound. E is the energy of
// the first step, and not of the step before, plus the work since: what one step misses the next ones can bring back.
//
// At a = 1/2 that term vanishes, and E(h) = H - h^2/8 S with S = v'W''v + dW'M^-1 dW. From step to step (85) then is
// d(log h)/dt = -1/3 d(log S)/dt: while S > 0 there are roots, steps vary like S^(-1/3), and the method is of order 2.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <livens/registry.hpp>
#include <livens/scene.hpp>
#include <livens/stepper.hpp>

#include "integrators/varied_step.hpp"

namespace livens {
namespace {

constexpr double default_range = 2;  // longest and shortest step over the first one
constexpr int pieces = 8;            // of the range of steps, in which roots and minima are bracketed
constexpr int most_iterations = 80;
constexpr double width_of_minimum = 1e-9;  // of the bracket, relative: E is flat there

struct Bounds {
  double first, shortest, longest;
  explicit Bounds(const Settings& settings)
      : first(settings.number("step")),
        shortest(settings.given("shortest_step") ? settings.number("shortest_step") : first / default_range),
        longest(settings.given("longest_step") ? settings.number("longest_step") : first * default_range) {}
  bool fixed() const { return shortest == longest; }
};

// E_start(h) - E and its derivative.
struct Point {
  double h = 0, value = 0, slope = 0;
  bool finite() const { return std::isfinite(value) && std::isfinite(slope); }
};

class SymplecticEnergyMomentumStepper final : public Stepper {
 public:
  SymplecticEnergyMomentumStepper(const Settings& settings, const SolverOptions& solver, const Model& model)
      : bounds_(settings),
        tolerance_(settings.number("tolerance")),
        varied_(make_varied_step(settings.number("alpha"), solver, model)),
        h_(bounds_.first) {}

  SolvePath solve_path() const override { return varied_->solve_path(); }
  std::optional<double> next_step() const override { return h_; }

  // A step of another length than next_step() is taken as it is: a piece of a step that is tried again.
  StepReport step(const Model& model, State& state, double h, StepContext context) override {
    const bool follows = free_part(model, state.q) == seen_q_ && state.p == seen_p_;
    Events met = events_;
    kinetic_ = varied_->begin(model, state, context.counters);
    if (follows && h == h_ && !bounds_.fixed()) h = h_ = chosen_step(met);
    VariedStep::Taken taken;
    const StepReport report = varied_->take(model, state, h, context, taken);
    if (!report.converged) return report;
    events_ = met;
    energy_ = (follows ? energy_ : taken.energy) + taken.work;
    last_energy_ = taken.energy;
    rate_ = taken.rate;
    seen_q_ = free_part(model, state.q);
    seen_p_ = state.p;
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
    varied_->visit_memory(visitor);
  }

 private:
  enum Event { energy_root, no_root, at_shortest_step, at_longest_step, minimum_inside, step_kept, event_count };
  using Events = std::array<long, event_count>;
  static constexpr std::array<const char*, event_count> event_names = {"energy_root",           "no_root",
                                                                       "no_root_shortest_step", "no_root_longest_step",
                                                                       "no_root_minimum",       "no_root_step_kept"};

  // Where moving supports are is not in the hands of a step.
  static std::vector<double> free_part(const Model& model, std::vector<double> q) {
    model.release(q);
    return q;
  }

  Point point_at(double h) {
    const VariedStep::Energy at = varied_->energy(h);
    return {h, at.value - energy_, at.slope};
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

  bool is_root(const Point& point) const { return std::abs(point.value) <= tolerance_ * kinetic_; }

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
    const double noise =
        4 * std::numeric_limits<double>::epsilon() * (kinetic_ + std::abs(energy_)) + varied_->rounding(a.h);
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

  Bounds bounds_;
  double tolerance_;
  std::unique_ptr<VariedStep> varied_;
  double h_;                             // the last step, before the first the one asked for
  double energy_ = 0, last_energy_ = 0;  // E: what the next step is to have; what the last one had
  double rate_ = 0;                      // (2a - 1) dW/dt at the last kick, or a multiple of it
  double kinetic_ = 0;                   // 1/2 p.v of the step in hand
  Events events_{};
  std::vector<double> seen_q_, seen_p_;  // the state that the last step left; anything else begins anew
};

std::string energy_step_refusal(const Settings& settings, const Model& model) {
  if (!model.parts().forces.empty())
    return "force '" + model.parts().forces.front()->name() +
           "' removes or adds energy: its power would be in the equation for the step, and the variation of times, "
           "which knows impulses only, does not give it. Use stormer_verlet";
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
      bounded(number_key("alpha", "-", "1",
                         "where between the ends of a step the action is evaluated; second order at 1/2; explicit at 1 "
                         "for L = 1/2 v'Mv - W"),
              0, 1),
      bounded(
          number_key("tolerance", "-", "0",
                     "imbalance of energy, relative to the kinetic energy, that counts as a root; 0: down to rounding"),
          0)};
  record.claims = [](const Settings& settings, const ModelClass& model) {
    Claims claims;
    // Lists ask without a step.
    const bool fixed = settings.has("step") && Bounds(settings).fixed();
    const double a = settings.has("alpha") ? settings.number("alpha") : 1;
    claims.order = a == 0.5 ? 2 : 1;
    claims.symplectic = fixed ? Symplectic::canonical : Symplectic::no;
    claims.symmetric = fixed && a == 0.5;
    claims.angular_momentum = Keeps::exact;
    claims.energy = EnergyClaim::bounded;
    claims.explicit_steps = model.separable && (a == 0 || a == 1);
    claims.note = fixed ? "fixed steps: generalised midpoint, symplectic Euler A at alpha = 1"
                        : "discrete_energy less the work of time-dependent terms is exact at every step that finds a "
                          "root (event energy_root); symplectic in the phase space extended by time and energy while "
                          "all steps do, not in (q, p)";
    return claims;
  };
  record.refusal = energy_step_refusal;
  record.law_variants = {};  // the laws fix the step; tests/integrators measures what it does when free
  record.make = [](const Settings& settings, const SolverOptions& solver,
                   const Model& model) -> std::unique_ptr<Integrator> {
    return make_integrator(std::make_unique<SymplecticEnergyMomentumStepper>(settings, solver, model),
                           settings.number("step"), solver, model);
  };
  return record;
}

}  // namespace livens
