// Asynchronous splitting methods [L04 Appendix A]: the step is a sequence of parts, each the exact flow of one
// component of the system for a fraction of the step,
//
//   drift          q += fraction h M^-1 p,   t += fraction h
//   a potential    p -= fraction h dW/dq(t, q)
//
// in any order. Every part is symplectic and keeps the momenta that its potential keeps, hence the sequence does. With
// b_k the fractions of a potential and s_k the part of the drift that is over when they act, it is of order 2 if and
// only if sum_k b_k s_k = 1/2 for every potential (the commutators of the drift with each of them are independent,
// those of potentials vanish), and with fractions that are not negative no sequence is of a higher order [Sheng 1989,
// Suzuki 1991].
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include <livens/registry.hpp>
#include <livens/splitting.hpp>
#include <livens/stepper.hpp>

#include "math/finite.hpp"
#include "records/suggest.hpp"

namespace livens {
namespace {

constexpr const char* drift_name = "drift";
constexpr const char* rest_name = "rest";
constexpr double rounding_of_fractions = 1e-9;  // of sums of fractions that are written down

// The sequence of the settings, of one second; components are numbered as their names appear.
struct NamedSequence {
  std::vector<std::string> components;
  std::vector<SplittingPart> parts;
  std::string fault, key;  // what is wrong, and with which key; empty if nothing is
};

NamedSequence sequence_of(const Settings& settings) {
  NamedSequence result;
  const auto& names = settings.names("sequence");
  const std::vector<double> given = settings.has("fractions") ? settings.vector("fractions") : std::vector<double>{};
  std::map<std::string, int> times;
  for (const std::string& name : names) ++times[name];
  result.key = "fractions";
  if (!given.empty() && given.size() != names.size()) {
    result.fault =
        fmt::format("has {} numbers for the {} entries of sequence; give one for each", given.size(), names.size());
    return result;
  }
  std::map<std::string, double> sums;
  for (std::size_t k = 0; k < names.size(); ++k) {
    auto found = std::find(result.components.begin(), result.components.end(), names[k]);
    int component = SplittingPart::drift;
    if (names[k] != drift_name) {
      component = static_cast<int>(found - result.components.begin());
      if (found == result.components.end()) result.components.push_back(names[k]);
    }
    const double fraction = given.empty() ? 1.0 / times[names[k]] : given[k];
    if (!(fraction >= 0)) result.fault = "must not be negative";
    result.parts.push_back({component, fraction});
    sums[names[k]] += fraction;
  }
  for (const auto& [name, sum] : sums)
    if (std::abs(sum - 1) > rounding_of_fractions)
      result.fault = fmt::format("those of '{}' add up to {:.6g}, not 1", name, sum);
  if (sums.count(drift_name) == 0 || result.components.empty()) {
    result.key = "sequence";
    result.fault = "needs \"drift\" and at least one potential; \"rest\" stands for all that it does not name";
  }
  return result;
}

// Where the impulses of a component act: the part of the drift that is over, and the fraction; one for each place.
using Impulses = std::vector<std::pair<double, double>>;

std::vector<Impulses> impulses_of(const NamedSequence& sequence) {
  std::vector<Impulses> all(sequence.components.size());
  double drifted = 0;
  for (const auto& [component, step] : sequence.parts) {
    if (component == SplittingPart::drift) {
      drifted += step;
      continue;
    }
    Impulses& own = all[component];
    if (own.empty() || drifted - own.back().first > rounding_of_fractions) own.emplace_back(drifted, 0.0);
    own.back().second += step;
  }
  return all;
}

bool is_second_order(const NamedSequence& sequence) {
  for (const Impulses& impulses : impulses_of(sequence)) {
    double sum = 0;
    for (const auto& [drifted, fraction] : impulses) sum += fraction * drifted;
    if (std::abs(sum - 0.5) > rounding_of_fractions) return false;
  }
  return true;
}

// Potentials at one place of the drift commute: their order there does not matter.
bool is_symmetric(const NamedSequence& sequence) {
  for (const Impulses& impulses : impulses_of(sequence)) {
    const auto mirrored = [](const auto& a, const auto& b) {
      return std::abs(a.first + b.first - 1) < rounding_of_fractions &&
             std::abs(a.second - b.second) < rounding_of_fractions;
    };
    if (!std::equal(impulses.begin(), impulses.end(), impulses.rbegin(), mirrored)) return false;
  }
  return true;
}

// The terms of a component, by their places in the model.
std::vector<std::size_t> terms_of(const Model& model, const NamedSequence& sequence, const std::string& component) {
  const auto& terms = model.parts().terms;
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const auto& names = sequence.components;
    const bool named = std::find(names.begin(), names.end(), terms[k]->name()) != names.end();
    if (component == rest_name ? !named : terms[k]->name() == component) found.push_back(k);
  }
  return found;
}

class SplittingStepper final : public Stepper {
 public:
  SplittingStepper(const NamedSequence& sequence, const Model& model) : parts_(sequence.parts) {
    for (auto* vector : {&q_, &p_, &v_, &impulse_}) vector->resize(model.size());
    for (const std::string& name : sequence.components) components_.push_back(terms_of(model, sequence, name));
  }

