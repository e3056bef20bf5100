#include "run/verdict.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

namespace livens {
namespace {

// Exact means: less than this of the scale, and not more than rounding that adds up over the steps.
constexpr double exact_tolerance = 1e-11;
constexpr double rounding_per_step = 1e-15, rounding_per_update = 1e-16;
// What a solver leaves may add up over the steps, but a law that is kept to a thousandth only is not kept exactly.
constexpr double most_tolerance = 1e-3;
// Rounding of the energy adds up like a random walk; this many standard deviations of it are not an error.
constexpr double rounding_deviations = 10;
// A trend over the last half counts from three standard errors on, and if it is of a size that matters: a run that is
// short against its slow motions has a tiny one for a while. Systems exchange energy between their modes slowly, which
// looks like a trend for a while: it also has to be steady over the whole run, or to move the energy by more than this
// many times the range of the first half.
constexpr double negligible_free = 1e-8, negligible_forced = 0.02;
// A bounded error follows the motion: over less than two swings of the kinetic energy a trend cannot be recognised.
constexpr int enough_crossings = 4;
constexpr double growth_over_early_range = 2;
constexpr long enough_samples = 40;
// Errors of the size of the energy itself.
constexpr double largest_error = EnergyExcess::allowed;
// Growth: each of the last eighths of the run has this many times the range of the one before.
constexpr double growth_per_stretch = 1.5, growth_in_all = 10, negligible_growth = 1e-3;
// What a dissipative force may give, of all that it has taken and of the scale: steps of finite length are not exactly
// dissipative where the velocity turns.
constexpr double given_of_taken = 0.05, given_of_scale = 1e-4;

// Beyond so many times the scale, or where that is rounding itself, as of a body at rest, per cents say nothing.
constexpr double most_scales = 10;

// A part of the scale; without one worth the name the error itself, and what rounding may make of it.
std::string part_of(double error, double scale, double rounding) {
  if (scale <= rounding || !(error <= most_scales * scale))
    return fmt::format("{:.2g} J (rounding: {:.1g} J)", error, rounding);
  const double ratio = error / scale;
  return ratio < 1e-6 ? fmt::format("{:.1e}", ratio) : fmt::format("{:.2g} %", 100 * ratio);
}

class Judge {
 public:
  Judge(const RunPlan& plan, const Model& model, const Recorder& recorder, const Counters& counters)
      : plan_(plan), model_(model), recorder_(recorder), scale_(energy_scale(recorder, model)) {
    // Methods that are read at any time count looks as steps, and their updates as evaluations.
    const auto steps = static_cast<double>(std::max(counters.steps, 1L));
    const auto updates = static_cast<double>(std::max(counters.evaluations, counters.steps));
    tolerance_ = std::max({exact_tolerance, rounding_per_step * steps, rounding_per_update * updates});
    // What a solve leaves comes back in the angular momentum, step by step.
    const double left = std::min(counters.residual_max * steps, most_tolerance);
    const auto& terms = model.parts().terms;
    const bool barriers =  // whose solves may stop above rounding, where points begin to stick or slip
        std::any_of(terms.begin(), terms.end(), [](const auto& term) { return term->barrier() != nullptr; });
    if (plan.solver.given("tolerance") || counters.linear_iterations > 0 || barriers)
      tolerance_ = std::max(tolerance_, left);
    rounding_ = rounding_deviations * recorder.energy_rounding() * std::sqrt(updates);
  }

  Judgement run() {
    if (plan_.claims.order == 0) {  // equilibria: loads do work, nothing is conserved
      result_.short_form = fmt::format("Equilibrium with the potential energy {:.6g} J", recorder_.value("potential"));
      report(result_.short_form);
      result_.verdict = "not_judged";
      return result_;
    }
    judge_energy();
    judge_dissipation();
    if (model_.dimension() > 0) {
      judge_momentum("linear", plan_.claims.linear_momentum, recorder_.quantities().linear_scale(), "N s");
      if (has_angular_momentum(model_))
        judge_momentum("angular", plan_.claims.angular_momentum, recorder_.quantities().angular_scale(), "N m s");
    }
    judge_symmetries();
    if (worst_momentum_ >= 0) result_.short_form += fmt::format(", momentum ledger closed to {:.0e}", worst_momentum_);
    result_.verdict = !result_.broken.empty() ? "broken" : kept_ > 0 ? "kept" : "not_judged";
    return result_;
  }

