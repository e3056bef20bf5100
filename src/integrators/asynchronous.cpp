// Asynchronous variational integrators: every element, spring and contact on its own clock [L04 4].
#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include <livens/scene.hpp>

#include "asynchronous/event_loop.hpp"
#include "elements/solid.hpp"
#include "integrators/records.hpp"
#include "scene/parameter.hpp"

namespace livens {
namespace {

class Asynchronous final : public Integrator {
 public:
  Asynchronous(const Model& model, const StepRule& rule, bool local_minima)
      : loop_(model, rule), local_minima_(local_minima), factor_(rule.factor) {
    ledger_.energy_out.assign(model.parts().forces.size(), 0.0);
    ledger_.symmetry_impulse.assign(model.parts().symmetries.size(), 0.0);
    seen_.t = std::nan("");
  }

  bool continuous() const override { return true; }

  StepReport advance(const Model& model, State& state, double t_end, const OnStep& on_step) override {
    if (!(seen_.t == state.t && seen_.q == state.q && seen_.p == state.p)) begin(state);
    StepReport report;
    report.h = longest_;
    if (!on_step) return state.t < t_end ? look_at(model, state, t_end) : report;
    while (state.t < t_end && report.converged) {
      report = look_at(model, state, std::min(t_end, state.t + longest_));
      if (report.converged && !on_step(state, report)) break;
    }
    return report;
  }

  std::optional<AsynchronousFacts> asynchronous() const override {
    AsynchronousFacts facts;
    facts.stencils = loop_.system().size();
    facts.updates = loop_.total_updates();
    if (facts.stencils == 0 || facts.updates == 0) return facts;
    facts.least_updates = facts.most_updates = loop_.updates(0);
    for (int k = 1; k < facts.stencils; ++k) {
      facts.least_updates = std::min(facts.least_updates, loop_.updates(k));
      facts.most_updates = std::max(facts.most_updates, loop_.updates(k));
    }
    facts.ideal_speedup = static_cast<double>(facts.most_updates) * static_cast<double>(facts.stencils) /
                          static_cast<double>(facts.updates);
    facts.update_time = loop_.time_of_update();
    facts.queue_time = loop_.time_of_queue();
    const double each = seconds_ / static_cast<double>(std::max(1L, timed_updates_));
    facts.attained_speedup = each > 0 ? facts.ideal_speedup * facts.update_time / each : 1;
    return facts;
  }

  std::vector<long> stencil_updates(const EnergyTerm& term) const override {
    std::vector<long> counts;
    for (const auto& set : loop_.system().sets())
      if (set.term == &term)
        for (int k = 0; k < set.stencils->count(); ++k) counts.push_back(loop_.updates(set.first + k));
    return counts;
  }

  void visit_memory(MemoryVisitor& visitor) override {
    Integrator::visit_memory(visitor);
    visitor.visit("seen_t", seen_.t);
    visitor.visit("seen_q", seen_.q);
    visitor.visit("seen_p", seen_.p);
    visitor.visit("longest_step", longest_);
    visitor.visit("seconds", seconds_);
    visitor.visit("timed_updates", timed_updates_);
    loop_.visit_memory(visitor);
  }

 private:
  void begin(const State& state) {
    loop_.start(state);
    longest_ = 0;
    double shortest = std::numeric_limits<double>::infinity();
    for (int k = 0; k < loop_.system().size(); ++k) {
      longest_ = std::max(longest_, loop_.step(k));
      shortest = std::min(shortest, loop_.step(k));
    }
    counters_.step_min = shortest;
    counters_.step_max = longest_;
    seen_ = state;
  }

  StepReport look_at(const Model& model, State& state, double T) {
    StepReport report;
    report.h = longest_;
    loop_.keep();
    const long before = loop_.total_updates();
    const auto began = std::chrono::steady_clock::now();
    const bool good = local_minima_ ? loop_.run_local_minima(T) : loop_.run_queue(T);
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    if (good) {
      timed_updates_ += loop_.total_updates() - before;
      loop_.read(T, seen_, ledger_);
      if (std::all_of(seen_.q.begin(), seen_.q.end(), [](double x) { return std::isfinite(x); })) {
        state = seen_;
        ++counters_.steps;
        counters_.evaluations = loop_.total_updates();
        return report;
      }
    }
    report = failure(model, good ? T : loop_.failed_time());
    loop_.put_back();
    loop_.read(state.t, seen_, ledger_);
    seen_ = state;
    return report;
  }

