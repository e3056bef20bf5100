// Asynchronous variational integrators: every element, spring and contact on its own clock [L04 4].
#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include <livens/asynchronous.hpp>
#include <livens/records.hpp>
#include <livens/registry.hpp>
#include <livens/scene.hpp>
#include <livens/solid_block.hpp>

#include "asynchronous/costs.hpp"
#include "asynchronous/event_loop.hpp"
#include "integrators/advice.hpp"
#include "integrators/constrained.hpp"
#include "integrators/energy_momentum.hpp"
#include "integrators/layered_verlet.hpp"
#include "math/finite.hpp"
#include "math/scratch.hpp"
#include "model/projection.hpp"
#include "records/read.hpp"

namespace livens {
namespace {

// Null for springs, contacts, joints and loads of nodes.
const SolidBlock* elements_of(const StencilSystem::Set& set) {
  return set.term == nullptr ? nullptr : set.term->elements();
}

// Up to here no growth of the energy was measured (docs/asynchronous.md has the tables).
double safe_courant(const StencilSystem& system, StepRule::Kind rule, bool levels, bool contact) {
  // What elements do to a node that contact moves fast must be resolved, too (docs/contact.md has the table).
  if (contact && rule != StepRule::Kind::courant) return 0.1;
  // Beyond sqrt(3)/2 three modes whose angles of a step add up to a full turn feed each other, in Verlet's method too.
  if (rule == StepRule::Kind::neighbourhood) return levels ? 0.85 : 0.2;
  double safe = 0.3;
  for (const auto& set : system.sets()) {
    if (elements_of(set) == nullptr && set.per_stencil > 1) safe = std::min(safe, 0.25);  // springs and joints
    if (elements_of(set) != nullptr && set.per_stencil > 4) safe = std::min(safe, 0.1);   // quadratic elements
  }
  return safe;
}

// Systems of so few stencils are drawn in space and time [L04 Fig. 6].
constexpr int few_stencils = 8;
constexpr int traced_activations = 150;

class Asynchronous final : public Integrator, private AsynchronousClocks {
 public:
  Asynchronous(const Model& model, std::shared_ptr<const StencilSystem> system, const StepRule& rule, ScheduleKind kind)
      : loop_(model, std::move(system), rule, kind),
        factor_(rule.factor),
        safe_(safe_courant(loop_.system(), rule.kind, kind == ScheduleKind::levels, has_barrier(model))) {
    if (loop_.system().size() <= few_stencils) loop_.trace(traced_activations);
    if (model.constraint_count() > 0) {
      projection_ = std::make_unique<Projection>(model);
      mu_.resize(model.constraint_count());
    }
    ledger_.energy_out.assign(model.parts().forces.size(), 0.0);
    ledger_.symmetry_impulse.assign(model.parts().symmetries.size(), 0.0);
    seen_.t = std::nan("");
  }

  EventLoop& loop() { return loop_; }
  SolvePath solve_path() const override {
    bool implicit = false;
    for (int k = 0; k < loop_.system().size(); ++k) implicit = implicit || loop_.activations().implicit(k);
    if (projection_ != nullptr)
      return {SolvePath::Kind::root, implicit ? "those of the constraints around a node and of each implicit element"
                                              : "that of the constraints around a node; everything else is explicit"};
    if (implicit) return {SolvePath::Kind::root, "that of each implicit element alone; the others are explicit"};
    return {};
  }
  bool continuous() const override { return true; }

  StepReport advance(const Model& model, State& state, double t_end, const OnStep& on_step) override {
    loop_.use(model);
    if (!(seen_.t == state.t && seen_.q == state.q && seen_.p == state.p) && !begin(state)) return no_step(state.t);
    StepReport report;
    report.h = longest_;
    if (!on_step) return state.t < t_end ? look_at(model, state, t_end) : report;
    while (state.t < t_end && report.converged) {
      report = look_at(model, state, std::min(t_end, state.t + longest_));
      if (report.converged && !on_step(state, report)) break;
    }
    return report;
  }

  const AsynchronousClocks* asynchronous() const override { return this; }

