// report.html of a run: its history as plots, and what ran.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <livens/solid_block.hpp>
#include <livens/version.hpp>

#include "diagnostics/stiffness.hpp"
#include "files/history.hpp"
#include "report/frame_pictures.hpp"
#include "report/report.hpp"
#include "run/asynchronous_report.hpp"
#include "run/run_facts.hpp"

namespace livens {
namespace {

constexpr std::size_t max_rows = 20'000;
constexpr std::size_t max_curves = 8;  // of one plot; more cannot be distinguished

class RunReport {
 public:
  explicit RunReport(const RunFacts& facts) : facts_(facts), history_(read_run_history(facts.directory, max_rows)) {
    for (const Column& column : facts.recorder.quantities().columns()) columns_[column.name] = column;
  }

  Report make() {
    Report report;
    report.title = facts_.scene.title();
    report.subtitle = fmt::format("{}, {:.6g} s in {}", facts_.plan.integrator_name(),
                                  facts_.state.t - facts_.recorder.t_begin(), steps_text(facts_.integrator));
    report.verdict = verdict();
    for (const Warning& warning : facts_.warnings) report.warnings.push_back(warning.message);
    report.facts = main_facts();
    add_pictures(report);
    for (ReportSection section :
         {energy_section(), momentum_section(), constraint_section(), portrait_section(), probe_section()})
      if (!section.plots.empty() || !section.tables.empty()) report.sections.push_back(std::move(section));
    if (auto section = asynchronous_section(facts_)) report.sections.push_back(std::move(*section));
    report.sections.push_back(method_section());
    report.footer = "livens " + std::string(version()) + ", scene " + facts_.scene.sha256().substr(0, 12);
    return report;
  }

 private:
  const std::vector<double>& values(const std::string& column) const {
    static const std::vector<double> none;
    const auto* found = history_.find(column);
    return found != nullptr ? *found : none;
  }

  bool is_known(const std::string& column) const {
    const auto& all = values(column);
    return std::any_of(all.begin(), all.end(), [](double value) { return std::isfinite(value); });
  }

  std::string unit(const std::string& column) const {
    const std::string& named = columns_.at(column).unit;
    return named == "any" || named == "-" ? "" : named;
  }

  void add_curve(Plot& plot, const std::string& column, const std::string& label) const {
    if (is_known(column) && plot.curves.size() < max_curves)
      plot.curves.push_back({label, values("t"), values(column), Curve::Style::line});
  }

  Plot time_plot(const std::string& title, const std::string& y_label, const std::string& y_unit) const {
    Plot plot;
    plot.title = title;
    plot.x_label = "t";
    plot.x_unit = "s";
    plot.y_label = y_label;
    plot.y_unit = y_unit;
    return plot;
  }

  static void add_plot(ReportSection& section, Plot plot) {
    if (!plot.curves.empty()) section.plots.push_back(std::move(plot));
  }

  Verdict verdict() const {
    Verdict result;
    using Kind = Verdict::Kind;
    static const std::map<std::string, Kind> kinds = {{"kept", Kind::kept}, {"broken", Kind::broken}};
    const auto judged = kinds.find(facts_.judgement.verdict);
    result.kind = facts_.status == "failed"        ? Kind::failed
                  : facts_.status == "interrupted" ? Kind::interrupted
                  : judged != kinds.end()          ? judged->second
                                                   : Kind::not_judged;
    if (facts_.failure) {
      result.sentences = {fmt::format("Step {}, {}.", facts_.failure->step, facts_.failure->message),
                          "Why: " + facts_.failure->why + "."};
      for (const std::string& advice : facts_.failure->advice) result.sentences.push_back("Try: " + advice);
    }
    if (facts_.status != "done" && facts_.judgement.verdict == "broken") result.sentences.push_back("Verdict: broken.");
    result.sentences.insert(result.sentences.end(), facts_.judgement.findings.begin(), facts_.judgement.findings.end());
    return result;
  }

  // "16600 of 1.5e-05 s"; of elements on clocks of their own "587974, every 1.5e-05 s to 0.00015 s".
  Fact steps_fact() const {
    const Counters& counters = facts_.integrator.counters();
    const bool varied = counters.step_min < counters.step_max;
    if (facts_.integrator.continuous())
      return {"Element updates", varied ? fmt::format("{}, every {:.4g} s to {:.4g} s", counters.evaluations,
                                                      counters.step_min, counters.step_max)
                                        : fmt::format("{}, every {:.4g} s", counters.evaluations, counters.step_max)};
    return {"Steps", fmt::format("{} of {:.4g} s{}", counters.steps, counters.step_max,
                                 varied ? fmt::format(" (shortest {:.4g} s)", counters.step_min) : "")};
  }

