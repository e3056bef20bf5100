#include "integrators/layered_verlet.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "asynchronous/event_loop.hpp"
#include "contact/contact_barrier.hpp"
#include "integrators/advice.hpp"
#include "integrators/stepping_integrator.hpp"
#include "math/finite.hpp"

namespace livens {
namespace {

constexpr double rounding_of_end = 1e-9;  // of a step: t has reached the end

StepRule equal_steps(double h) {
  StepRule rule;
  rule.levels = true;
  rule.equal = rule.longest = h;
  return rule;
}

class LayeredVerlet final : public Integrator {
 public:
  LayeredVerlet(const Model& model, double step) : loop_(model, equal_steps(step), ScheduleKind::levels), step_(step) {
    ledger_.energy_out.assign(model.parts().forces.size(), 0.0);
    ledger_.symmetry_impulse.assign(model.parts().symmetries.size(), 0.0);
    seen_.t = std::nan("");
  }

  StepReport advance(const Model& model, State& state, double t_end, const OnStep& on_step) override {
    loop_.use(model);
    if (!(seen_.t == state.t && seen_.q == state.q && seen_.p == state.p)) begin(state);
    StepReport report;
    report.h = step_;
    while (report.converged && state.t < t_end - rounding_of_end * step_) {
      const double left = std::ceil((t_end - origin_) / step_ - rounding_of_end);
      const long steps = on_step ? 1 : std::max(1L, static_cast<long>(left) - count_);
      report = advance_by(model, state, steps);
      if (report.converged && on_step && !on_step(state, report)) break;
    }
    return report;
  }

  std::vector<std::pair<std::string, long>> events() const override {
    return {{"ticks of contact", loop_.contact().ticks()}};
  }

  void visit_memory(MemoryVisitor& visitor) override {
    Integrator::visit_memory(visitor);
    visitor.visit("seen_t", seen_.t);
    visitor.visit("seen_q", seen_.q);
    visitor.visit("seen_p", seen_.p);
    seen_.v.resize(seen_.q.size());
    visitor.visit("clock_origin", origin_);
    visitor.visit("clock_count", count_);
    loop_.visit_memory(visitor);
  }

 private:
  void begin(const State& state) {
    loop_.start(state);
    origin_ = state.t;
    count_ = 0;
    seen_ = state;
  }

  StepReport advance_by(const Model& model, State& state, long steps) {
    StepReport report;
    report.h = step_;
    loop_.keep();
    const double T = origin_ + static_cast<double>(count_ + steps) * step_;
    const bool good = loop_.run(T);
    if (good && loop_.read(T, seen_, ledger_) && all_finite(seen_.q) && all_finite(seen_.p)) {
      if (model.has_moving_supports()) model.place_supports(T, seen_);
      state = seen_;
      count_ += steps;
      counters_.steps += steps;
      counters_.evaluations += steps;
      counters_.step_min = counters_.step_max = step_;
      return report;
    }
    report = failure(good ? T : loop_.failed_time());
    loop_.put_back();
    loop_.read(state.t, seen_, ledger_);
    seen_ = state;
    return report;
  }

  StepReport failure(double t) const {
    StepReport report;
    report.converged = false;
    report.code = FailureCode::not_finite;
    report.h = step_;
    report.message = fmt::format("t = {:.4g} s: numbers that are not finite", t);
    if (!loop_.contact().failed().empty())
      report.message = fmt::format("t = {:.4g} s: contact {}", t, loop_.contact().failed());
    else if (const int stencil = loop_.failed_stencil(); stencil >= 0) {
      const auto& set = loop_.system().set_of(stencil);
      report.worst_coordinate = loop_.system().coordinate(loop_.system().nodes(set, stencil)[0]);
      report.code = FailureCode::inverted;
      report.message = fmt::format("t = {:.4g} s: an element of {} has no energy, it is inside out", t, set.name);
    }
    report.advice = {{"integrator.step", fmt::format("{:.3g}", step_ / 2), "", step_ / 2}, implicit_method()};
    return report;
  }

  EventLoop loop_;
  double step_, origin_ = 0;
  long count_ = 0;
  State seen_;  // what advance handed out last; anything else begins anew
};

}  // namespace

std::string layered_contact_refusal(const Model& model) {
  if (const std::string reason = StencilSystem::refusal(model); !reason.empty()) return reason;
  for (const auto& term : model.parts().terms) {
    if (term->barrier() == nullptr) continue;
    if (term->barrier()->restitution().coefficient < 1)
      return "keeps the surfaces of contact '" + term->name() +
             "' apart by potentials on clocks, which give back what they store: restitution belongs to the step of "
             "energy_momentum, or to rule = \"impact\"";
    if (term->barrier()->surface().has_samples())
      return "keeps the surfaces of contact '" + term->name() +
             "' apart by potentials of their nodes on clocks: samples belong to the step of energy_momentum";
    const std::vector<int>& touching = term->barrier()->coordinates();
    for (const auto& constraint : model.parts().constraints)
      for (const int i : constraint->coordinates())
        if (std::binary_search(touching.begin(), touching.end(), i))
          return "keeps the surfaces of contact '" + term->name() + "' apart between nodes that move on their own: '" +
                 constraint->name() +
                 "' turns the paths of its nodes between two ticks, and no bound of their speeds holds. Use "
                 "energy_momentum, or enforcement = \"penalty\"";
  }
  return "";
}

std::string layered_verlet_refusal(const Settings& settings, const Model& model) {
  if (const std::string reason = layered_contact_refusal(model); !reason.empty()) return reason;
  if (model.constraint_count() > 0)
    return "keeps surfaces apart without constraints by multipliers only. Use asynchronous, or energy_momentum";
  if (!StepSize(settings).constant())
    return "keeps surfaces apart with constant steps only: the clocks of contact are parts of one step";
  return "";
}

std::unique_ptr<Integrator> make_layered_verlet(const Settings& settings, const Model& model) {
  return std::make_unique<LayeredVerlet>(model, StepSize(settings).at(0));
}

}  // namespace livens