  StepReport step(const Model& model, State& state, double h, StepContext context) override {
    q_ = state.q;
    p_ = state.p;
    Ledger& ledger = context.ledger;
    double t = state.t;
    for (const auto& [component, fraction] : parts_) {
      if (component == SplittingPart::drift) {
        drift(model, t, t + fraction * h, ledger);
        t += fraction * h;
        continue;
      }
      for (const std::size_t term : components_[component])
        kick(model, *model.parts().terms[term], t, fraction * h, ledger);
      ++context.counters.evaluations;
    }
    model.divide_mass(p_, v_);
    if (!all_finite(q_) || !all_finite(v_)) return failed_not_finite(state.t, h);
    state.q.swap(q_);
    state.p.swap(p_);
    state.v.swap(v_);
    StepReport report;
    report.h = h;
    return report;
  }

 private:
  void drift(const Model& model, double from, double to, Ledger& ledger) {
    model.divide_mass(p_, v_);
    ledger.time_work += 0.5 * model.time_work(from, to, from, q_, v_);
    for (std::size_t i = 0; i < q_.size(); ++i) q_[i] += (to - from) * v_[i];
    ledger.time_work += 0.5 * model.time_work(from, to, to, q_, v_);
  }

  void kick(const Model& model, const EnergyTerm& term, double t, double weight, Ledger& ledger) {
    std::fill(impulse_.begin(), impulse_.end(), 0.0);
    term.add_gradient(t, q_, -weight, impulse_);
    model.release(impulse_);
    for (std::size_t i = 0; i < p_.size(); ++i) p_[i] += impulse_[i];
    const Invariance keeps = term.invariance();
    if (!keeps.translations || !keeps.rotations || model.supported_count() > 0)
      book_impulse(model, q_, impulse_, ledger);
  }

  std::vector<SplittingPart> parts_;                  // of one second
  std::vector<std::vector<std::size_t>> components_;  // their terms
  std::vector<double> q_, p_, v_, impulse_;
};

std::string splitting_refusal(const Settings& settings, const Model& model) {
  const NamedSequence sequence = sequence_of(settings);
  if (!sequence.fault.empty()) throw SceneError({settings.fault(sequence.key, sequence.fault)});
  if (!model.separable()) return "it needs a potential apart from the kinetic energy: L = 1/2 v'Mv - W(t, q)";
  if (!model.parts().forces.empty())
    return "its parts are potentials and the drift; '" + model.parts().forces.front()->name() + "' is neither";
  if (model.has_moving_supports()) return "it cannot move supports; use stormer_verlet or asynchronous";
  std::vector<std::string> known = {drift_name, rest_name};
  for (const auto& term : model.parts().terms)
    if (std::find(known.begin(), known.end(), term->name()) == known.end()) known.push_back(term->name());
  std::size_t reached = 0;
  for (const std::string& name : sequence.components) {
    reached += terms_of(model, sequence, name).size();
    if (name != rest_name && std::find(known.begin(), known.end(), name) == known.end())
      throw SceneError(
          {settings.fault("sequence", "there is no potential '" + name + "'." + suggestion(name, known, "There are"))});
  }
  if (reached == model.parts().terms.size()) return "";
  for (const auto& term : model.parts().terms)
    if (std::find(sequence.components.begin(), sequence.components.end(), term->name()) == sequence.components.end())
      return "its sequence leaves out '" + term->name() + "'; name it, or \"rest\"";
  return "";
}

}  // namespace

IntegratorRecord splitting_record() {
  IntegratorRecord record;
  record.name = "splitting";
  record.brief = "a sequence of drifts and impulses of single potentials, in any order; explicit";
  record.citation = "L04 Appendix A";
  record.parameters = {
      step_parameter(),
      key("sequence", ValueType::names, "-", "[\"rest\", \"drift\", \"rest\"]",
          "what a step does one after the other: \"drift\", forces and bodies by their names, \"rest\" for all "
          "potentials that it does not name; the default is stormer_verlet"),
      key("fractions", ValueType::vector, "-", "equal parts",
          "of the step, one for each entry of sequence; those of one name add up to 1")};
  record.law_variants = {"", "sequence = ['drift', 'rest', 'drift']", "sequence = ['rest', 'drift']",
                         "sequence = ['drift', 'drift', 'rest', 'rest']",
                         "sequence = ['drift', 'rest', 'drift'], fractions = [0.25, 1, 0.75]"};
  record.claims = [](const Settings& settings, const ModelClass&) {
    const NamedSequence sequence = sequence_of(settings);
    Claims claims;
    if (!sequence.fault.empty()) return claims;
    claims.order = is_second_order(sequence) ? 2 : 1;
    claims.symplectic = Symplectic::canonical;
    claims.symmetric = is_symmetric(sequence);
    claims.angular_momentum = Keeps::exact;
    claims.energy = EnergyClaim::bounded;
    claims.explicit_steps = true;
    claims.note = fmt::format("maximum asynchronicity {:.3g} of a step [L04 (A7)]",
                              maximum_asynchronicity(sequence.parts, static_cast<int>(sequence.components.size())));
    return claims;
  };
  record.refusal = splitting_refusal;
  record.make = [](const Settings& settings, const SolverOptions& solver, const Model& model) {
    return make_integrator(std::make_unique<SplittingStepper>(sequence_of(settings), model), settings, solver, model);
  };
  return record;
}

}  // namespace livens
