#include "study/read_own_tables.hpp"

#include <algorithm>
#include <set>

#include "math/expression.hpp"
#include "records/suggest.hpp"
#include "records/values.hpp"
#include "scene/schema.hpp"
#include "study/sweep.hpp"
#include "study/table_look.hpp"
#include "study/table_makers.hpp"

namespace livens {
namespace {

using Faults = std::vector<SceneFault>;

bool contains(const std::vector<std::string>& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

bool is_word(const std::string& name) {
  const auto& words = expression_words();
  return std::any_of(words.begin(), words.end(), [&](const ExpressionWord& word) { return word.name == name; });
}

std::vector<OwnColumn> read_columns(const Settings& settings, const std::string& key, Faults& faults) {
  std::vector<OwnColumn> columns;
  if (!settings.given(key)) return columns;
  for (const auto& [name, node] : settings.node(key).entries) {
    if (node.kind == Node::Kind::text)
      columns.push_back({name, node.text, node.place});
    else
      faults.push_back(
          {node.place, settings.path + "." + key + "." + name,
           "expected an expression in quotes, such as \"energy_error_largest\", found " + found(node) + "."});
  }
  return columns;
}

std::map<std::string, std::vector<std::string>> read_only(const Settings& settings, Faults& faults) {
  std::map<std::string, std::vector<std::string>> only;
  if (!settings.given("only")) return only;
  for (const auto& [key, node] : settings.node("only").entries) {
    if (node.kind != Node::Kind::array)
      faults.push_back(
          {node.place, settings.path + ".only",
           "expected { \"integrator.step\" = [values as the sweep has them] }, found " + found(node) + "."});
    for (const Node& item : node.items) only[key].push_back(written(item));
  }
  return only;
}

OwnTable read_table(const Entry& entry, Faults& faults) {
  const Settings& settings = entry.settings;
  OwnTable table;
  table.name = entry.name;
  table.title = settings.has("title") ? settings.text("title") : entry.name;
  if (settings.has("across")) table.across = settings.text("across");
  if (settings.given("times")) {
    table.rows = OwnTable::Rows::times;
    table.times = settings.vector("times");
  }
  if (settings.given("window")) {
    if (table.rows == OwnTable::Rows::times)
      faults.push_back(settings.fault("window", "cannot be combined with times: rows are either instants or windows."));
    table.rows = OwnTable::Rows::windows;
    table.window = settings.number("window");
  }
  table.columns = read_columns(settings, "columns", faults);
  table.quantities = read_columns(settings, "quantities", faults);
  table.only = read_only(settings, faults);
  if (table.name == "cases" || contains(study_tables(), table.name))
    faults.push_back(settings.fault("name", "'" + table.name + "' is the name of a table that every study can have."));
  const auto is_across = [&](const OwnColumn& column) { return column.name == table.across; };
  if (!table.across.empty() && std::none_of(table.columns.begin(), table.columns.end(), is_across))
    faults.push_back(settings.fault("across", "there is no column '" + table.across + "' in this table."));
  return table;
}

// What the names of one table may be, for a case whose model has these quantities.
std::set<std::string> known_names(const StudyPlan& plan, const OwnTable& table, const Case& made) {
  std::set<std::string> known = {"from", "to"};
  known.insert(fact_names().begin(), fact_names().end());
  const Variables given = given_numbers(made);
  for (const auto& [name, value] : given) known.insert(name);
  for (const DataTable& built_in : empty_tables(plan))
    for (const DataTable::Column& column : built_in.columns) known.insert(built_in.name + "_" + column.name);
  const Setup setup = make_setup(made.scene);
  OwnTable plain = table;
  plain.quantities.clear();
  for (const auto& name : TableLook(setup, {plain}, given).names(table)) known.insert(name);
  for (const auto& [name, count] : setup.integrator->events()) known.insert(event_fact(name));
  return known;
}

void check_expressions(const OwnTable& table, const std::string& key, const std::vector<OwnColumn>& columns,
                       const std::vector<std::string>& names, Faults& faults) {
  for (const OwnColumn& column : columns) try {
      if (!contains(own_texts(), column.value)) Expression::parse(column.value, names, {});
    } catch (const ExpressionError& error) {
      faults.push_back({column.place, "table." + table.name + "." + key + "." + column.name, error.in(column.value)});
    }
}

}  // namespace

std::vector<std::string> variables_in(const std::vector<OwnColumn>& columns) {
  std::vector<std::string> names;
  for (const OwnColumn& column : columns)
    for (const std::string& name : identifiers(column.value))
      if (!is_word(name) && !contains(names, name)) names.push_back(name);
  return names;
}

std::vector<std::string> OwnTable::names_of_columns() const { return variables_in(columns); }

const std::vector<std::string>& own_texts() {
  static const std::vector<std::string> words = {"case", "method", "step", "problem", "status", "reason", "window"};
  return words;
}

std::vector<OwnTable> read_own_tables(const Study& study, Faults& faults) {
  Faults ignored;
  std::vector<OwnTable> tables;
  const ValidatedScene valid = validate_study(study.file, ignored);
  for (const Entry* entry : valid.all("table")) tables.push_back(read_table(*entry, faults));
  return tables;
}

std::pair<std::string, std::string> built_in_of(const std::string& name) {
  std::string longest;
  for (const std::string& table : study_tables())
    if (name.starts_with(table + "_") && table.size() > longest.size()) longest = table;
  return {longest, longest.empty() ? "" : name.substr(longest.size() + 1)};
}

std::vector<std::string> built_in_tables_of(const std::vector<OwnTable>& tables) {
  std::vector<std::string> used;
  for (const OwnTable& table : tables)
    for (const std::string& name : table.names_of_columns())
      if (const std::string found = built_in_of(name).first; !found.empty() && !contains(used, found))
        used.push_back(found);
  return used;
}

Variables given_numbers(const Case& made) {
  Faults ignored;
  Variables numbers = validate(made.scene, ignored).environment->parameters;
  for (const auto& [name, value] : made.numbers) numbers[name] = value;
  for (const auto& [key, text] : made.values) try {
      const Expression value = Expression::parse(text, {}, numbers);
      numbers[key.substr(key.rfind('.') + 1)] = value.value();
    } catch (const ExpressionError&) {
      continue;  // a word or a table
    }
  return numbers;
}

void check_own_tables(const StudyPlan& plan, Faults& faults) {
  for (const OwnTable& table : plan.own) {
    std::set<std::string> known;
    std::set<std::string> seen;  // one case of each scene
    for (const Case& made : plan.cases) try {
        if (seen.insert(made.name).second) known.merge(known_names(plan, table, made));
      } catch (const SceneError&) {
        return;  // a case that is refused; its row says so
      }
    const std::vector<std::string> names(known.begin(), known.end());
    std::vector<OwnColumn> columns = table.columns;
    std::erase_if(columns, [&](const OwnColumn& column) { return is_swept(plan, column.value); });
    check_expressions(table, "columns", columns, names, faults);
    check_expressions(table, "quantities", table.quantities, names, faults);
  }
}

}  // namespace livens
