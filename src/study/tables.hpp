// The tables of a study: as CSV with 17 digits, as JSON, and for the report.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "report/report.hpp"
#include "study/results.hpp"

namespace livens {

using Cell = std::variant<std::string, double>;  // nan: undefined

struct DataTable {
  struct Column {
    std::string name, label, unit;
  };
  std::string name, title, note;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
};

// The table of cases comes first, always. Then those that were asked for, or all that apply.
std::vector<DataTable> make_tables(const Results& results);

std::string to_csv(const DataTable& table);
std::string to_json(const Results& results, const std::vector<DataTable>& tables);
Table to_report(const DataTable& table);

// Four significant digits.
std::string short_number(double value);

}  // namespace livens