  std::vector<Fact> main_facts() const {
    return {{"Status", facts_.status},
            {"Integrator", facts_.plan.integrator_name()},
            {"Time", fmt::format("{:.6g} s to {:.6g} s", facts_.recorder.t_begin(), facts_.state.t)},
            steps_fact(),
            {"Unknowns", std::to_string(facts_.model.size())},
            {"Wall time", fmt::format("{:.3g} s", facts_.timing.wall_time)}};
  }

  // A recording that cannot be read is no reason to have no report.
  void add_pictures(Report& report) const {
    if (facts_.frames.empty()) return;
    try {
      if (auto section = frame_pictures(facts_.model, facts_.directory + "/" + facts_.frames))
        report.sections.push_back(std::move(*section));
    } catch (const RunError& error) {
      report.warnings.push_back(error.what());
    }
  }

  ReportSection energy_section() const {
    ReportSection section;
    section.title = "Energy";
    Plot energies = time_plot("Energy", "energy", "J");
    for (const char* name : {"energy", "kinetic", "potential", "dissipated", "work"})
      if (!is_always_zero(name)) add_curve(energies, name, name);
    add_plot(section, std::move(energies));
    if (facts_.plan.claims.order == 0) return section;  // equilibria: loads do work, and nothing is an error
    Plot error = time_plot("Energy error", "energy error", "J");
    error.note = "energy + dissipated - work - energy at the start: the integrator's own error";
    add_curve(error, "energy_error", "energy error");
    add_plot(section, std::move(error));
    return section;
  }

  bool is_always_zero(const std::string& column) const {
    const auto& all = values(column);
    return std::all_of(all.begin(), all.end(), [](double value) { return !(std::abs(value) > 0); });
  }

  ReportSection momentum_section() const {
    ReportSection section;
    section.title = "Momenta";
    if (facts_.plan.claims.order == 0) return section;
    Plot errors = time_plot("Momentum ledgers", "error over scale", "");
    errors.note = "change of the momenta minus the impulses of loads and supports, over their scales";
    add_relative(errors, "linear_momentum_error", "linear", facts_.recorder.quantities().linear_scale());
    if (has_angular_momentum(facts_.model))
      add_relative(errors, "angular_momentum_error", "angular", facts_.recorder.quantities().angular_scale());
    const auto& symmetries = facts_.model.parts().symmetries;
    for (std::size_t k = 0; k < symmetries.size(); ++k)
      add_relative(errors, "symmetry_error." + symmetries[k].name, symmetries[k].name,
                   facts_.recorder.quantities().symmetry_scale(k));
    add_plot(section, std::move(errors));
    return section;
  }

  void add_relative(Plot& plot, const std::string& column, const std::string& label, double scale) const {
    add_curve(plot, column, label);
    if (plot.curves.empty() || !(scale > 0)) return;
    for (double& value : plot.curves.back().y) value /= scale;
  }

  ReportSection portrait_section() const {
    ReportSection section;
    section.title = "Phase portraits";
    for (const auto& [x, y] : portraits()) {
      Plot plot;
      plot.title = y + " against " + x;
      plot.x_label = x;
      plot.x_unit = unit(x);
      plot.y_label = y;
      plot.y_unit = unit(y);
      if (is_known(x) && is_known(y))
        plot.curves.push_back(
            {"", values(x), values(y), is_sparse(values(x), values(y)) ? Curve::Style::points : Curve::Style::line});
      add_plot(section, std::move(plot));
    }
    return section;
  }

  // As asked, or the first coordinate of a small system and its velocity.
  std::vector<std::pair<std::string, std::string>> portraits() const {
    if (!facts_.plan.portraits.empty()) {
      std::vector<std::pair<std::string, std::string>> asked;
      for (const auto& pair : facts_.plan.portraits)
        if (std::find(asked.begin(), asked.end(), pair) == asked.end()) asked.push_back(pair);
      return asked;
    }
    const auto& names = facts_.model.parts().coordinates;
    if (names.empty() || columns_.count(names[0]) == 0) return {};
    return {{names[0], names[0] + "_dot"}};
  }

  // Components of one quantity share a plot.
  ReportSection probe_section() const {
    ReportSection section;
    section.title = "Probes";
    std::map<std::string, Plot> plots;
    for (const Column& column : facts_.recorder.quantities().columns()) {
      if (column.name.rfind("probe.", 0) != 0) continue;
      const std::string name = column.name.substr(6);
      const std::size_t component = name.find('_', name.find('.'));
      const bool is_vector = column.name.find("_energy") == std::string::npos && component != std::string::npos;
      const std::string quantity = is_vector ? name.substr(0, component) : name;
      Plot& plot = plots.try_emplace(quantity, time_plot(quantity, quantity, unit(column.name))).first->second;
      plot.note = column.meaning;
      add_curve(plot, column.name, is_vector ? name.substr(component + 1) : name);
    }
    for (auto& [quantity, plot] : plots) add_plot(section, std::move(plot));
    return section;
  }

