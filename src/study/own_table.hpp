// Tables that a study file describes itself, [[table]]: what their rows are, and an expression for every column.
//
// A row is about a stretch of a run: the whole of it, a window, or an instant. Expressions name
//   QUANTITY_STATISTIC   a column of history.csv or one of the table's own `quantities` over that stretch
//   QUANTITY_start, _end the same at the start and at the end of the run
//   QUANTITY             at an instant
//   from, to             the stretch, s
//   facts                counters, sizes, parameters and swept numbers of the case
//   TABLE_COLUMN         the value that a built-in table has for the case, such as order_order_q
// where dots in names of columns are underscores.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <livens/scene.hpp>

namespace livens {

struct OwnColumn {
  std::string name;
  std::string value;  // an expression, or what one of own_texts() or a swept key stands for
  Place place;
};

struct OwnTable {
  enum class Rows { cases, times, windows };

  std::string name, title;
  Rows rows = Rows::cases;
  std::vector<double> times;  // s
  double window = 0;          // s
  std::string across;         // name of a column whose values become columns
  std::vector<OwnColumn> quantities, columns;
  std::map<std::string, std::vector<std::string>> only;  // by swept key: values that have rows

  // Names that the expressions of its columns contain, without functions and constants.
  std::vector<std::string> names_of_columns() const;
};

using Variables = std::map<std::string, double, std::less<>>;

// What one case gives to one table: the variables of each of its rows.
using OwnRows = std::vector<Variables>;

}  // namespace livens