  StepReport failure(const Model&, double t) const {
    StepReport report;
    report.converged = false;
    report.code = FailureCode::not_finite;
    report.h = longest_;
    report.message = fmt::format("t = {:.4g} s: numbers that are not finite", t);
    if (const int stencil = loop_.failed_stencil(); stencil >= 0) {
      const auto& system = loop_.system();
      const auto& set = system.set_of(stencil);
      report.worst_coordinate = system.coordinate(system.nodes(set, stencil)[0]);
      std::string what = fmt::format("stencil {} of {}", stencil - set.first, set.name);
      if (const auto* block = dynamic_cast<const SolidBlock*>(set.term)) {
        const int element = block->part().elements[static_cast<std::size_t>(stencil - set.first)];
        what = fmt::format("element {} of {}", block->part().mesh->element_tag(element), set.name);
        report.code = FailureCode::inverted;
      }
      report.message = fmt::format(
          "t = {:.4g} s: {} has no energy, it is turned inside out; its step {:.3g} s is "
          "probably beyond the stability limit",
          t, what, loop_.step(stencil));
    }
    report.advice = {fmt::format("integrator.courant={:.3g}", factor_ / 2), "integrator.kind=implicit_midpoint"};
    return report;
  }

  EventLoop loop_;
  bool local_minima_;
  double factor_;
  State seen_;  // what advance handed out last; anything else begins anew
  double longest_ = 0, seconds_ = 0;
  long timed_updates_ = 0;
};

constexpr const char* default_courant = "0.5";

StepRule rule_of(const Settings& settings) {
  StepRule rule;
  rule.kind = settings.text("step_rule") == "eigenvalue" ? StepRule::Kind::eigenvalue : StepRule::Kind::courant;
  rule.factor = settings.number("courant");
  rule.update = settings.flag("update_steps");
  if (settings.given("longest_step")) rule.longest = settings.number("longest_step");
  return rule;
}

}  // namespace

IntegratorRecord asynchronous_record() {
  IntegratorRecord record;
  record.name = "asynchronous";
  record.brief = "every element, spring and contact on its own clock; explicit";
  record.citation = "L04 4";
  record.parameters = {
      positive(number_key("courant", "-", default_courant,
                          "step of an element over inradius / wave speed; of others over 2 / omega")),
      one_of(key("step_rule", ValueType::name, "-", "courant",
                 "courant: inradius / wave speed; eigenvalue: 2 / omega of the element by itself"),
             {"courant", "eigenvalue"}),
      key("update_steps", ValueType::boolean, "-", "false", "a new step at every activation, from the shape then"),
      one_of(key("schedule", ValueType::name, "-", "queue",
                 "queue: one thread; local_minimum: patches on all threads, the same bits"),
             {"queue", "local_minimum"}),
      positive(number_key("longest_step", "s", "", "no element goes less often than this")),
  };
  record.claims = [](const Settings& settings, const ModelClass& model) {
    Claims claims;
    const bool update = settings.flag("update_steps");
    claims.order = model.lagged ? 1 : 2;
    claims.symplectic = update || model.forced ? Symplectic::no : Symplectic::canonical;
    claims.angular_momentum = Keeps::exact;
    claims.energy = update ? EnergyClaim::drifting : EnergyClaim::bounded;
    claims.explicit_steps = true;
    claims.note = update ? "steps that follow the shape keep the momenta, not symplecticity" : "";
    return claims;
  };
  record.refusal = [](const Settings&, const Model& model) { return StencilSystem::refusal(model); };
  record.law_variants = {};  // it has no step of the whole; tests/asynchronous measures its claims
  record.make = [](const Settings& settings, const SolverOptions&, const Model& model) -> std::unique_ptr<Integrator> {
    return std::make_unique<Asynchronous>(model, rule_of(settings), settings.text("schedule") == "local_minimum");
  };
  return record;
}

}  // namespace livens