  // How far constraints are off, and how fast they change.
  ReportSection constraint_section() const {
    ReportSection section;
    section.title = "Constraints";
    for (const auto& [column, title] : {std::pair{"constraint_position", "Violation of positions"},
                                        std::pair{"constraint_velocity", "Violation of velocities"}}) {
      Plot plot = time_plot(title, "largest violation", unit(column));
      add_curve(plot, column, "largest of all constraints");
      add_plot(section, std::move(plot));
    }
    if (section.plots.empty()) return section;
    const long equations = facts_.model.constraint_count(), redundant = facts_.recorder.redundant();
    Table table;
    table.title = "Mechanism";
    table.columns = {"coordinates", "held", "equations", "redundant", "degrees of freedom"};
    table.rows = {{std::to_string(facts_.model.size()), std::to_string(facts_.model.supported_count()),
                   std::to_string(equations), std::to_string(redundant),
                   std::to_string(facts_.model.size() - facts_.model.supported_count() - equations + redundant)}};
    section.tables.push_back(std::move(table));
    return section;
  }

  ReportSection method_section() const {
    ReportSection section;
    section.title = "What ran";
    section.tables = {claims_table(), model_table(), solver_table()};
    if (Table events = events_table(); !events.rows.empty()) section.tables.push_back(std::move(events));
    return section;
  }

  Table claims_table() const {
    const Claims& claims = facts_.plan.claims;
    Table table;
    table.title = "Claims of " + facts_.plan.integrator_name();
    table.note = claims.note;
    table.columns = {"order", "symplectic", "symmetric", "linear momentum", "angular momentum", "energy"};
    table.rows = {{std::to_string(claims.order), to_string(claims.symplectic), claims.symmetric ? "yes" : "no",
                   to_string(claims.linear_momentum), to_string(claims.angular_momentum), to_string(claims.energy)}};
    return table;
  }

  // A solid has one potential per material: they are distinguished by their elements.
  static std::string name_of(const EnergyTerm& term) {
    const SolidBlock* block = term.elements();
    if (block == nullptr) return term.name();
    const SolidPart& part = block->part();
    std::set<std::string> regions;
    for (const int e : part.elements) regions.insert(part.mesh->regions[part.mesh->region[e]]);
    const bool all = static_cast<int>(part.elements.size()) == part.mesh->elements();
    return fmt::format("{}: {} elements{}", term.name(), part.elements.size(),
                       all ? "" : fmt::format(" of {}", fmt::join(regions, ", ")));
  }

  Table model_table() const {
    Table table;
    table.title = "Model";
    table.columns = {"part", "name"};
    for (const Body& body : facts_.model.bodies())
      table.rows.push_back({body.rigid           ? "rigid body"
                            : body.dimension > 0 ? fmt::format("body of {} nodes", body.nodes)
                                                 : fmt::format("system of {} coordinates", body.nodes),
                            body.name});
    for (const auto& term : facts_.model.parts().terms) table.rows.push_back({"potential", name_of(*term)});
    for (const auto& term : facts_.model.parts().lagrangians) table.rows.push_back({"Lagrangian", term->name()});
    for (const auto& force : facts_.model.parts().forces) table.rows.push_back({"force", force->name()});
    std::string last;
    for (const auto& constraint : facts_.model.parts().constraints)
      if (constraint->name() != last) table.rows.push_back({"constraint", last = constraint->name()});
    if (const auto omega = facts_.recorder.omega_max())
      table.rows.push_back(
          {"fastest oscillation at the start",
           fmt::format("{:.4g} rad/s; explicit steps up to {:.4g} s", *omega, explicit_step_limit(*omega))});
    return table;
  }

  Table solver_table() const {
    const Counters& counters = facts_.integrator.counters();
    Table table;
    table.title = "Work";
    table.columns = {"force evaluations", "Newton iterations", "most in a step",
                     "factorisations",    "line search cuts",  "largest residual"};
    table.rows = {{std::to_string(counters.evaluations), std::to_string(counters.newton),
                   std::to_string(counters.newton_max), std::to_string(counters.factorisations),
                   std::to_string(counters.line_search_cuts), fmt::format("{:.2g}", counters.residual_max)}};
    return table;
  }

  Table events_table() const {
    Table table;
    table.title = "Events of the method";
    table.columns = {"event", "times"};
    for (const auto& [name, count] : facts_.integrator.events()) {
      std::string words = name;
      std::replace(words.begin(), words.end(), '_', ' ');
      table.rows.push_back({words, std::to_string(count)});
    }
    return table;
  }

  const RunFacts& facts_;
  History history_;
  std::map<std::string, Column> columns_;
};

}  // namespace

std::string report_html(const RunFacts& facts) { return render_html(RunReport(facts).make()); }

}  // namespace livens
