// What the tables of a study share, and those with a file of their own.
#pragma once

#include "study/tables.hpp"

namespace livens {

using TableColumns = std::vector<DataTable::Column>;

bool has_problems(const Results& results);
// Columns that say which case a row is about, then `columns`.
DataTable table_of_cases(const Results& results, std::string name, std::string title, TableColumns columns);
std::vector<Cell> row_of(const Results& results, const Case& made, std::vector<Cell> cells);

// Values at the end, and how they converge.
DataTable probes_table(const Results& results);
bool any_final_quantity(const Results& results);
DataTable convergence_table(const Results& results);
bool any_convergence(const Results& results);

// Fields at the end against those of a run on a finer mesh, and how fast they converge.
DataTable field_error_table(const Results& results);
DataTable field_rate_table(const Results& results);

// How much the energy over time depends on the step.
DataTable energy_curve_table(const Results& results);
bool any_curves(const Results& results);

// The tables that the study describes itself; `built_in` has those whose values they contain.
DataTable own_table(const Results& results, std::size_t k, const std::vector<DataTable>& built_in);
// The built-in tables without rows.
std::vector<DataTable> empty_tables(const StudyPlan& plan);

}  // namespace livens