  AsynchronousFacts facts() const override {
    AsynchronousFacts facts;
    facts.stencils = loop_.system().size();
    facts.updates = loop_.total_updates();
    facts.wholes = loop_.wholes().count();
    facts.whole_updates_per_second = loop_.wholes().updates_per_second();
    if (facts.stencils == 0) return facts;
    double sum = 0;
    for (int k = 0; k < facts.stencils; ++k) sum += 1 / loop_.step(k);
    facts.ideal_speedup = static_cast<double>(facts.stencils) / counters_.step_min / sum;
    facts.updates_per_second = sum;
    facts.base = loop_.schedule().base();
    if (facts.updates == 0) return facts;
    facts.least_updates = facts.most_updates = loop_.updates(0);
    for (int k = 1; k < facts.stencils; ++k) {
      facts.least_updates = std::min(facts.least_updates, loop_.updates(k));
      facts.most_updates = std::max(facts.most_updates, loop_.updates(k));
    }
    facts.ideal_speedup = static_cast<double>(facts.most_updates) * static_cast<double>(facts.stencils) /
                          static_cast<double>(facts.updates);
    facts.first = loop_.watch().traced();
    for (const LocalBalance& balance : loop_.watch().balances())
      facts.watched.push_back({name_of(balance.stencil), balance.t, balance.energy, balance.residual});
    // Measured once: summary and report ask for the facts of the same state, one after the other.
    if (measured_at_ != facts.updates) {
      update_time_ = update_cost(loop_.activations());
      queue_time_ = queue_cost(loop_.activations().clocks());
      measured_at_ = facts.updates;
    }
    facts.update_time = update_time_;
    facts.queue_time = queue_time_;
    const double each = seconds_ / static_cast<double>(std::max(1L, timed_updates_));
    facts.attained_speedup = each > 0 ? facts.ideal_speedup * facts.update_time / each : 1;
    return facts;
  }

  std::vector<std::pair<std::string, long>> events() const override {
    auto events = loop_.schedule().events();
    if (!loop_.wholes().empty()) events.emplace_back("updates of terms as a whole", loop_.wholes().updates());
    if (!loop_.contact().empty()) events.emplace_back("ticks of contact", loop_.contact().ticks());
    return events;
  }

  std::vector<std::string> warnings() const override {
    if (!(factor_ > safe_)) return {};
    return {
        fmt::format("integrator.courant = {:.3g} is above {:.2g}, up to which no growth of the energy was measured: "
                    "neighbours with unequal steps can resonate",
                    factor_, safe_)};
  }

  std::vector<long> updates(const EnergyTerm& term) const override {
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
    seen_.v.resize(seen_.q.size());
    visitor.visit("longest_step", longest_);
    visitor.visit("seconds", seconds_);
    visitor.visit("timed_updates", timed_updates_);
    loop_.visit_memory(visitor);
  }

 private:
  bool begin(const State& state) {
    if (!loop_.start(state)) return false;
    longest_ = loop_.longest_step();
    double shortest = std::min(longest_, loop_.wholes().shortest_step());
    for (int k = 0; k < loop_.system().size(); ++k) shortest = std::min(shortest, loop_.step(k));
    counters_.step_min = shortest;
    counters_.step_max = longest_;
    seen_ = state;
    return true;
  }

  static StepReport no_step(double t) {
    StepReport report;
    report.converged = false;
    report.code = FailureCode::step_too_small;
    report.message = fmt::format("t = {:.4g} s: nothing in the scene bounds the length of a step", t);
    report.advice = {{"integrator.longest_step", "0.01", "in seconds"}};
    return report;
  }

