#include "integrators/impact_steps.hpp"

#include <algorithm>
#include <cmath>

#include "contact/impacts.hpp"
#include "integrators/advice.hpp"
#include "integrators/constrained.hpp"
#include "math/scratch.hpp"
#include "model/projection.hpp"

namespace livens {
namespace {

constexpr int most_hits = 32;          // of one pair in a step: what comes to rest has no end of them
constexpr double no_time = 1e-12;      // of a step: it is not worth one
constexpr int most_corrections = 12;   // of the instant of a hit
constexpr double at_the_wall = 1e-15;  // of the places: a gap that is none

class ImpactSteps final : public Stepper {
 public:
  ImpactSteps(std::unique_ptr<Stepper> stepper, const Model& model) : stepper_(std::move(stepper)) {
    const auto& forces = model.parts().forces;
    const auto row = [&](const std::string& name) {
      for (std::size_t k = 0; k < forces.size(); ++k)
        if (forces[k]->name() == name) return static_cast<int>(k);
      return -1;
    };
    for (const auto& term : model.parts().terms)
      if (term->impacts() != nullptr)
        contacts_.push_back(
            {ImpactSearch(*term->impacts()), row(term->name() + "_friction"), row(term->name() + "_restitution")});
    if (model.constraint_count() > 0) projection_ = std::make_unique<Projection>(model);
    for (auto* vector : {&gradient_, &answer_, &momentum_}) vector->resize(model.size());
    multipliers_.resize(model.constraint_count());
  }

  StepReport step(const Model& model, State& state, double h, StepContext context) override {
    first_ = state;
    first_ledger_ = context.ledger;
    counts_.clear();
    StepReport whole;
    double done = 0;
    for (;;) {
      const double rest = h - done;
      before_ = state;
      ledger_before_ = context.ledger;
      StepReport report = stepper_->step(model, state, rest, {context.ledger, context.counters});
      if (!report.converged) return undone(std::move(report), state, context.ledger);
      whole.iterations += report.iterations;
      const auto hit = first_hit(state, rest);
      if (!hit) break;
      const double tau = go_to(model, *hit, rest, state, context);
      if (tau < 0 || !bounce(model, *hit, state, context.ledger)) {
        report.converged = false;
        report.code = FailureCode::no_convergence;
        report.message =
            "t = " + short_text(first_.t + done) + " s: the impact of " + names(*hit) + " cannot be solved for";
        return undone(std::move(report), state, context.ledger);
      }
      done += tau;
      state.t = first_.t + done;
      ++hits_;
      if (count(*hit) > most_hits) return undone(at_rest(*hit, state.t, h), state, context.ledger);
    }
    state.t = first_.t;
    whole.h = h;
    return whole;
  }

  void begin() override { stepper_->begin(); }
  SolvePath solve_path() const override { return stepper_->solve_path(); }
  std::vector<std::pair<std::string, long>> events() const override {
    auto events = stepper_->events();
    events.push_back({"impacts", hits_});
    return events;
  }
  void visit_memory(MemoryVisitor& visitor) override {
    visitor.visit("impacts", hits_);
    stepper_->visit_memory(visitor);
  }

 private:
  struct Contact {
    ImpactSearch search;
    int friction, restitution;  // rows of the ledger; -1: none
  };
  struct Hit {
    Impact impact;
    std::size_t contact = 0;
  };
  struct Count {
    Hit hit;
    int hits;
  };

  std::string names(const Hit& hit) const { return contacts_[hit.contact].search.names(hit.impact); }

  std::optional<Hit> first_hit(const State& state, double h) {
    std::optional<Hit> found;
    for (std::size_t k = 0; k < contacts_.size(); ++k) {
      const auto impact = contacts_[k].search.first(before_.q, before_.v, state.q, h);
      if (impact && (!found || impact->part < found->impact.part)) found = Hit{*impact, k};
    }
    return found;
  }

  // The part of the step to the impact, from the state before; returns its length, negative if it fails. The parabola
  // is the step itself where nothing constrains it, and near it otherwise: Newton's method with the velocity of the
  // gap.
  double go_to(const Model& model, const Hit& hit, double rest, State& state, StepContext& context) {
    ImpactSearch& search = contacts_[hit.contact].search;
    double tau = hit.impact.part * rest;
    for (int k = 0; k < most_corrections; ++k) {
      state = before_;
      context.ledger = ledger_before_;
      stepper_->begin();
      if (!(tau > no_time * rest)) return 0;
      if (!stepper_->step(model, state, tau, {context.ledger, context.counters}).converged) return -1;
      if (!projection_) break;
      const double gap = search.gap(hit.impact, state.q), rate = gap_rate(search, hit.impact, state);
      const double next = std::clamp(tau - gap / rate, 0.0, rest);
      if (!(std::abs(gap) > at_the_wall * size_of(state)) || !(rate < 0) || next == tau) break;
      tau = next;
    }
    stepper_->begin();
    return tau;
  }

  static double size_of(const State& state) {
    double size = 0;
    for (const double x : state.q) size = std::max(size, std::abs(x));
    return size;
  }

  double gap_rate(ImpactSearch& search, const Impact& impact, const State& state) {
    const Point3 n = search.direction(impact, state.q);
    std::fill(gradient_.begin(), gradient_.end(), 0.0);
    search.add_velocity_gradient(impact, n, false, gradient_);
    return along(gradient_, state.v);
  }

