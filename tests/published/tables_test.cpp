// Every table of measured numbers in the pages of published results names the command that writes it as CSV, on a line
//   `livens study scenes/FILE.toml` writes `NAME.csv`
// above it. The study and its table are there, with the columns of the page; of studies that take a few seconds the
// numbers are those of the page, to the digits printed.
#include "study/tables.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <regex>

#include <gtest/gtest.h>

#include "study/study.hpp"
#include "support/source_dir.hpp"

namespace livens {
namespace {

using Row = std::vector<std::string>;

struct PageTable {
  std::string page, study, name;
  int line = 0;
  Row header;
  std::vector<Row> rows;

  std::string place() const { return "docs/" + page + ":" + std::to_string(line); }
};

constexpr const char* pages[] = {
    "published.md", "asynchronous_published.md", "multibody_published.md", "cracks.md", "particles.md", "solids.md",
    "contact.md"};

// On a quiet machine.
const std::vector<std::string> seconds_only = {"e04_alignment/drifts.toml", "l04_time_adaption/figure_17.toml",
                                               "l04_sliver/updates.toml",   "s15_pendulum/small_steps.toml",
                                               "s15_pendulum/area.toml",    "s15_pendulum/damping.toml",
                                               "l04_phase/figure_5.toml",   "contact_methods/methods.toml"};

std::string without_markup(std::string text) {
  for (const char* mark : {"**", "`"})
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark))
      text.erase(at, std::strlen(mark));
  const std::size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

Row cells_of(const std::string& line) {
  Row cells;
  std::size_t begin = 1;
  for (std::size_t end = line.find('|', begin); end != std::string::npos; end = line.find('|', begin)) {
    cells.push_back(without_markup(line.substr(begin, end - begin)));
    begin = end + 1;
  }
  return cells;
}

std::vector<std::string> lines_of(const std::string& page) {
  std::ifstream file(source_dir() + "/docs/" + page);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

// The table that begins below line k, which names a study.
PageTable read_table(const std::string& page, const std::vector<std::string>& lines, std::size_t k,
                     const std::smatch& found) {
  PageTable table{page, found[1], found[2], static_cast<int>(k) + 1, {}, {}};
  while (k < lines.size() && !lines[k].starts_with("|")) ++k;
  if (k + 2 > lines.size()) return table;
  table.header = cells_of(lines[k]);
  for (k += 2; k < lines.size() && lines[k].starts_with("|"); ++k) table.rows.push_back(cells_of(lines[k]));
  return table;
}

const std::vector<PageTable>& page_tables() {
  static const std::vector<PageTable> all = [] {
    const std::regex command("`livens study scenes/([^` ]+\\.toml)[^`]*` writes `([A-Za-z_0-9]+)\\.csv`");
    std::vector<PageTable> tables;
    for (const char* page : pages) {
      const auto lines = lines_of(page);
      for (std::size_t k = 0; k < lines.size(); ++k)
        if (std::smatch found; std::regex_search(lines[k], found, command))
          tables.push_back(read_table(page, lines, k, found));
    }
    return tables;
  }();
  return all;
}

TEST(PublishedTables, EachSaysWhatWritesIt) {
  for (const char* page : {"published.md", "asynchronous_published.md", "multibody_published.md"}) {
    const auto lines = lines_of(page);
    for (std::size_t k = 1; k < lines.size(); ++k) {
      if (!lines[k].starts_with("|--")) continue;
      bool told = false;
      for (std::size_t up = k; up-- > 0 && k - up < 8;) told = told || lines[up].find("writes `") != std::string::npos;
      EXPECT_TRUE(told) << "docs/" << page << ":" << k + 1 << ": no command that writes this table";
    }
  }
  EXPECT_GE(page_tables().size(), 20u);
}

// The names of the columns that need no run to be known: those before the ones that are repeated.
Row known_columns(const OwnTable& table) {
  Row names;
  for (const OwnColumn& column : table.columns) {
    if (column.name == table.across) break;
    names.push_back(column.name);
  }
  return names;
}

TEST(PublishedTables, StudiesHaveTheTablesOfThePages) {
  for (const PageTable& table : page_tables()) {
    const StudyPlan plan = plan_study(load_study(source_dir() + "/scenes/" + table.study));
    const auto own =
        std::find_if(plan.own.begin(), plan.own.end(), [&](const auto& t) { return t.name == table.name; });
    if (own == plan.own.end()) {
      const auto& all = study_tables();
      EXPECT_NE(std::find(all.begin(), all.end(), table.name), all.end()) << table.place() << ": " << table.name;
      continue;
    }
    for (const std::string& name : known_columns(*own))
      EXPECT_NE(std::find(table.header.begin(), table.header.end(), name), table.header.end())
          << table.place() << ": no column '" << name << "'";
  }
}

// "-1.29e-3" is right within half of its last digit; "182 901" has blanks between its digits.
bool says(std::string text, double value) {
  std::erase(text, ' ');
  if (text.empty()) return true;
  char* end = nullptr;
  const double told = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != '\0') return false;
  constexpr double rounding = 1e-10;  // what is smaller may differ from machine to machine
  if (std::abs(value) < rounding) return std::abs(told) < 10 * rounding;
  const std::size_t exponent = std::min(text.find_first_of("eE"), text.size()), point = text.find('.');
  const double decimals = point < exponent ? static_cast<double>(exponent - point - 1) : 0;
  const double power = exponent < text.size() ? std::stod(text.substr(exponent + 1)) : 0;
  return std::abs(told - value) <= 0.501 * std::pow(10, power - decimals);
}

bool agrees(const PageTable& page, const Row& row, const DataTable& table, const std::vector<Cell>& cells) {
  for (std::size_t k = 0; k < table.columns.size(); ++k) {
    const auto column = std::find(page.header.begin(), page.header.end(), table.columns[k].name) - page.header.begin();
    if (column == std::ssize(page.header) || column >= std::ssize(row)) continue;
    const std::string& told = *(row.begin() + column);
    const auto* text = std::get_if<std::string>(&cells[k]);
    if (text != nullptr ? *text != told : !says(told, std::get<double>(cells[k]))) return false;
  }
  return true;
}

TEST(PublishedTables, NumbersAreThoseOfTheCommand) {
  std::size_t compared = 0;
  for (const std::string& study : seconds_only) {
    const StudyPlan plan = plan_study(load_study(source_dir() + "/scenes/" + study));
    const std::vector<DataTable> tables = make_tables(measure_all(plan));
    for (const PageTable& page : page_tables()) {
      if (page.study != study) continue;
      const auto table = std::find_if(tables.begin(), tables.end(), [&](const auto& t) { return t.name == page.name; });
      ASSERT_NE(table, tables.end()) << page.place() << ": " << page.name << ".csv is not written";
      for (const DataTable::Column& column : table->columns)
        EXPECT_NE(std::find(page.header.begin(), page.header.end(), column.name), page.header.end())
            << page.place() << ": no column '" << column.name << "'";
      for (const Row& row : page.rows) {
        const auto is_it = [&](const auto& cells) { return agrees(page, row, *table, cells); };
        EXPECT_TRUE(std::any_of(table->rows.begin(), table->rows.end(), is_it))
            << page.place() << ": no row of " << page.name << ".csv says what '" << row.front() << "' does:\n"
            << to_csv(*table);
        ++compared;
      }
    }
  }
  EXPECT_GE(compared, 25u);
}

TEST(PublishedTables, NumbersAreComparedToTheDigitsPrinted) {
  EXPECT_TRUE(says("1.23", 1.2349));
  EXPECT_FALSE(says("1.23", 1.2361));
  EXPECT_TRUE(says("-4.0e-4", -4.012e-4));
  EXPECT_FALSE(says("-4.1e-4", -4.012e-4));
  EXPECT_TRUE(says("182 901", 182901));
  EXPECT_FALSE(says("182 902", 182901));
  EXPECT_TRUE(says("1.4e-13", 3e-14));
  EXPECT_FALSE(says("1.4e-3", 3e-14));
  EXPECT_FALSE(says("about 2", 2));
}

}  // namespace
}  // namespace livens