  StepReport look_at(const Model& model, State& state, double T) {
    StepReport report;
    report.h = longest_;
    loop_.keep();
    const long before = loop_.total_updates();
    const auto began = std::chrono::steady_clock::now();
    const bool good = loop_.run(T);
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    if (good) {
      timed_updates_ += loop_.total_updates() - before;
      if (loop_.read(T, seen_, ledger_) && put_on_constraints(model, seen_) && all_finite(seen_.q)) {
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

  // Velocities that keep the constraints, and the multipliers of the instant.
  bool put_on_constraints(const Model& model, State& state) {
    if (model.has_moving_supports()) model.place_supports(state.t, state);
    if (projection_ == nullptr) return true;
    std::fill(mu_.begin(), mu_.end(), 0.0);
    if (!projection_->velocities(model, state.t, state.q, state.p, state.v, mu_).converged) return false;
    book_reactions(model, state.t, state.q, mu_, ledger_);
    if (model.has_moving_supports()) book_supports(model, state);
    state.lambda.resize(mu_.size());
    return projection_->multipliers(model, state, state.lambda).converged;
  }

  // The work of supports that move against the impulse of the constraints.
  void book_supports(const Model& model, const State& state) {
    ScratchVector impulse(state.q.size(), 0.0);
    std::size_t first = 0;
    for (const auto& constraint : model.parts().constraints) {
      const auto count = static_cast<std::size_t>(constraint->count());
      constraint->add_force(state.t, state.q, ConstVector(mu_).subspan(first, count), 1, Vector(impulse));
      first += count;
    }
    for (std::size_t i = 0; i < state.q.size(); ++i)
      if (model.supported(static_cast<int>(i))) ledger_.time_work += impulse[i] * state.v[i];
  }

  std::string name_of(int stencil) const {
    const auto& set = loop_.system().set_of(stencil);
    const SolidBlock* block = elements_of(set);
    if (block == nullptr) return fmt::format("stencil {} of {}", stencil - set.first, set.name);
    const int element = block->part().elements[stencil - set.first];
    return fmt::format("element {} of {}", block->part().mesh->element_tag(element), set.name);
  }

  StepReport failure(const Model&, double t) const {
    StepReport report;
    report.converged = false;
    report.code = FailureCode::not_finite;
    report.h = longest_;
    report.message = fmt::format("t = {:.4g} s: numbers that are not finite", t);
    if (!loop_.contact().failed().empty()) {
      report.message = fmt::format("t = {:.4g} s: contact {}", t, loop_.contact().failed());
      report.advice = {{"integrator.courant", fmt::format("{:.3g}", factor_ / 2), ""}, implicit_method()};
      return report;
    }
    if (loop_.constrained().failed()) {
      report.code = FailureCode::no_convergence;
      report.message = fmt::format("t = {:.4g} s: the constraints have no solution nearby", t);
      report.advice = {{"integrator.longest_step", fmt::format("{:.3g}", longest_ / 4), ""}};
      return report;
    }
    if (!loop_.wholes().failed().empty()) report.message += fmt::format(" in '{}'", loop_.wholes().failed());
    if (const int stencil = loop_.failed_stencil(); loop_.wholes().failed().empty() && stencil >= 0) {
      const auto& system = loop_.system();
      const auto& set = system.set_of(stencil);
      report.worst_coordinate = system.coordinate(system.nodes(set, stencil)[0]);
      if (elements_of(set) != nullptr) report.code = FailureCode::inverted;
      report.message = fmt::format(
          "t = {:.4g} s: {} has no energy, it is inside out; its step {:.3g} s is "
          "probably beyond the stability limit",
          t, name_of(stencil), loop_.step(stencil));
    }
    report.advice = {{"integrator.courant", fmt::format("{:.3g}", factor_ / 2), ""}, implicit_method()};
    return report;
  }

  EventLoop loop_;
  std::unique_ptr<Projection> projection_;  // with constraints
  std::vector<double> mu_;
  double factor_, safe_;
  State seen_;  // what advance handed out last; anything else begins anew
  double longest_ = 0, seconds_ = 0;
  mutable double update_time_ = 0, queue_time_ = 0;  // s, after so many updates:
  mutable long measured_at_ = -1;
  long timed_updates_ = 0;
};

// Clocks on levels go as far as their neighbourhood allows; exact ones by L04's estimate, unless told otherwise.
StepRule::Kind kind_of_rule(const Settings& settings) {
  const std::string name = settings.given("step_rule")             ? settings.text("step_rule")
                           : settings.text("schedule") == "levels" ? "neighbourhood"
                                                                   : "courant";
  return name == "neighbourhood" ? StepRule::Kind::neighbourhood
         : name == "eigenvalue"  ? StepRule::Kind::eigenvalue
                                 : StepRule::Kind::courant;
}

// steps = { bonds = 1e-15, pairs = 4e-15 }: by the names of forces and bodies.
std::map<std::string, double> given_steps(const Settings& settings, const Model& model) {
  if (!settings.given("steps")) return {};
  std::vector<Parameter> terms;
  const auto add = [&](const std::string& name) {
    const bool known = std::any_of(terms.begin(), terms.end(), [&](const Parameter& p) { return p.key == name; });
    if (!known) terms.push_back(positive(number_key(name, "s", "", "its step")));
  };
  for (const auto& term : model.parts().terms) add(term->name());
  for (const auto& force : model.parts().forces)
    if (force->stencils() == nullptr) add(force->name());
  const Settings read = read_nested(settings, "steps", terms);
  std::map<std::string, double> steps;
  for (const Parameter& term : terms)
    if (read.has(term.key)) steps[term.key] = read.number(term.key);
  return steps;
}

StepRule rule_of(const Settings& settings, const Model& model, const StencilSystem& system) {
  StepRule rule;
  rule.given = given_steps(settings, model);
  rule.kind = kind_of_rule(settings);
  rule.factor = settings.has("courant")
                    ? settings.number("courant")
                    : safe_courant(system, rule.kind, settings.text("schedule") == "levels", has_barrier(model));
  rule.update = settings.flag("update_steps");
  if (settings.given("longest_step")) rule.longest = settings.number("longest_step");
  return rule;
}

// Whether a stencil belongs to BODY, BODY.REGION or the springs of that name.
bool is_of(const StencilSystem::Set& set, int stencil, const std::string& name) {
  if (name == set.name) return set.term != nullptr;
  const SolidBlock* block = elements_of(set);
  if (block == nullptr) return false;
  const Mesh& mesh = *block->part().mesh;
  return name == set.name + "." + mesh.regions[mesh.region[block->part().elements[stencil - set.first]]];
}

// alpha of the stencils of the bodies, regions and springs named; returns what is wrong with the names.
std::string mark_implicit(const Settings& settings, const StencilSystem& system, std::vector<double>& alpha) {
  if (!settings.given("implicit"))
    return settings.given("implicit_alpha") ? "implicit_alpha: of what? Give implicit" : "";
  const auto& names = settings.names("implicit");
  const auto& given = settings.vector("implicit_alpha");
  if (given.size() > 1 && given.size() != names.size())
    return "implicit_alpha: give one number, or one for each entry of implicit";
  for (std::size_t n = 0; n < names.size(); ++n) {
    const double each = given.empty() ? 0.5 : given[given.size() == 1 ? 0 : n];
    if (!(each >= 0 && each <= 1)) return "implicit_alpha: has to be between 0 and 1";
    bool found = false;
    for (const auto& set : system.sets())
      for (int k = set.first; k < set.first + set.stencils->count(); ++k)
        if (is_of(set, k, names[n])) {
          alpha[k] = each;
          found = true;
        }
    if (!found)
      return "implicit: there is no solid, region or spring '" + names[n] + "'; write BODY, BODY.REGION or FORCE";
  }
  return "";
}

std::vector<int> watched_stencils(const Settings& settings, const StencilSystem& system) {
  std::vector<int> stencils;
  for (const double number : settings.vector("watch"))
    for (const auto& set : system.sets()) {
      const SolidBlock* block = elements_of(set);
      for (int k = 0; block != nullptr && k < set.stencils->count(); ++k)
        if (block->part().mesh->element_tag(block->part().elements[k]) == static_cast<long>(number))
          stencils.push_back(set.first + k);
    }
  return stencils;
}

// Times are solved for from the potentials of the stencils alone [L04 6.3].
std::string balance_refusal(const Settings& settings, const Model& model) {
  const auto& terms = model.parts().terms;
  const bool all_local =
      std::all_of(terms.begin(), terms.end(), [&](const auto& term) { return StencilSystem::covers(model, *term); });
  if (!model.parts().forces.empty()) return "balance_energy needs a conservative system";
  if (has_barrier(model))
    return "balance_energy solves for the times of elements, and the clocks of contact are fixed: what makes it free "
           "of drift and of tunnelling";
  if (!all_local || model.has_moving_supports() || model.constraint_count() > 0)
    return "balance_energy needs potentials of elements, springs and contacts, supports that do not move, and no "
           "constraints by multipliers";
  if (settings.flag("update_steps") || settings.given("implicit") || settings.text("schedule") != "queue")
    return "balance_energy needs schedule = \"queue\", and cannot be combined with update_steps or implicit";
  return "";
}

std::string asynchronous_refusal(const Settings& settings, const Model& model) {
  given_steps(settings, model);  // throws where a name is wrong
  const std::string reason = StencilSystem::refusal(model);
  if (!reason.empty()) return reason;
  if (has_barrier(model))
    if (const std::string why = layered_contact_refusal(model); !why.empty()) return why;
  if (settings.flag("update_steps") && settings.text("schedule") == "levels")
    return "update_steps needs schedule = \"queue\" or \"local_minimum\": levels are chosen once, at the start";
  if (settings.flag("balance_energy"))
    if (const std::string why = balance_refusal(settings, model); !why.empty()) return why;
  if (!settings.given("implicit") && !settings.given("implicit_alpha") && !settings.given("watch")) return "";
  const StencilSystem system(model);
  if (settings.given("watch") && watched_stencils(settings, system).size() != settings.vector("watch").size())
    return "watch: every entry must be the number of an element of a solid";
  std::vector<double> alpha(system.size());
  return mark_implicit(settings, system, alpha);
}

std::vector<Parameter> parameters() {
  return {
      positive(number_key(
          "courant", "-",
          "0.85 on levels; else 0.2 of neighbourhoods, 0.3 of inradius / wave speed, springs 0.25, tri6 and tet10 0.1",
          "every step as a fraction of what step_rule gives; of springs and contacts always of 2 / omega")),
      one_of(
          key("step_rule", ValueType::name, "-", "",
              "neighbourhood (default on levels): what the elements around its nodes allow an element, Verlet's limit "
              "on a uniform mesh; courant (default otherwise): inradius / wave speed; eigenvalue: 2 / omega of the "
              "isolated element"),
          {"neighbourhood", "courant", "eigenvalue"}),
      key("update_steps", ValueType::boolean, "-", "false", "a new step at every activation, from the current shape"),
      one_of(key("schedule", ValueType::name, "-", "queue",
                 "queue: one thread; local_minimum: patches on all threads, the same bits; levels: steps rounded down "
                 "to powers of two of one base, elements four at a time on all threads"),
             {"queue", "local_minimum", "levels"}),
      one_of(key("steps", ValueType::table, "s", "by courant and step_rule",
                 "{ name = step } of a force, or of all elements of a body: bonds on a short clock and pairs on a long "
                 "one are r-RESPA"),
             {"table"}),
      positive(number_key("longest_step", "s", "", "upper bound of all steps")),
      key("balance_energy", ValueType::boolean, "-", "false",
          "solves for the times too, so that the energy balance of every element holds [L04 6.3]; first order, "
          "costly"),
      key("implicit", ValueType::names, "-", "none",
          "bodies, BODY.REGION, or forces of springs, that are solved implicitly one stencil at a time; their steps "
          "are "
          "the longest of all"),
      key("implicit_alpha", ValueType::vector, "-", "[0.5]",
          "alpha of L04 4.7 in [0, 1], one or one for each entry of implicit; 0 and 1 are explicit"),
      key("watch", ValueType::vector, "-", "none",
          "numbers of elements of solids whose local energy balance is recorded [L04 (97)]"),
  };
}

}  // namespace

IntegratorRecord asynchronous_record() {
  IntegratorRecord record;
  record.name = "asynchronous";
  record.clocks_contact = true;
  record.brief = "every element, spring and contact on its own clock; explicit";
  record.citation = "L04 4";
  record.parameters = parameters();
  record.claims = [](const Settings& settings, const ModelClass& model) {
    Claims claims;
    const bool update = settings.flag("update_steps") || settings.flag("balance_energy");
    const bool implicit = settings.given("implicit");
    // Damping of elements and springs resists what their nodes have moved since the last time: it lags by half a step.
    claims.order = model.lagged || settings.flag("balance_energy") ? 1 : 2;
    claims.symplectic = update || model.forced ? Symplectic::no : Symplectic::canonical;
    claims.angular_momentum = Keeps::exact;
    claims.energy = update ? EnergyClaim::drifting : EnergyClaim::bounded;
    claims.explicit_steps = !implicit;
    claims.note = update ? "steps that follow the shape preserve momenta, not symplecticity" : "";
    return claims;
  };
  record.refusal = asynchronous_refusal;
  record.holds_constraints = true;
  record.law_variants = {};  // it has no step of the whole; tests/asynchronous measures its claims
  record.make = [](const Settings& settings, const SolverOptions&, const Model& model) -> std::unique_ptr<Integrator> {
    const ScheduleKind kind = settings.flag("balance_energy") ? ScheduleKind::balanced
                              : settings.text("schedule") == "local_minimum" && !has_barrier(model)
                                  ? ScheduleKind::patches
                              : settings.text("schedule") == "levels" ? ScheduleKind::levels
                                                                      : ScheduleKind::queue;
    const auto system = std::make_shared<const StencilSystem>(model);
    auto made = std::make_unique<Asynchronous>(model, system, rule_of(settings, model, *system), kind);
    if (settings.given("implicit")) {
      std::vector<double> alpha(made->loop().system().size());
      mark_implicit(settings, made->loop().system(), alpha);
      made->loop().make_implicit(alpha);
    }
    if (settings.given("watch")) made->loop().watch(watched_stencils(settings, made->loop().system()));
    return made;
  };
  return record;
}

}  // namespace livens