 private:
  // Adds the sentence with its ending.
  void conclude(const std::string& sentence, bool holds) {
    if (holds) ++kept_;
    result_.findings.push_back(sentence + (holds ? ": kept." : ": broken."));
    if (!holds) result_.broken.push_back(result_.findings.back());
  }
  void report(const std::string& sentence) { result_.findings.push_back(sentence + "."); }

  bool claims_bound() const {
    return plan_.claims.energy == EnergyClaim::bounded || plan_.claims.energy == EnergyClaim::exact;
  }
  double work() const { return std::max(0.0, recorder_.series("work").max()); }

  // Whether forces or time-dependent terms do work, so that the balance is itself integrated.
  bool driven() const {
    const Series& work = recorder_.series("work");
    return !model_.parts().forces.empty() || work.max() != 0 || work.min() != 0;
  }

  bool grows(const Series& error) const {
    const std::vector<double> range = error.ranges(8);
    const double early = *std::max_element(range.begin(), range.begin() + 4);
    bool growing = range[7] > growth_in_all * early && range[7] > negligible_growth * scale_ + rounding_;
    for (std::size_t k = 5; k < 8; ++k) growing = growing && range[k] > growth_per_stretch * range[k - 1];
    return growing;
  }

  bool too_large(double error) const {
    if (!model_.separable()) return error > largest_error * scale_ + rounding_;
    const EnergyExcess& excess = recorder_.energy_excess();
    const double start = recorder_.series("kinetic").first() + excess.mean_release() + work();
    return excess.largest() > largest_error * start + rounding_;
  }

  // What is wrong with the energies, as the end of a sentence; empty if nothing is.
  std::string fault(const Series& error, double largest, bool has_trend) const {
    if (!claims_bound()) return "";
    if (too_large(largest)) return ", more than half of what could move: the step is too long";
    if (grows(error)) return ", which grows without bound: the step is too long";
    if (has_trend) return ", which has a trend";
    return "";
  }

  void judge_energy() {
    const Series& error = recorder_.series("energy_error");
    const double largest = error.largest_drift();
    const Trend trend = error.late_trend();
    const bool tell =
        error.count() >= enough_samples && recorder_.series("kinetic").late_crossings() >= enough_crossings;
    const double negligible = std::max((driven() ? negligible_forced : negligible_free) * scale_, rounding_);
    const bool has_trend = tell && is_trend(trend, negligible);
    const std::string part = part_of(largest, scale_, rounding_);
    const std::string size = part.ends_with(")")
                                 ? fmt::format("Energy error at most {}, where {:.3g} J could move", part, scale_)
                                 : fmt::format("Energy error at most {:.3g} J, {} of {:.3g} J", largest, part, scale_);
    const std::string slope = !std::isfinite(trend.slope) || !std::isfinite(trend.slope_error)
                                  ? ""
                                  : fmt::format(", late slope {:.2g} +- {:.1g} J/s", trend.slope, trend.slope_error);
    const std::string claim = "; claimed " + to_string(plan_.claims.energy);
    const std::string wrong = fault(error, largest, has_trend);
    result_.short_form = "Energy error " + part;
    if (claims_bound()) result_.short_form += wrong.empty() ? " without trend" : wrong;
    if (plan_.claims.energy == EnergyClaim::exact)
      return conclude(fmt::format("{}{}, tolerance {:.0e} and rounding {:.1g} J", size, claim, tolerance_, rounding_),
                      largest <= tolerance_ * scale_ + rounding_);
    if (!claims_bound()) return report(size + slope + claim);
    if (!wrong.empty()) return conclude(size + slope + wrong + claim, false);
    if (error.count() < enough_samples) return report(size + "; too few samples for a trend");
    conclude(size + slope + claim, true);
  }

