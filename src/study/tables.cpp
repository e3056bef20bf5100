#include "study/tables.hpp"

#include <algorithm>
#include <cmath>

#include "study/table_makers.hpp"
#include "study/write_tables.hpp"

namespace livens {
namespace {

using Row = std::vector<Cell>;

template <class Cells>
void add_rows(DataTable& table, const Results& results, const Cells& cells) {
  for (const CaseResult& result : results.cases)
    if (result.measured.ok) table.rows.push_back(row_of(results, *result.made, cells(result)));
}

double count(long n) { return static_cast<double>(n); }

DataTable cases_table(const Results& results) {
  DataTable table = table_of_cases(results, "cases", "Cases",
                                   {{"status", "status", ""},
                                    {"t_reached", "reached", "s"},
                                    {"steps", "steps", ""},
                                    {"evaluations", "force evaluations", ""},
                                    {"newton", "Newton iterations", ""},
                                    {"reason", "reason", ""}});
  for (const CaseResult& result : results.cases) {
    const Measured& m = result.measured;
    const std::string status = m.ok ? "done" : m.interrupted ? "interrupted" : "failed";
    table.rows.push_back(row_of(results, *result.made,
                                {status, m.t_reached, count(m.counters.steps), count(m.counters.evaluations),
                                 count(m.counters.newton), m.failure}));
  }
  return table;
}

std::string reference_note(const Results& results) {
  double own = 0;
  for (const GroupResult& group : results.groups)
    if (group.reference && !group.reference->exact) own = std::max(own, group.reference->own_error_q);
  if (own == 0) return "Largest differences from the exact solution over the sampled times, and at the end.";
  return "Largest differences from the reference over the sampled times, and at the end. Halving the step of the "
         "reference changes its q by " +
         short_number(own) + " at most.";
}

DataTable error_table(const Results& results) {
  DataTable table = table_of_cases(results, "error", "Error",
                                   {{"q_max", "q, largest", ""},
                                    {"q_final", "q, at the end", ""},
                                    {"v_max", "v, largest", ""},
                                    {"v_final", "v, at the end", ""},
                                    {"p_max", "p, largest", ""},
                                    {"p_final", "p, at the end", ""}});
  table.note = reference_note(results);
  add_rows(table, results, [](const CaseResult& r) -> std::vector<Cell> {
    const Errors& e = r.errors;
    return {e.q, e.q_final, e.v, e.v_final, e.p, e.p_final};
  });
  return table;
}

DataTable order_table(const Results& results) {
  DataTable table{"order",
                  "Order",
                  "Fitted to the largest errors over those steps at which they are below a tenth of the motion and 100 "
                  "times above the error of the reference. Empty with fewer than three such steps.",
                  {{"method", "method", ""},
                   {"order_q", "of q", ""},
                   {"points_q", "steps", ""},
                   {"order_v", "of v", ""},
                   {"points_v", "steps", ""}},
                  {}};
  if (has_problems(results)) table.columns.insert(table.columns.begin(), {"problem", "problem", ""});
  for (const Family& family : families(results)) {
    const OrderFit q = fit_order(results, family, &Errors::q), v = fit_order(results, family, &Errors::v);
    Row row = {family.method, q.order, static_cast<double>(q.points), v.order, static_cast<double>(v.points)};
    if (has_problems(results)) row.insert(row.begin(), results.groups[family.group].problem);
    table.rows.push_back(std::move(row));
  }
  return table;
}

DataTable energy_band_table(const Results& results) {
  DataTable table = table_of_cases(results, "energy_band", "Energy band",
                                   {{"start", "energy at the start", "J"},
                                    {"min", "lowest error", "J"},
                                    {"max", "highest error", "J"},
                                    {"band", "band", "J"},
                                    {"last", "error at the end", "J"}});
  table.note = "Error: energy + dissipated - work - energy at the start, the method's own.";
  add_rows(table, results, [](const CaseResult& r) -> std::vector<Cell> {
    const Series& e = r.measured.energy_error;
    return {r.measured.energy.first(), e.min(), e.max(), e.max() - e.min(), e.last()};
  });
  return table;
}

DataTable energy_slope_table(const Results& results) {
  DataTable table = table_of_cases(results, "energy_slope", "Late slope of the energy error",
                                   {{"slope", "slope", "J/s"}, {"slope_error", "its error", "J/s"}});
  table.note = "By least squares over the last half of each run. A slope within three times its error counts as zero.";
  add_rows(table, results, [](const CaseResult& r) -> std::vector<Cell> {
    const Trend trend = r.measured.energy_error.late_trend();
    return {trend.slope, trend.slope_error};
  });
  return table;
}

DataTable damping_table(const Results& results) {
  DataTable table = table_of_cases(results, "damping_rate", "Damping rate",
                                   {{"rate", "rate", "1/s"},
                                    {"reference", "of the reference", "1/s"},
                                    {"deviation", "deviation", "%"},
                                    {"energy_rate", "by the energy", "1/s"},
                                    {"energy_reference", "of the reference", "1/s"},
                                    {"energy_deviation", "deviation", "%"}});
  table.note =
      "Rate g of an amplitude that falls as exp(-g t): by its turning points, where there is one coordinate, and by "
      "the energy.";
  add_rows(table, results, [&](const CaseResult& r) -> std::vector<Cell> {
    const auto& reference = results.group(r).reference;
    const bool known = reference && reference->ok && !reference->exact;
    const double rate = known ? reference->measured.decrement_rate : undefined;
    const double energy_rate = known ? reference->measured.energy_rate : undefined;
    return {r.measured.decrement_rate, rate,        100 * (r.measured.decrement_rate / rate - 1),
            r.measured.energy_rate,    energy_rate, 100 * (r.measured.energy_rate / energy_rate - 1)};
  });
  return table;
}

std::string heat_note(const Results& results) {
  std::string note =
      "Kinetic energy averaged over the run. True: of a harmonic model the limit for an infinite run, from its modes, "
      "and the limit error the difference of even the exact motion of this length from it; of others the heat of the "
      "reference.";
  for (const GroupResult& group : results.groups)
    if (!group.modes && group.reference && group.reference->ok && !group.reference->exact)
      note += " Halving the step of the reference changes its heat by " +
              short_number(group.reference->own_error_heat) + " J.";
  return note;
}

DataTable heat_table(const Results& results) {
  DataTable table = table_of_cases(results, "heat", "Heat",
                                   {{"evaluations", "force evaluations", ""},
                                    {"heat", "heat", "J"},
                                    {"true_heat", "true", "J"},
                                    {"error", "error", "J"},
                                    {"relative_error", "error / true", ""},
                                    {"limit_error", "limit error / true", ""}});
  table.note = heat_note(results);
  add_rows(table, results, [&](const CaseResult& r) -> std::vector<Cell> {
    const double truth = true_heat(results, r);
    const auto& modes = results.group(r).modes;
    const double limit = modes ? modes->heat(r.measured.t_reached - r.measured.t_begin) / truth - 1 : undefined;
    return {count(r.measured.counters.evaluations),
            r.measured.heat,
            truth,
            r.measured.heat - truth,
            r.measured.heat / truth - 1,
            limit};
  });
  return table;
}

DataTable modified_energy_table(const Results& results) {
  DataTable table = table_of_cases(results, "modified_energy", "Modified energy",
                                   {{"band", "band of the energy", "J"},
                                    {"modified_band", "band of the modified energy", "J"},
                                    {"ratio", "ratio", ""}});
  table.note = "Only methods whose modified energy is known.";
  for (const CaseResult& r : results.cases) {
    const Series &e = r.measured.energy, &m = r.measured.modified_energy;
    if (!r.measured.ok || m.count() == 0) continue;
    const double band = e.max() - e.min(), modified = m.max() - m.min();
    table.rows.push_back(row_of(results, *r.made, {band, modified, modified / band}));
  }
  return table;
}

DataTable area_table(const Results& results) {
  DataTable table = table_of_cases(results, "area", "Area of a patch of phase space",
                                   {{"start", "at the start", "J s"},
                                    {"end", "at the end", "J s"},
                                    {"ratio", "end / start", ""},
                                    {"drift", "largest change / start", ""}});
  table.note = "A disc of points around the start, each advanced on its own.";
  for (const CaseResult& r : results.cases) {
    if (!r.patch.ok) continue;
    double drift = 0;
    for (const double area : r.patch.area) drift = std::max(drift, std::abs(area / r.patch.area[0] - 1));
    table.rows.push_back(
        row_of(results, *r.made,
               {r.patch.area.front(), r.patch.area.back(), r.patch.area.back() / r.patch.area.front(), drift}));
  }
  return table;
}

DataTable timing_table(const Results& results) {
  DataTable table =
      table_of_cases(results, "timing", "Time", {{"wall_time", "time", "s"}, {"per_step", "a step", "us"}});
  table.note = "On one core, without sampling the run; other cases ran on the other cores.";
  add_rows(table, results, [](const CaseResult& r) -> std::vector<Cell> {
    return {r.measured.wall_time, 1e6 * r.measured.wall_time / count(std::max(1L, r.measured.counters.steps))};
  });
  return table;
}

struct TableMaker {
  std::string name;
  DataTable (*make)(const Results&);
  bool (*applies)(const Results&);
};

const std::vector<TableMaker>& table_makers() {
  static const auto always = [](const Results&) { return true; };
  static const auto on_demand = [](const Results&) { return false; };
  static const std::vector<TableMaker> all = {{"error", error_table, any_reference},
                                              {"order", order_table, any_reference},
                                              {"probes", probes_table, any_final_quantity},
                                              {"convergence", convergence_table, any_convergence},
                                              {"field_error", field_error_table, any_fields},
                                              {"field_rate", field_rate_table, any_fields},
                                              {"energy_curve", energy_curve_table, any_curves},
                                              {"energy_band", energy_band_table, any_motion},
                                              {"energy_slope", energy_slope_table, any_motion},
                                              {"damping_rate", damping_table, any_forced},
                                              {"heat", heat_table, any_modes},
                                              {"modified_energy", modified_energy_table, any_modified_energy},
                                              {"area", area_table, on_demand},
                                              {"timing", timing_table, always}};
  return all;
}

}  // namespace

bool has_problems(const Results& results) {
  return std::any_of(results.groups.begin(), results.groups.end(),
                     [](const GroupResult& g) { return !g.problem.empty(); });
}

DataTable table_of_cases(const Results& results, std::string name, std::string title, TableColumns columns) {
  DataTable table{std::move(name), std::move(title), "", {{"method", "method", ""}, {"step", "step", "s"}}, {}};
  if (has_problems(results)) table.columns.insert(table.columns.begin(), {"problem", "problem", ""});
  table.columns.insert(table.columns.end(), columns.begin(), columns.end());
  return table;
}

std::vector<Cell> row_of(const Results& results, const Case& made, std::vector<Cell> cells) {
  Row row = {made.method, made.step};
  if (has_problems(results)) row.insert(row.begin(), made.problem);
  row.insert(row.end(), cells.begin(), cells.end());
  return row;
}

const std::vector<std::string>& study_tables() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const TableMaker& maker : table_makers()) list.push_back(maker.name);
    return list;
  }();
  return names;
}

std::vector<DataTable> empty_tables(const StudyPlan& plan) {
  Results nothing;
  nothing.plan = &plan;
  std::vector<DataTable> tables;
  for (const TableMaker& maker : table_makers()) tables.push_back(maker.make(nothing));
  return tables;
}

std::vector<DataTable> make_tables(const Results& results) {
  std::vector<DataTable> tables = {cases_table(results)};
  const auto& wanted = results.plan->tables;
  for (const TableMaker& maker : table_makers()) {
    const bool asked = wanted && std::find(wanted->begin(), wanted->end(), maker.name) != wanted->end();
    if (wanted ? asked : maker.applies(results)) tables.push_back(maker.make(results));
  }
  const auto& used = results.plan->tables_used;
  std::vector<DataTable> built_in;
  for (const TableMaker& maker : table_makers())
    if (std::find(used.begin(), used.end(), maker.name) != used.end()) built_in.push_back(maker.make(results));
  for (std::size_t k = 0; k < results.plan->own.size(); ++k) tables.push_back(own_table(results, k, built_in));
  return tables;
}

}  // namespace livens
