#include "run/verdict.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace livens {
namespace {

// Exact means: less than this of the scale in 10^4 steps; rounding adds up, so it grows with the steps beyond.
constexpr double exact_tolerance = 1e-11;
constexpr double tolerance_steps = 1e4;
// A trend over the last half counts from three standard errors on, and if it is of a size that matters: a run that is
// short against its slow motions has a tiny one for a while. Systems exchange energy between their modes slowly, which
// looks like a trend for a while: it also has to be steady over the whole run, or to move the energy by more than this
// many times the range of the first half.
constexpr double negligible_part_of_scale = 1e-8;
constexpr double growth_over_early_range = 2;
constexpr long enough_samples = 40;

std::string percent(double ratio) {
  return ratio < 1e-6 ? fmt::format("{:.1e}", ratio) : fmt::format("{:.2g} %", 100 * ratio);
}

class Judge {
 public:
  Judge(const RunPlan& plan, const Model& model, const Recorder& recorder, const Counters& counters)
      : plan_(plan),
        model_(model),
        recorder_(recorder),
        tolerance_(exact_tolerance * std::max(1.0, static_cast<double>(counters.steps) / tolerance_steps)) {
    // What a solve leaves comes back in the angular momentum, step by step; by default that is rounding, but not with
    // conjugate gradients.
    if (plan.solver.given("tolerance") || counters.linear_iterations > 0)
      tolerance_ = std::max(tolerance_, counters.residual_max * static_cast<double>(counters.steps));
  }

  Judgement run() {
    if (plan_.claims.order == 0) {  // equilibria: loads do work, nothing is conserved
      result_.short_form = fmt::format("Equilibrium with the potential energy {:.6g} J", recorder_.value("potential"));
      report(result_.short_form);
      result_.verdict = "not_judged";
      return result_;
    }
    judge_energy();
    if (model_.dimension() > 0) {
      judge_momentum("linear", plan_.claims.linear_momentum, recorder_.quantities().linear_scale(), "N s");
      if (has_angular_momentum(model_))
        judge_momentum("angular", plan_.claims.angular_momentum, recorder_.quantities().angular_scale(), "N m s");
    }
    judge_symmetries();
    if (worst_momentum_ >= 0) result_.short_form += fmt::format(", momentum ledger closed to {:.0e}", worst_momentum_);
    result_.verdict = broken_ > 0 ? "broken" : kept_ > 0 ? "kept" : "not_judged";
    return result_;
  }

 private:
  // Adds the sentence with its ending.
  void conclude(const std::string& sentence, bool holds) {
    (holds ? kept_ : broken_) += 1;
    result_.findings.push_back(sentence + (holds ? ": kept." : ": broken."));
  }
  void report(const std::string& sentence) { result_.findings.push_back(sentence + "."); }

  void judge_energy() {
    const Series& error = recorder_.series("energy_error");
    const double scale = energy_scale(recorder_);
    const double largest = error.largest_drift();
    const double ratio = scale > 0 ? largest / scale : 0;
    const Trend trend = error.late_trend();
    const bool has_trend = is_trend(trend, scale);
    const std::string size =
        fmt::format("Energy error at most {:.3g} J, {} of {:.3g} J", largest, percent(ratio), scale);
    result_.short_form = "Energy error " + percent(ratio);
    const bool bounded = plan_.claims.energy == EnergyClaim::bounded || plan_.claims.energy == EnergyClaim::exact;
    if (bounded) result_.short_form += has_trend ? " with a trend" : " without trend";
    const std::string slope =
        std::isnan(trend.slope) ? "" : fmt::format(", late slope {:.2g} +- {:.1g} J/s", trend.slope, trend.slope_error);
    const std::string claim = "claimed " + to_string(plan_.claims.energy);
    if (plan_.claims.energy == EnergyClaim::exact)
      return conclude(fmt::format("{}; {}, tolerance {:.0e}", size, claim, tolerance_), ratio <= tolerance_);
    if (model_.model_class().forced) return report(size + slope + "; not judged, since forces act");
    if (plan_.claims.energy != EnergyClaim::bounded) return report(size + slope + "; " + claim);
    if (error.count() < enough_samples) return report(size + "; too few samples for a trend");
    conclude(size + slope + "; " + claim, !has_trend);
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
      const double ratio = scale > 0 ? largest / scale : 0;
      const std::string sentence =
          fmt::format("Symmetry {}: its momentum is kept to {:.1e} of {:.3g}", symmetries[k].name, ratio, scale);
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
  double tolerance_;
  double worst_momentum_ = -1;
  int kept_ = 0, broken_ = 0;
  Judgement result_;
};

}  // namespace

double energy_scale(const Recorder& recorder) {
  const Series& potential = recorder.series("potential");
  return std::max(recorder.series("kinetic").max(), potential.max() - potential.min());
}

bool is_trend(const Trend& trend, double scale) {
  if (std::isnan(trend.slope) || std::abs(trend.slope) <= 3 * trend.slope_error) return false;
  const double change = std::abs(trend.slope) * trend.duration;
  if (change <= negligible_part_of_scale * scale) return false;
  return trend.steady || change > growth_over_early_range * trend.early_range;
}

Judgement judge(const RunPlan& plan, const Model& model, const Recorder& recorder, const Counters& counters) {
  return Judge(plan, model, recorder, counters).run();
}

}  // namespace livens
