// Tables of what cases end with: probes, energies of equilibria, and how they converge under refinement; and of how
// much the curve of the energy depends on the step.
#include <algorithm>
#include <cmath>

#include "study/convergence.hpp"
#include "study/table_makers.hpp"

namespace livens {
namespace {

std::string plain_unit(const std::string& unit) { return unit == "-" || unit == "any" ? "" : unit; }

std::vector<double> values_of(const Refinement& refinement, const std::string& quantity) {
  std::vector<double> values;
  for (const CaseResult* r : refinement.cases) values.push_back(final_value(*r, quantity));
  return values;
}

struct CurveDifference {
  double largest = 0, of_curve = 0, t = 0;  // J, over the energy of the other curve there, s
};

// Between the energy of a case and another curve, at every time of the case.
CurveDifference difference_of(const EnergyCurve& curve, const EnergyCurve& other) {
  CurveDifference result;
  for (std::size_t k = 0; k < curve.t.size(); ++k) {
    const double there = other.at(curve.t[k]), difference = std::abs(curve.energy[k] - there);
    if (!(difference > 0)) continue;
    result.of_curve = std::max(result.of_curve, difference / std::abs(there));
    if (difference > result.largest) result.largest = difference, result.t = curve.t[k];
  }
  return result;
}

// The case with the shortest step, if there are several.
const CaseResult* finest_of(const Family& family) {
  if (family.cases.size() < 2 || !(family.cases.back()->made->h > 0)) return nullptr;
  return family.cases.back()->made->h < family.cases.front()->made->h ? family.cases.back() : nullptr;
}

}  // namespace

bool any_final_quantity(const Results& results) { return !final_quantities(results).empty(); }

DataTable probes_table(const Results& results) {
  const bool motion = any_motion(results);
  TableColumns columns = {{"quantity", "quantity", ""}, {"unit", "unit", ""}, {"last", "at the end", ""}};
  if (motion) columns.insert(columns.end(), {{"min", "smallest", ""}, {"max", "largest", ""}});
  DataTable table = table_of_cases(results, "probes", "Probes", columns);
  table.note = motion ? "Smallest and largest at the sampled times." : "In equilibrium under the whole load.";
  for (const CaseResult& r : results.cases) {
    if (!r.measured.ok) continue;
    if (r.measured.equilibria)
      table.rows.push_back(
          row_of(results, *r.made, {std::string("energy"), std::string("J"), r.measured.energy.last()}));
    for (const auto& [column, series] : r.measured.probes) {
      std::vector<Cell> cells = {column.name, plain_unit(column.unit), series.count() > 0 ? series.last() : undefined};
      if (motion) cells.insert(cells.end(), {series.min(), series.max()});
      table.rows.push_back(row_of(results, *r.made, cells));
    }
  }
  return table;
}

bool any_convergence(const Results& results) { return any_final_quantity(results) && !refinements(results).empty(); }

DataTable convergence_table(const Results& results) {
  DataTable table{
      "convergence",
      "Convergence",
      "Values at the end of the two finest cases of each sweep that refines a mesh or a step. Order and limit: "
      "value = limit + C size^order through the three finest, with the size (elements)^(-1/dimension) or "
      "the step; empty where the values do not approach one.",
      {{"refined", "refined", ""},
       {"constant", "at", ""},
       {"quantity", "quantity", ""},
       {"unit", "unit", ""},
       {"before", "finest but one", ""},
       {"finest", "finest", ""},
       {"change", "change", "%"},
       {"order", "order", ""},
       {"limit", "limit", ""},
       {"error", "finest from the limit", "%"}},
      {}};
  for (const Refinement& refinement : refinements(results))
    for (const Column& column : final_quantities(results)) {
      const std::vector<double> values = values_of(refinement, column.name);
      const std::size_t n = values.size();
      const Extrapolation found = extrapolated(refinement.sizes, values);
      table.rows.push_back({refinement.key, refinement.constant, column.name, plain_unit(column.unit), values[n - 2],
                            values[n - 1], 100 * (values[n - 1] / values[n - 2] - 1), found.order, found.limit,
                            100 * (values[n - 1] / found.limit - 1)});
    }
  return table;
}

// Without the step as written: it may be a long expression, and the shortest one stands beside it.
DataTable field_error_table(const Results& results) {
  DataTable table{"field_error",
                  "Errors of fields",
                  "At the end, against the reference on its own mesh: L2 norms of the differences of displacement u, "
                  "velocity v and deformation gradient F over those of u, v and F - 1. Times on one core.",
                  {{"method", "method", ""},
                   {"elements", "elements", ""},
                   {"step_min", "shortest step", "s"},
                   {"updates", "element updates", ""},
                   {"processor_time", "processor time", "s"},
                   {"displacement", "u", ""},
                   {"velocity", "v", ""},
                   {"gradient", "F", ""}},
                  {}};
  if (has_problems(results)) table.columns.insert(table.columns.begin(), {"problem", "problem", ""});
  for (const CaseResult& r : results.cases) {
    if (!r.measured.ok) continue;
    std::vector<Cell> row = {r.made->method,
                             static_cast<double>(r.measured.elements),
                             r.measured.counters.step_min,
                             r.measured.updates,
                             r.measured.processor_time,
                             r.fields.displacement,
                             r.fields.velocity,
                             r.fields.gradient};
    if (has_problems(results)) row.insert(row.begin(), r.made->problem);
    table.rows.push_back(std::move(row));
  }
  return table;
}

DataTable field_rate_table(const Results& results) {
  DataTable table{"field_rate",
                  "Rates of convergence of fields",
                  "Fitted to the errors of fields over (elements)^(-1/dimension), on three meshes at least.",
                  {{"method", "method", ""},
                   {"meshes", "meshes", ""},
                   {"displacement", "of u", ""},
                   {"velocity", "of v", ""},
                   {"gradient", "of F", ""}},
                  {}};
  for (const Refinement& refinement : refinements(results))
    if (refinement.of_mesh)
      table.rows.push_back({name_of(refinement), static_cast<double>(refinement.cases.size()),
                            field_rate(refinement, &FieldErrors::displacement),
                            field_rate(refinement, &FieldErrors::velocity),
                            field_rate(refinement, &FieldErrors::gradient)});
  return table;
}

bool any_curves(const Results& results) {
  const auto all = families(results);
  return any_motion(results) && any_forced(results) &&
         std::any_of(all.begin(), all.end(), [](const Family& family) { return finest_of(family) != nullptr; });
}

DataTable energy_curve_table(const Results& results) {
  DataTable table = table_of_cases(results, "energy_curve", "Energy curve at other steps",
                                   {{"difference", "largest difference", "J"},
                                    {"of_start", "over the energy at the start", "%"},
                                    {"of_curve", "over the energy there, at most", "%"},
                                    {"t", "largest at", "s"}});
  table.note =
      "Largest difference between the energy of a case and that of the shortest step of the same method, at the end of "
      "every step (of long runs at 5000 times); between its steps the latter is interpolated by cubics.";
  for (const Family& family : families(results)) {
    const CaseResult* finest = finest_of(family);
    if (finest == nullptr) continue;
    for (const CaseResult* r : family.cases) {
      if (r == finest || !(r->made->h > 0)) continue;
      const CurveDifference d = difference_of(r->measured.curve, finest->measured.curve);
      table.rows.push_back(
          row_of(results, *r->made,
                 {d.largest, 100 * d.largest / std::abs(r->measured.energy.first()), 100 * d.of_curve, d.t}));
    }
  }
  return table;
}

}  // namespace livens