  // Forces that only take energy; those of comparison methods are integrated as the method has it.
  void judge_dissipation() {
    if (!claims_bound()) return;
    std::set<std::string> seen;
    for (const auto& force : model_.parts().forces) {
      if (force->ledger_side() != LedgerSide::dissipated || !seen.insert(force->name()).second) continue;
      const Series& taken = recorder_.series("dissipated." + force->name());
      const double given = taken.largest_fall();
      if (given <= given_of_taken * taken.max() + given_of_scale * scale_ + rounding_) continue;
      conclude(fmt::format("Force {}: it has given {:.3g} J of {:.3g} J, and should only take", force->name(), given,
                           scale_),
               false);
    }
  }

  void judge_momentum(const std::string& name, Keeps claim, double scale, const std::string& unit) {
    const double ratio = scale > 0 ? recorder_.series(name + "_momentum_error").max() / scale : 0;
    const std::string sentence =
        fmt::format("{} momentum: its ledger closes to {:.1e} of {:.3g} {}; claimed {}",
                    name == "linear" ? "Linear" : "Angular", ratio, scale, unit, to_string(claim));
    if (claim != Keeps::exact) return report(sentence);
    worst_momentum_ = std::max(worst_momentum_, ratio);
    conclude(sentence + fmt::format(", tolerance {:.0e}", tolerance_), ratio <= tolerance_);
  }

  // A shift along a coordinate is a linear momentum; other generators are shown, since no record claims them.
  void judge_symmetries() {
    const auto& symmetries = model_.parts().symmetries;
    for (std::size_t k = 0; k < symmetries.size(); ++k) {
      const double scale = recorder_.quantities().symmetry_scale(k);
      const Series& error = recorder_.series("symmetry_error." + symmetries[k].name);
      const double largest = std::max(std::abs(error.min()), std::abs(error.max()));
      const bool stays_zero = scale == 0 && largest == 0;
      const double ratio = stays_zero ? 0 : largest / scale;
      const std::string kept = stays_zero ? "stays 0" : fmt::format("is kept to {:.1e} of {:.3g}", ratio, scale);
      const std::string sentence = fmt::format("Symmetry {}: its momentum {}", symmetries[k].name, kept);
      if (!is_shift(symmetries[k]) || plan_.claims.linear_momentum != Keeps::exact) {
        report(sentence);
        continue;
      }
      worst_momentum_ = std::max(worst_momentum_, ratio);
      conclude(sentence + fmt::format("; claimed exact, tolerance {:.0e}", tolerance_), ratio <= tolerance_);
    }
  }

  bool is_shift(const Symmetry& symmetry) const {
    const auto n = static_cast<std::size_t>(model_.size());
    std::vector<double> q(n), at_zero(n), elsewhere(n);
    symmetry.generator(q, at_zero);
    for (std::size_t i = 0; i < n; ++i) q[i] = 0.37 + 0.61 * static_cast<double>(i);
    symmetry.generator(q, elsewhere);
    return at_zero == elsewhere;
  }

  const RunPlan& plan_;
  const Model& model_;
  const Recorder& recorder_;
  double scale_;      // J, of energies
  double tolerance_;  // of exact claims
  double rounding_;   // J
  double worst_momentum_ = -1;
  int kept_ = 0;
  Judgement result_;
};

}  // namespace

double energy_scale(const Recorder& recorder, const Model& model) {
  const Series &kinetic = recorder.series("kinetic"), &potential = recorder.series("potential");
  const double work = std::max(0.0, recorder.series("work").max());
  if (model.separable()) return kinetic.first() + potential.first() - potential.min() + work;
  // A general Lagrangian has no kinetic energy of its own; its energy has no zero. What moves early in the run, then.
  const double early = kinetic.ranges(4)[0] + potential.ranges(4)[0];
  return std::max(std::abs(recorder.series("energy").first()), early) + work;
}

bool is_trend(const Trend& trend, double negligible) {
  if (std::isnan(trend.slope) || std::abs(trend.slope) <= 3 * trend.slope_error) return false;
  const double change = std::abs(trend.slope) * trend.duration;
  if (change <= negligible) return false;
  return trend.steady || change > growth_over_early_range * trend.early_range;
}

Judgement judge(const RunPlan& plan, const Model& model, const Recorder& recorder, const Counters& counters) {
  return Judge(plan, model, recorder, counters).run();
}

}  // namespace livens
