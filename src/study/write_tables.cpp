#include "study/write_tables.hpp"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "study/tables.hpp"

namespace livens {
namespace {

using Json = nlohmann::ordered_json;

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

std::string csv_cell(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return quoted(*text);
  return full_number(std::get<double>(cell));
}

Json json_cell(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  const double value = std::get<double>(cell);
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json json_rows(const DataTable& table) {
  Json rows = Json::array();
  for (const auto& cells : table.rows) {
    Json row;
    for (std::size_t k = 0; k < cells.size(); ++k) row[table.columns[k].name] = json_cell(cells[k]);
    rows.push_back(std::move(row));
  }
  return rows;
}

Json json_columns(const DataTable& table) {
  Json columns = Json::array();
  for (const auto& c : table.columns) columns.push_back({{"name", c.name}, {"meaning", c.label}, {"unit", c.unit}});
  return columns;
}

Json json_groups(const Results& results) {
  Json groups = Json::array();
  for (const GroupResult& group : results.groups) {
    Json entry = {{"problem", group.problem}};
    if (group.reference) {
      const Reference& r = *group.reference;
      entry["reference"] = {{"ok", r.ok},
                            {"exact", r.exact},
                            {"failure", r.failure},
                            {"own_error_q", r.own_error_q},
                            {"own_error_v", r.own_error_v},
                            {"own_error_p", r.own_error_p}};
    }
    if (group.modes) entry["harmonic"] = {{"modes", group.modes->modes().size()}, {"heat", group.modes->heat()}};
    groups.push_back(std::move(entry));
  }
  return groups;
}

}  // namespace

std::string full_number(double value) {
  if (std::isnan(value)) return "";
  if (value == std::floor(value) && std::abs(value) < 1e15) return fmt::format("{:.0f}", value);
  return fmt::format("{:.17g}", value);
}

std::string short_number(double value) {
  if (std::isnan(value)) return "";
  if (value == std::floor(value) && std::abs(value) < 1e9) return fmt::format("{:.0f}", value);
  const double size = std::abs(value);
  if (size >= 1e-3 && size < 1e5) return fmt::format("{:.4g}", value);
  return fmt::format("{:.3e}", value);
}

std::string to_csv(const DataTable& table) {
  std::string text;
  for (std::size_t k = 0; k < table.columns.size(); ++k) text += (k > 0 ? "," : "") + quoted(table.columns[k].name);
  text += "\n";
  for (const auto& row : table.rows) {
    for (std::size_t k = 0; k < row.size(); ++k) text += (k > 0 ? "," : "") + csv_cell(row[k]);
    text += "\n";
  }
  return text;
}

// Two equal studies differ in `timing` only.
std::string to_json(const Results& results, const std::vector<DataTable>& tables) {
  Json root = {{"schema", "livens.study/1"},
               {"title", results.plan->title},
               {"notes", results.plan->notes},
               {"groups", json_groups(results)}};
  Json columns, values;
  for (const DataTable& table : tables) {
    columns[table.name] = json_columns(table);
    values[table.name] = json_rows(table);
  }
  root["columns"] = columns;
  root["tables"] = values;
  return root.dump(1) + "\n";
}

Table to_report(const DataTable& table) {
  Table result{table.title, table.note, {}, {}};
  for (const auto& c : table.columns) result.columns.push_back(c.label + (c.unit.empty() ? "" : " (" + c.unit + ")"));
  for (const auto& cells : table.rows) {
    result.rows.emplace_back();
    for (const Cell& cell : cells) {
      const auto* text = std::get_if<std::string>(&cell);
      result.rows.back().push_back(text != nullptr ? *text : short_number(std::get<double>(cell)));
    }
  }
  return result;
}

}  // namespace livens
