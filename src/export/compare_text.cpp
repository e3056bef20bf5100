// The comparison as a table for people, and as JSON.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "export/compare.hpp"

namespace livens {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t longest_cell = 40;

std::string with_unit(const std::string& text, const std::string& unit) {
  return unit.empty() || text == "-" || text == "not given" ? text : text + " " + unit;
}

std::string cell(const ComparedRow& row, std::size_t k) {
  if (!row.texts.empty()) return row.texts[k].empty() ? "-" : row.texts[k];
  return std::isnan(row.values[k]) ? "-" : with_unit(fmt::format("{:.6g}", row.values[k]), row.unit);
}

std::string shortened(const std::string& text) {
  return text.size() <= longest_cell ? text : text.substr(0, longest_cell - 3) + "...";
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

// Cells in columns, the first one indented.
class Table {
 public:
  void heading(const std::string& text) { lines_.push_back({text}); }
  void line(std::vector<std::string> cells) { lines_.push_back(std::move(cells)); }

  std::string text() const {
    std::vector<std::size_t> widths;
    for (const auto& cells : lines_)
      for (std::size_t k = 0; cells.size() > 1 && k < cells.size(); ++k) {
        if (widths.size() <= k) widths.resize(k + 1, 0);
        widths[k] = std::max(widths[k], cells[k].size());
      }
    std::string result;
    for (const auto& cells : lines_) {
      std::string line = cells.size() == 1 ? cells[0] : "";
      for (std::size_t k = 0; cells.size() > 1 && k < cells.size(); ++k)
        line += fmt::format("  {:<{}}", cells[k], widths[k]);
      line.erase(line.find_last_not_of(' ') + 1);
      result += line + "\n";
    }
    return result;
  }

 private:
  std::vector<std::vector<std::string>> lines_;
};

}  // namespace

std::string Comparison::text() const {
  Table table;
  std::vector<std::string> head = {""};
  head.insert(head.end(), names.begin(), names.end());
  table.line(head);
  if (!keys.empty()) table.heading("Keys that differ");
  for (const ComparedKey& key : keys) {
    std::vector<std::string> cells = {key.path};
    for (const std::string& value : key.values) cells.push_back(shortened(with_unit(value, key.unit)));
    table.line(std::move(cells));
  }
  std::string group;
  for (const ComparedRow& row : rows) {
    if (row.group != group) {
      const bool at_end = row.group == "Energy" || row.group == "Probes";
      table.heading(row.group + (at_end ? fmt::format(" at {:.6g} s", end) : ""));
      group = row.group;
    }
    std::vector<std::string> cells = {row.name};
    for (std::size_t k = 0; k < names.size(); ++k) cells.push_back(cell(row, k));
    if (!std::isnan(row.difference))
      cells.push_back(fmt::format("up to {} apart, at {:.4g} s",
                                  with_unit(fmt::format("{:.3g}", row.difference), row.unit), row.difference_at));
    table.line(std::move(cells));
  }
  return table.text();
}

std::string Comparison::json() const {
  Json result = {{"schema", "livens.compare/1"}, {"runs", Json::array()}, {"notes", notes},
                 {"sentence", sentence},         {"t_begin", begin},      {"t_end", end},
                 {"keys", Json::array()},        {"rows", Json::array()}};
  for (std::size_t k = 0; k < paths.size(); ++k)
    result["runs"].push_back({{"name", names[k]}, {"directory", paths[k]}});
  for (const ComparedKey& key : keys)
    result["keys"].push_back({{"key", key.path}, {"unit", key.unit}, {"values", key.values}});
  for (const ComparedRow& row : rows) {
    Json entry = {{"group", row.group}, {"name", row.name}, {"unit", row.unit}, {"values", Json::array()}};
    for (const std::string& text : row.texts) entry["values"].push_back(text);
    for (const double value : row.texts.empty() ? row.values : std::vector<double>{})
      entry["values"].push_back(number(value));
    if (!std::isnan(row.difference)) {
      entry["largest_difference"] = row.difference;
      entry["at"] = row.difference_at;
    }
    result["rows"].push_back(std::move(entry));
  }
  return result.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace livens