  static double along(ConstVector a, ConstVector b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  }

  // answer_ = W g, momentum_ = M W g, multipliers_; returns g'W g, negative if that fails.
  double answer(const Model& model, const State& state) {
    model.release(gradient_);
    std::copy(gradient_.begin(), gradient_.end(), momentum_.begin());
    model.divide_mass(gradient_, answer_);
    if (projection_ && !projection_->velocities(model, state.t, state.q, momentum_, answer_, multipliers_).converged)
      return -1;
    return along(gradient_, answer_);
  }

  void push(const Model& model, double impulse, State& state, Ledger& ledger) {
    for (std::size_t i = 0; i < momentum_.size(); ++i) {
      state.p[i] += impulse * momentum_[i];
      state.v[i] += impulse * answer_[i];
      gradient_[i] *= impulse;
    }
    book_impulse(model, state.q, gradient_, ledger);
    for (double& value : multipliers_) value *= impulse;
    if (projection_) book_reactions(model, state.t, state.q, multipliers_, ledger);
  }

  bool bounce(const Model& model, const Hit& hit, State& state, Ledger& ledger) {
    Contact& contact = contacts_[hit.contact];
    ImpactSearch& search = contact.search;
    const double e = search.impacts().restitution(), mu = search.impacts().friction();
    const double closing = gap_rate(search, hit.impact, state);
    if (!(closing < 0)) return true;
    const double mobility = answer(model, state);
    if (!(mobility > 0)) return false;
    const double J = -(1 + e) * closing / mobility;
    push(model, J, state, ledger);
    if (contact.restitution >= 0)
      ledger.energy_out[contact.restitution] += 0.5 * (1 - e) * (1 + e) * closing * closing / mobility;
    return mu == 0 || rub(model, hit, mu * J, state, ledger);
  }

  // most: of the impulse.
  bool rub(const Model& model, const Hit& hit, double most, State& state, Ledger& ledger) {
    Contact& contact = contacts_[hit.contact];
    const Point3 n = contact.search.direction(hit.impact, state.q);
    const Point3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double v[3] = {0, 0, 0};
    for (int c = 0; c < model.dimension(); ++c) {
      std::fill(gradient_.begin(), gradient_.end(), 0.0);
      contact.search.add_velocity_gradient(hit.impact, axes[c], true, gradient_);
      v[c] = along(gradient_, state.v);
    }
    Point3 V{v[0], v[1], v[2]};
    V -= dot(V, n) * n;
    const double speed = length(V);
    if (!(speed > 0)) return true;
    std::fill(gradient_.begin(), gradient_.end(), 0.0);
    contact.search.add_velocity_gradient(hit.impact, (1 / speed) * V, true, gradient_);
    const double mobility = answer(model, state);
    if (mobility < 0) return false;
    const double P = mobility * most < speed ? most : speed / mobility;
    push(model, -P, state, ledger);
    if (contact.friction >= 0) ledger.energy_out[contact.friction] += P * (speed - 0.5 * P * mobility);
    return true;
  }

  int count(const Hit& hit) {
    for (Count& known : counts_)
      if (known.hit.contact == hit.contact && known.hit.impact.point == hit.impact.point &&
          known.hit.impact.ball == hit.impact.ball && known.hit.impact.wall == hit.impact.wall)
        return ++known.hits;
    counts_.push_back({hit, 1});
    return 1;
  }

  StepReport at_rest(const Hit& hit, double t, double h) const {
    StepReport report;
    report.converged = false;
    report.code = FailureCode::no_convergence;
    report.h = h;
    report.message = "t = " + short_text(t) + " s: " + names(hit) + " hit each other more than " +
                     std::to_string(most_hits) +
                     " times in a step: they come to rest on each other, for which impacts at instants have no end";
    report.advice = {{"contact.rule", "barrier", "with energy_momentum, and restitution if it is below 1"}};
    return report;
  }

  StepReport undone(StepReport report, State& state, Ledger& ledger) const {
    state = first_;
    ledger = first_ledger_;
    return report;
  }

  std::unique_ptr<Stepper> stepper_;
  std::vector<Contact> contacts_;
  std::unique_ptr<Projection> projection_;  // with constraints
  State first_, before_;
  Ledger first_ledger_, ledger_before_;
  std::vector<double> gradient_, answer_, momentum_, multipliers_;
  std::vector<Count> counts_;
  long hits_ = 0;
};

}  // namespace

bool has_impacts(const Model& model) {
  const auto& terms = model.parts().terms;
  return std::any_of(terms.begin(), terms.end(), [](const auto& term) { return term->impacts() != nullptr; });
}

std::unique_ptr<Stepper> make_impact_steps(std::unique_ptr<Stepper> stepper, const Model& model) {
  if (!has_impacts(model)) return stepper;
  return std::make_unique<ImpactSteps>(std::move(stepper), model);
}

std::string impact_refusal(const Model& model) {
  if (!has_impacts(model)) return "";
  if (!model.separable()) return "reflects momenta at impacts for L = 1/2 v'Mv - W(q) only. Write the mass as constant";
  if (model.has_moving_supports())
    return "reflects momenta at walls that stand still: supports that move are none. Use rule = \"barrier\"";
  for (const auto& constraint : model.parts().constraints)
    if (constraint->depends_on_time())
      return "reflects momenta along constraints that do not depend on time, and '" + constraint->name() +
             "' does. Use rule = \"barrier\"";
  return "";
}

}  // namespace livens
