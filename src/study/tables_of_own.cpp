// Tables that a study describes itself: expressions become cells, and the values of one column may become columns.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "math/expression.hpp"
#include "study/read_own_tables.hpp"
#include "study/sweep.hpp"
#include "study/table_makers.hpp"

namespace livens {
namespace {

using Cells = std::vector<Cell>;

std::string text_of(const CaseResult& r, const Variables& row, const std::string& word) {
  const Measured& m = r.measured;
  if (word == "case") return r.made->title;
  if (word == "method") return r.made->method;
  if (word == "step") return r.made->step;
  if (word == "problem") return r.made->problem;
  if (word == "status") return m.ok ? "done" : m.interrupted ? "interrupted" : "failed";
  if (word == "reason") return m.failure;
  return row.empty() ? "" : fmt::format("{:.6g} - {:.6g}", row.at("from"), row.at("to"));
}

const std::string* swept_value(const Case& made, const std::string& key) {
  for (const auto& [name, value] : made.values)
    if (name == key) return &value;
  return nullptr;
}

// The cell of a built-in table in the row of this case: the first whose method, step and problem are those of the case,
// as far as the table has them.
double built_in_value(const CaseResult& r, const DataTable& table, const std::string& column) {
  const auto place =
      std::find_if(table.columns.begin(), table.columns.end(), [&](const auto& c) { return c.name == column; });
  if (place == table.columns.end()) return undefined;
  const auto is_about = [&](const Cells& row) {
    for (std::size_t k = 0; k < row.size(); ++k) {
      const std::string& name = table.columns[k].name;
      const std::string* own = name == "method"    ? &r.made->method
                               : name == "step"    ? &r.made->step
                               : name == "problem" ? &r.made->problem
                                                   : nullptr;
      if (own != nullptr && std::get<std::string>(row[k]) != *own) return false;
    }
    return true;
  };
  const auto row = std::find_if(table.rows.begin(), table.rows.end(), is_about);
  if (row == table.rows.end()) return undefined;
  const auto* value = std::get_if<double>(&*(row->begin() + (place - table.columns.begin())));
  return value != nullptr ? *value : undefined;
}

double value_of(const CaseResult& r, const Variables& row, const std::vector<DataTable>& built_in,
                const std::string& name) {
  if (const auto found = row.find(name); found != row.end()) return found->second;
  const Variables& facts = r.measured.facts;
  if (const auto found = facts.find(name); found != facts.end()) return found->second;
  const auto [table, column] = built_in_of(name);
  for (const DataTable& t : built_in)
    if (t.name == table) return built_in_value(r, t, column);
  return undefined;
}

Cell cell_of(const Results& results, const CaseResult& r, const Variables& row, const std::vector<DataTable>& built_in,
             const OwnColumn& column) {
  const auto& texts = own_texts();
  if (std::find(texts.begin(), texts.end(), column.value) != texts.end()) return text_of(r, row, column.value);
  if (const std::string* value = swept_value(*r.made, column.value)) return *value;
  if (is_swept(*results.plan, column.value)) return std::string();  // by other cases
  const std::vector<std::string> names = variables_in({column});
  const Expression expression = Expression::parse(column.value, names, {});
  std::vector<double> values;
  for (const std::string& name : names) values.push_back(value_of(r, row, built_in, name));
  return expression.evaluate(std::span<const double>(values));
}

bool has_rows(const CaseResult& r, const OwnTable& table) {
  return std::all_of(table.only.begin(), table.only.end(), [&](const auto& entry) {
    const std::string* value = swept_value(*r.made, entry.first);
    return value == nullptr || std::find(entry.second.begin(), entry.second.end(), *value) != entry.second.end();
  });
}

std::string header_of(const Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  return text != nullptr ? *text : fmt::format("{:.6g}", std::get<double>(cell));
}

// Columns before `across` stay, and rows that have them in common become one; those behind it are repeated for each of
// its values.
class Pivot {
 public:
  Pivot(const DataTable& table, const std::string& across) : table_(table) {
    const auto is_across = [&](const auto& column) { return column.name == across; };
    const auto& columns = table.columns;
    over_ = static_cast<std::size_t>(std::find_if(columns.begin(), columns.end(), is_across) - columns.begin());
  }

  DataTable run() {
    const auto& columns = table_.columns;
    DataTable result{table_.name, table_.title, table_.note, {columns.begin(), columns.begin() + before()}, {}};
    for (const Cells& row : table_.rows) add(row, result);
    for (Cells& row : result.rows) row.resize(result.columns.size(), undefined);
    return result;
  }

 private:
  std::ptrdiff_t before() const { return static_cast<std::ptrdiff_t>(over_); }

  static std::size_t index_of(std::vector<std::string>& list, const std::string& text) {
    const auto found = std::find(list.begin(), list.end(), text);
    const auto index = static_cast<std::size_t>(found - list.begin());
    if (found == list.end()) list.push_back(text);
    return index;
  }

  void add(const Cells& row, DataTable& result) {
    const std::size_t repeated = row.size() - over_ - 1, heads = heads_.size();
    std::string key;
    for (std::size_t k = 0; k < over_; ++k) key += header_of(row[k]) + "\n";
    const std::string head = header_of(row[over_]);
    const std::size_t column = index_of(heads_, head), line = index_of(keys_, key);
    for (std::size_t k = over_ + 1; column == heads && k < row.size(); ++k) {
      const std::string name = repeated == 1 ? head : table_.columns[k].name + ", " + head;
      result.columns.push_back({name, name, ""});
    }
    if (line == result.rows.size()) result.rows.emplace_back(row.begin(), row.begin() + before());
    Cells& target = result.rows[line];
    const std::size_t first = over_ + column * repeated;
    target.resize(std::max(target.size(), first + repeated), undefined);
    for (std::size_t k = 0; k < repeated; ++k) target[first + k] = row[over_ + 1 + k];
  }

  const DataTable& table_;
  std::size_t over_ = 0;
  std::vector<std::string> heads_, keys_;
};

}  // namespace

DataTable own_table(const Results& results, std::size_t k, const std::vector<DataTable>& built_in) {
  const OwnTable& own = results.plan->own[k];
  DataTable table{own.name, own.title, "", {}, {}};
  for (const OwnColumn& column : own.columns) table.columns.push_back({column.name, column.name, ""});
  for (const CaseResult& r : results.cases) {
    if (!has_rows(r, own)) continue;
    const OwnRows nothing(own.rows == OwnTable::Rows::cases ? 1 : 0);
    for (const Variables& row : r.measured.own.empty() ? nothing : r.measured.own[k]) {
      table.rows.emplace_back();
      for (const OwnColumn& column : own.columns)
        table.rows.back().push_back(cell_of(results, r, row, built_in, column));
    }
  }
  return own.across.empty() ? table : Pivot(table, own.across).run();
}

}  // namespace livens
