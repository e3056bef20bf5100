// The lines that a user reads at the end of a run, its warnings, and the advice after a failure.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "diagnostics/stiffness.hpp"
#include "model/coordinate_name.hpp"
#include "run/envelope.hpp"
#include "run/plan.hpp"
#include "run/run_facts.hpp"

namespace livens {
namespace {

std::string quoted(const std::string& text) {
  const bool plain =
      text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/=+:,@%") ==
      std::string::npos;
  if (plain && !text.empty()) return text;
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? "'\\''" : std::string(1, c);
  return result + "'";
}

constexpr double lost_growth = 100;

// By which factor the energy grew until the last good state; beyond lost_growth that state is not worth going on from.
double energy_growth(const RunFacts& facts) {
  const Series& energy = facts.recorder.series("energy");
  const double scale = std::max({std::abs(energy.first()), facts.recorder.series("kinetic").first(),
                                 std::abs(facts.recorder.series("potential").first())});
  if (!facts.recorder.finite()) return std::numeric_limits<double>::infinity();
  return scale > 0 ? std::abs(energy.last()) / scale : 0;
}

bool is_lost(const RunFacts& facts) { return energy_growth(facts) > lost_growth; }

// The command that goes on from the last good state, or begins again, with one change; what the user had set stays set.
std::string command(const RunFacts& facts, const Advice& advice) {
  std::string text = "livens run " + quoted(facts.scene.path.empty() ? facts.scene.name() : facts.scene.path);
  if (!is_lost(facts)) text += " --from " + quoted(facts.directory);
  for (const auto& [path, value] : facts.scene.overrides)
    if (path != advice.key) text += " --set " + quoted(path + "=" + value);
  return text + " --set " + quoted(advice.key + "=" + advice.value);
}

// Why a change helps, with what is known of the last good state.
std::string reason(const RunFacts& facts, const Advice& advice, double h, std::optional<double> omega) {
  const std::string from = is_lost(facts) ? "from the start" : fmt::format("from t = {:.6g} s", facts.state.t);
  if (advice.step_length && omega && h > 0)
    return fmt::format("{}; h*omega_max {:.2g} -> {:.2g}", from, h * *omega, *advice.step_length * *omega);
  if (advice.reason.empty()) return from;
  return advice.keeps_good_steps ? advice.reason : from + "; " + advice.reason;
}

// Not what the scene has already.
bool has_it(const RunFacts& facts, const Advice& advice) {
  const Settings& solver = facts.plan.solver;
  if (advice.key == "solver.retry_halvings") return solver.integer("retry_halvings") >= std::stol(advice.value);
  if (advice.key == "solver.linear") return solver.text("linear") == advice.value;
  return false;
}

// What the step asks for; and where an implicit method lost its energy, the one that cannot.
std::vector<Advice> advice_for(const RunFacts& facts, const StepReport& report) {
  std::vector<Advice> all;
  for (const Advice& advice : report.advice)
    if (!has_it(facts, advice)) all.push_back(advice);
  const Claims& claims = facts.plan.claims;
  if (!is_lost(facts) || claims.explicit_steps || claims.energy == EnergyClaim::exact) return all;
  if (const std::string method = exact_energy_method(facts.model); !method.empty())
    all.push_back({"integrator.kind", method, "keeps the energy at any step"});
  return all;
}

std::string why_of(const RunFacts& facts, const StepReport& report, std::optional<double> omega) {
  const double h = report.h;
  // 2 without damping; damping proportional to stiffness lowers it.
  const double most = omega ? explicit_step_limit(*omega, facts.plan.damping_time) * *omega : 2;
  const bool is_explicit = facts.plan.claims.explicit_steps;
  if (is_lost(facts) && omega && h > 0)
    return fmt::format("the energy grew without bound; h*omega_max is {:.2g} at the start{}", h * *omega,
                       is_explicit ? fmt::format(", explicit steps need less than {:.2g} throughout", most) : "");
  if (omega && h > 0 && is_explicit && h * *omega > most)
    return fmt::format("h*omega_max is {:.2g} at the last good state, and explicit steps need less than {:.2g}",
                       h * *omega, most);
  if (report.code == FailureCode::not_finite) return "numbers became too large to be represented";
  if (omega && h > 0)
    return fmt::format("h*omega_max is {:.2g} at the last good state; failure.json has the trace", h * *omega);
  return "failure.json has the trace";
}

// 1234567 -> "1 234 567"
std::string grouped(long value) {
  std::string text = std::to_string(value);
  for (int place = static_cast<int>(text.size()) - 3; place > 0; place -= 3) text.insert(place, 1, ' ');
  return text;
}

std::string verdict_text(const RunFacts& facts) {
  const std::string name = facts.plan.integrator_name();
  if (facts.plan.claims.order == 0) return "";
  if (facts.judgement.verdict == "kept") return ". Verdict: kept, as " + name + " claims";
  if (facts.judgement.verdict == "broken") return ". Verdict: broken, not as " + name + " claims";
  return ". Verdict: none, " + name + " claims nothing that could be checked";
}

std::string course(const RunFacts& facts) {
  if (facts.plan.claims.order == 0)
    return facts.integrator.counters().steps == 1 ? "1 load step"
                                                  : grouped(facts.integrator.counters().steps) + " load steps";
  return fmt::format("{:.6g} s in {}", facts.state.t - facts.recorder.t_begin(), steps_text(facts.integrator));
}

std::string see_report(const RunFacts& facts) { return "See " + facts.directory + "/report.html"; }

void add_broken(const RunFacts& facts, std::vector<std::string>& lines) {
  for (const std::string& finding : facts.judgement.broken) lines.push_back("  broken  " + finding);
}

std::vector<std::string> failed_lines(const RunFacts& facts) {
  const Failure& failure = *facts.failure;
  std::vector<std::string> lines = {fmt::format("failed    step {}, {}", grouped(failure.step), failure.message),
                                    "  why     " + failure.why};
  for (std::size_t k = 0; k < failure.advice.size(); ++k)
    lines.push_back((k == 0 ? "  try     " : "          ") + failure.advice[k]);
  lines.push_back("          " + facts.directory + " holds everything up to that point. " + see_report(facts));
  add_broken(facts, lines);
  return lines;
}

}  // namespace

std::string steps_text(const Integrator& integrator) {
  const Counters& counters = integrator.counters();
  return integrator.continuous() ? grouped(counters.evaluations) + " element updates"
                                 : grouped(counters.steps) + " steps";
}

namespace {

std::vector<std::string> ending_lines(const RunFacts& facts) {
  if (facts.failure) return failed_lines(facts);
  if (facts.status == "interrupted") {
    std::vector<std::string> lines = {
        fmt::format("interrupted {}: {}, t = {:.6g} s of {:.6g} s. Resume with: livens run {} --resume --out {}",
                    facts.directory, course(facts), facts.state.t, facts.plan.t_end,
                    quoted(facts.scene.path.empty() ? facts.scene.name() : facts.scene.path), quoted(facts.directory))};
    add_broken(facts, lines);
    return lines;
  }
  std::vector<std::string> lines = {fmt::format("done      {}: {}. {}{}. {}", facts.directory, course(facts),
                                                facts.judgement.short_form, verdict_text(facts), see_report(facts))};
  add_broken(facts, lines);
  for (const Warning& warning : facts.warnings) lines.push_back("  note    " + warning.message);
  return lines;
}

// "integrator 91 % (12.3 s), outputs 5 % (0.7 s), ...": by size, without what takes no time.
std::string profile_line(const Profile& profile) {
  std::vector<std::pair<double, std::string>> phases;
  double sum = 0;
  for (std::size_t k = 0; k < Profile::phases; ++k) {
    const auto phase = static_cast<Profile::Phase>(k);
    phases.emplace_back(profile.seconds(phase), Profile::name(phase));
    sum += profile.seconds(phase);
  }
  std::stable_sort(phases.begin(), phases.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (const auto& [seconds, name] : phases)
    if (seconds > 5e-4 * sum)
      text += fmt::format("{}{} {:.3g} % ({:.3g} s)", text.empty() ? "" : ", ", name, 100 * seconds / sum, seconds);
  return "profile   " + text;
}

}  // namespace

std::vector<std::string> closing_lines(const RunFacts& facts) {
  std::vector<std::string> lines = ending_lines(facts);
  if (facts.timing.profile.wanted()) lines.push_back(profile_line(facts.timing.profile));
  return lines;
}

std::vector<Warning> warnings_of(const RunFacts& facts) {
  std::vector<Warning> warnings;
  for (const std::string& note : facts.scene.notes) warnings.push_back({"note", note, std::nullopt, 1});
  for (const std::string& note : facts.model.parts().notes) warnings.push_back({"note", note, std::nullopt, 1});
  if (facts.recorder.redundant() > 0)
    warnings.push_back({"redundant",
                        fmt::format("{} equations of the constraints are redundant: the motion is not affected, but "
                                    "reactions are not unique; the smallest are reported",
                                    facts.recorder.redundant()),
                        std::nullopt, 1});
  for (const std::string& text : facts.integrator.warnings()) warnings.push_back({"integrator", text, std::nullopt, 1});
  if (!facts.plan.frames_left_out.empty())
    warnings.push_back({"frames_left_out", facts.plan.frames_left_out, std::nullopt, 1});
  const Counters& counters = facts.integrator.counters();
  const double over = facts.state.t - facts.plan.t_end;
  if (facts.status == "done" && over > 1e-6 * counters.step_max)
    warnings.push_back(
        {"end_between_steps",
         fmt::format("time.end = {:.6g} s lies within a step; steps are never adjusted, so the run ended at {:.6g} s",
                     facts.plan.t_end, facts.state.t),
         facts.state.t, 1});
  if (facts.recorder.undefined_energies() > 0)
    warnings.push_back({"inverted_end",
                        fmt::format("elements were inverted at the end of steps, first at t = {:.6g} s: implicit steps "
                                    "prevent inversion only where they evaluate the forces. The energy is not defined "
                                    "at these times; the step is too long for this method: shorten it",
                                    facts.recorder.first_undefined()),
                        facts.recorder.first_undefined(), facts.recorder.undefined_energies()});
  if (counters.retries > 0)
    warnings.push_back({"retries", fmt::format("failed steps were halved {} times", counters.retries), std::nullopt,
                        counters.retries});
  const auto omega = facts.recorder.omega_max();
  const double limit = omega ? explicit_step_limit(*omega, facts.plan.damping_time) : 0;
  if (omega && facts.plan.claims.explicit_steps && !facts.integrator.continuous() && counters.step_max > limit)
    warnings.push_back(
        {"beyond_explicit_limit",
         fmt::format("the step {:.4g} s is above the explicit limit {:.4g} s at the start", counters.step_max, limit),
         std::nullopt, 1});
  if (const std::string text = omega ? halved_damping_warning(facts.plan, counters.step_max, *omega) : "";
      !text.empty())
    warnings.push_back({"halved_damping", text, std::nullopt, 1});
  return warnings;
}

namespace {

// Equations that are hardly solved break a run at any step; explicit ones have none.
bool loose_tolerance(const RunFacts& facts) {
  constexpr double loose = 1e-4;
  return facts.integrator.counters().newton > 0 && facts.plan.solver.given("tolerance") &&
         facts.plan.solver.number("tolerance") > loose;
}

}  // namespace

Failure failure_of(const RunFacts& facts, const StepReport& report) {
  Failure failure;
  failure.code = to_string(report.code);
  failure.message = report.message;
  failure.step = facts.integrator.counters().steps + 1;
  failure.t = facts.state.t;
  failure.report = report;
  if (report.worst_coordinate >= 0) failure.coordinate = coordinate_name(facts.model, report.worst_coordinate);
  failure.node = node_of(facts.model, facts.state, report.worst_coordinate);
  failure.element = worst_element(facts.model, facts.state);
  auto omega = facts.recorder.omega_max();
  if (facts.recorder.every_step() && !is_lost(facts)) omega = omega_max(facts.model, facts.state);
  failure.why = why_of(facts, report, omega);
  std::vector<Advice> all = advice_for(facts, report);
  if (loose_tolerance(facts)) all.insert(all.begin(), {"solver.tolerance", "0", "what solves leave adds up"});
  for (const Advice& advice : all)
    failure.advice.push_back(command(facts, advice) + "    (" + reason(facts, advice, report.h, omega) + ")");
  return failure;
}

}  // namespace livens
