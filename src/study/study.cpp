#include "study/study.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include <livens/run.hpp>
#include <livens/version.hpp>

#include "files/files.hpp"
#include "report/report.hpp"
#include "study/plots.hpp"
#include "study/pool.hpp"
#include "study/tables.hpp"

namespace livens {
namespace {

std::size_t count_ok(const Results& results) {
  return static_cast<std::size_t>(
      std::count_if(results.cases.begin(), results.cases.end(), [](const auto& r) { return r.measured.ok; }));
}

// "runs 5 of 36 cases failed: ..." and what the references say of themselves.
std::vector<std::string> warnings_of(const Results& results) {
  std::vector<std::string> warnings = results.plan->notes;
  for (const CaseResult& r : results.cases)
    if (!r.measured.ok) warnings.push_back(r.made->label() + ": " + r.measured.failure);
  for (const GroupResult& group : results.groups)
    if (group.reference && !group.reference->ok)
      warnings.push_back("reference" + (group.problem.empty() ? "" : " of " + group.problem) + ": " +
                         group.reference->failure);
  for (const CaseResult& r : results.cases)
    if (!r.field_note.empty()) warnings.push_back(r.made->label() + ": " + r.field_note);
  std::set<const FieldReference*> told;
  for (const GroupResult& group : results.groups)
    if (group.fields && !group.fields->ok && told.insert(group.fields.get()).second)
      warnings.push_back("reference: " + group.fields->failure);
  return warnings;
}

constexpr double diverged = 0.1;  // of q, in its own unit: a chaotic motion, no error of a method

// "stormer_verlet, 90112 elements, checked at half its step: u known to 1e-6 of itself"
std::string field_reference_fact(const FieldReference& reference, const StudyPlan& plan) {
  const std::string method =
      plan.reference_integrator ? plan.reference_integrator->find("kind")->text + ", " : std::string();
  std::string text = fmt::format("{}{} elements", method, reference.measured.elements);
  if (std::isfinite(reference.own.displacement))
    text += fmt::format("; halving its step changes u by {} of itself, F by {}",
                        short_number(reference.own.displacement), short_number(reference.own.gradient));
  return text;
}

std::string reference_fact(const Results& results) {
  const StudyPlan& plan = *results.plan;
  if (any_fields(results)) return field_reference_fact(*results.groups.front().fields, plan);
  if (!plan.exact.empty()) return "exact solution";
  const bool harmonic = std::any_of(results.groups.begin(), results.groups.end(),
                                    [](const GroupResult& g) { return g.modes.has_value(); });
  if (!plan.reference_integrator) return harmonic ? "heat from the normal modes" : "none";
  double own = 0;
  for (const GroupResult& group : results.groups)
    if (group.reference) own = std::max(own, group.reference->own_error_q);
  const std::string& kind = plan.reference_integrator->find("kind")->text;
  if (!(own < diverged)) return kind + ", but it differs at half its step: only averages can be compared";
  return fmt::format("{}, checked at half its step: q known to {}", kind, short_number(own));
}

Report make_report(const Results& results, const std::vector<DataTable>& tables, const std::vector<PlotGroup>& plots) {
  Report report;
  report.title = results.plan->title;
  report.subtitle = fmt::format("Study {}: {} cases", results.plan->name, results.cases.size());
  report.warnings = warnings_of(results);
  report.facts = {{"Cases", fmt::format("{} of {} ran to the end", count_ok(results), results.cases.size())},
                  {"Reference", reference_fact(results)}};
  for (const PlotGroup& group : plots) report.sections.push_back({group.title, "", {}, {}, group.plots});
  for (std::size_t k = 1; k < tables.size(); ++k)
    report.sections.push_back({tables[k].title, "", {}, {to_report(tables[k])}, {}});
  for (ReportSection& section : report.sections)
    for (Table& table : section.tables) table.title.clear();
  report.sections.push_back({"Cases", "", {}, {to_report(tables[0])}, {}});
  report.sections.back().tables[0].title.clear();
  report.footer =
      fmt::format("Livens {}. The tables are next to this page as CSV, and together in study.json.", version());
  return report;
}

void write_figures(const std::filesystem::path& directory, const std::string& name,
                   const std::vector<PlotGroup>& plots) {
  std::filesystem::create_directories(directory);
  for (const PlotGroup& group : plots)
    for (std::size_t k = 0; k < group.plots.size(); ++k) {
      const std::string number = group.plots.size() > 1 ? fmt::format("_{}", k + 1) : "";
      write_file(directory / fmt::format("{}_{}{}.svg", name, group.name, number),
                 render_svg(group.plots[k], 720, 480));
    }
}

// The runs are written after the study: their files are not what it measures.
void keep_runs(const StudyPlan& plan, const StudyOptions& options, const std::filesystem::path& directory) {
  run_jobs(plan.cases.size(), options.threads, [&](std::size_t k) {
    RunOptions run_options;
    run_options.out = (directory / "runs" / fmt::format("case-{:03}", k + 1)).string();
    run_options.interrupted = options.interrupted;
    try {
      run(plan.cases[k].scene, run_options);
    } catch (const SceneError&) {
      return;  // refused; the row says so
    }
  });
}

bool holds_study(const std::filesystem::path& directory) {
  return std::filesystem::exists(directory / "study.json") &&
         file_content(directory / "study.json").find("\"livens.study/") != std::string::npos;
}

// A directory that the user asked for may hold an earlier study, which is replaced; what else is in it stays.
void clear_study(const std::filesystem::path& directory, const StudyPlan& plan) {
  std::vector<std::string> names = {"cases.csv", "study.json", "study.toml", "scene.toml", "report.html"};
  for (const std::string& table : study_tables()) names.push_back(table + ".csv");
  for (const OwnTable& table : plan.own) names.push_back(table.name + ".csv");
  remove_files(directory, names);
  std::error_code ignored;
  std::vector<std::filesystem::path> cases;
  for (const auto& entry : std::filesystem::directory_iterator(directory / "runs", ignored))
    if (entry.path().filename().string().starts_with("case-")) cases.push_back(entry.path());
  for (const std::filesystem::path& path : cases) remove_run(path);
  if (std::filesystem::is_empty(directory / "runs", ignored)) std::filesystem::remove(directory / "runs", ignored);
}

RunDirectory make_directory(const StudyPlan& plan, const StudyOptions& options) {
  if (options.out.empty()) return RunDirectory::create(plan.name);
  const bool replaces = holds_study(options.out);
  RunDirectory directory = RunDirectory::create_at(options.out, replaces);
  if (replaces) clear_study(options.out, plan);
  return directory;
}

StudyResult result_of(const Results& results, const std::filesystem::path& directory) {
  StudyResult result;
  result.directory = directory.string();
  const std::size_t ok = count_ok(results);
  const bool interrupted =
      std::any_of(results.cases.begin(), results.cases.end(), [](const auto& r) { return r.measured.interrupted; });
  result.exit_code = interrupted ? 130 : ok == 0 ? 3 : 0;
  for (const std::string& warning : warnings_of(results)) result.lines.push_back("note      " + warning);
  const char* word = interrupted ? "stopped" : ok == 0 ? "failed" : "done";
  result.lines.push_back(fmt::format("{:<9} {}: {} of {} cases ran to the end. See {}", word, result.directory, ok,
                                     results.cases.size(), (directory / "report.html").string()));
  return result;
}

}  // namespace

StudyResult run_study(const Study& study, const StudyOptions& options) {
  const StudyPlan plan = plan_study(study);
  const RunDirectory directory = make_directory(plan, options);
  write_file(directory.file("study.toml"), study.file.to_toml());
  write_file(directory.file("scene.toml"), study.scene.to_toml());
  const Results results = measure_all(plan, options);
  const auto tables = make_tables(results);
  const auto plots = make_plots(results);
  for (const DataTable& table : tables) write_file(directory.file(table.name + ".csv"), to_csv(table));
  write_file(directory.file("study.json"), to_json(results, tables));
  write_file(directory.file("report.html"), render_html(make_report(results, tables, plots)));
  if (!options.figures.empty()) write_figures(options.figures, plan.name, plots);
  if (options.keep_runs) keep_runs(plan, options, directory.path());
  return result_of(results, directory.path());
}

}  // namespace livens
