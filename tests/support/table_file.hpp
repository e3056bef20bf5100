// Numbers that tests measure and pages print, as CSV: with LIVENS_TABLES=DIR in the environment, DIR/NAME.csv. The
// first row of a program begins the file anew.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace livens {

// One row: a text that says what was measured, and numbers by the names of their columns.
inline void table_row(const std::string& table, const std::string& what,
                      const std::vector<std::pair<std::string, double>>& values) {
  static std::set<std::string> begun;
  const char* folder = std::getenv("LIVENS_TABLES");
  if (folder == nullptr || *folder == '\0') return;
  const bool first = begun.insert(table).second;
  std::ofstream file(std::string(folder) + "/" + table + ".csv", first ? std::ios::trunc : std::ios::app);
  std::string head = "measured", row = "\"" + what + "\"";
  for (const auto& [name, value] : values) {
    char number[40];
    std::snprintf(number, sizeof number, "%.6g", value);
    head += "," + name;
    row += std::string(",") + number;
  }
  file << (first ? head + "\n" : "") << row << "\n";
}

// One number of many kinds.
inline void table_number(const std::string& table, const std::string& what, const std::string& quantity, double value) {
  table_row(table, what + ": " + quantity, {{"value", value}});
}

}  // namespace livens
