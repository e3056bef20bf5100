#include "files/history.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <string_view>

#include <fmt/format.h>

namespace livens {
namespace {

constexpr std::size_t flush_bytes = 1 << 16;
constexpr auto flush_interval = std::chrono::seconds(1);  // so that a file can be watched
constexpr auto give_interval = std::chrono::milliseconds(20);
constexpr std::size_t given_numbers = 1 << 13;

void drop_every_second(std::vector<double>& values) {
  std::size_t kept = 0;
  for (std::size_t k = 0; k < values.size(); k += 2) values[kept++] = values[k];
  values.resize(kept);
}

using Row = std::vector<double>;

Row row_in(std::string_view line, std::size_t columns) {
  Row row(columns, std::numeric_limits<double>::quiet_NaN());
  const auto cells = cells_of(line);
  for (std::size_t k = 0; k < columns && k < cells.size(); ++k) row[k] = number_of_cell(cells[k]);
  return row;
}

std::size_t count_lines(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return static_cast<std::size_t>(
      std::count(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>(), '\n'));
}

// Rows of one stretch in which some column is smallest or largest.
class ExtremeRows {
 public:
  explicit ExtremeRows(std::size_t columns) : low_(columns), high_(columns) {}
  void add(std::size_t number, const Row& row) {
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (!std::isfinite(row[k])) continue;
      for (auto* extreme : {&low_[k], &high_[k]}) {
        const bool better = extreme == &low_[k] ? row[k] < extreme->value : row[k] > extreme->value;
        if (!extreme->known || better) *extreme = {true, row[k], number};
        if (extreme->row == number) rows_[number] = row;
      }
    }
    forget();
  }
  void move_to(std::map<std::size_t, Row>& chosen) {
    for (auto* list : {&low_, &high_})
      for (Extreme& extreme : *list) {
        if (extreme.known) chosen[extreme.row] = rows_[extreme.row];
        extreme = {};
      }
    rows_.clear();
  }

 private:
  struct Extreme {
    bool known = false;
    double value = 0;
    std::size_t row = 0;
  };
  void forget() {
    if (rows_.size() < 8 * low_.size()) return;
    std::map<std::size_t, Row> kept;
    for (const auto* list : {&low_, &high_})
      for (const Extreme& extreme : *list)
        if (extreme.known) kept[extreme.row] = rows_[extreme.row];
    rows_.swap(kept);
  }

  std::vector<Extreme> low_, high_;
  std::map<std::size_t, Row> rows_;
};

}  // namespace

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (;;) {
    const std::size_t comma = line.find(',');
    cells.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

double number_of_cell(std::string_view cell) {
  double value = std::numeric_limits<double>::quiet_NaN();
  std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return value;
}

void HistoryFile::create(const std::filesystem::path& path, const std::vector<Column>& columns) {
  file_.emplace(path, File::Mode::create);
  bytes_ = 0;
  rows_.clear();
  pending_.clear();
  for (std::size_t k = 0; k < columns.size(); ++k) pending_ += (k > 0 ? "," : "") + columns[k].name;
  pending_ += '\n';
  flush();
}

void HistoryFile::reopen(const std::filesystem::path& path, long bytes) {
  file_.emplace(path, File::Mode::append);
  if (file_->size() < bytes) throw RunError("history.csv is shorter than the checkpoint records");
  file_->truncate(bytes);
  bytes_ = bytes;
  rows_.clear();
  pending_.clear();
  flushed_ = Clock::now();
}

// Rows that follow each other quickly are given to the queue together.
void HistoryFile::add(std::span<const double> row) {
  columns_ = row.size();
  rows_.insert(rows_.end(), row.begin(), row.end());
  if (queue_ == nullptr) return give();
  const auto now = Clock::now();
  if (now - given_ < give_interval && rows_.size() < given_numbers) return;
  given_ = now;
  give();
}

void HistoryFile::give() {
  if (rows_.empty()) return;
  const std::size_t bytes = rows_.size() * sizeof(double);
  write_by(queue_, bytes, [this, rows = std::move(rows_), columns = columns_] { write(rows, columns); });
  rows_.clear();
}

void HistoryFile::write(std::span<const double> rows, std::size_t columns) {
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (k % columns > 0) pending_ += ',';
    if (std::isfinite(rows[k])) fmt::format_to(std::back_inserter(pending_), "{:.17g}", rows[k]);
    if ((k + 1) % columns == 0) pending_ += '\n';
  }
  if (pending_.size() > flush_bytes || Clock::now() - flushed_ > flush_interval) write_pending();
}

void HistoryFile::write_pending() {
  flushed_ = Clock::now();
  if (pending_.empty()) return;
  try {
    file_->write(pending_);
  } catch (...) {
    file_->truncate(bytes_);  // a full disk must not leave half a row
    throw;
  }
  bytes_ += static_cast<long>(pending_.size());
  pending_.clear();
  file_->require_name();
}

// Whatever was added is in `pending_` or in the file, and nobody else is at it.
void HistoryFile::finish() {
  give();
  if (queue_ != nullptr) queue_->finish();
}

long HistoryFile::bytes() {
  finish();
  return bytes_ + static_cast<long>(pending_.size());
}

void HistoryFile::flush() {
  finish();
  write_pending();
}

void HistoryFile::sync() {
  flush();
  file_->sync();
}

const std::vector<double>* History::find(const std::string& column) const {
  for (std::size_t k = 0; k < columns.size(); ++k)
    if (columns[k] == column) return &values[k];
  return nullptr;
}

History read_history(const std::filesystem::path& path, std::size_t max_rows) {
  History history;
  std::ifstream stream(path, std::ios::binary);
  std::string line;
  std::getline(stream, line);
  for (const std::string_view cell : cells_of(line)) history.columns.emplace_back(cell);
  history.values.resize(history.columns.size());
  std::size_t stride = 1;
  for (std::size_t row = 0; std::getline(stream, line); ++row) {
    if (row % stride != 0) continue;
    const auto cells = cells_of(line);
    for (std::size_t k = 0; k < history.columns.size() && k < cells.size(); ++k)
      history.values[k].push_back(number_of_cell(cells[k]));
    if (history.values[0].size() < max_rows) continue;
    for (auto& values : history.values) drop_every_second(values);
    stride *= 2;
  }
  return history;
}

History read_run_history(const std::filesystem::path& directory, std::size_t max_rows) {
  const History history = read_history_with_extremes(directory / "history.csv", max_rows);
  const History peaks = read_history(directory / "extremes.csv", max_rows);
  const auto *t = history.find("t"), *t_peaks = peaks.find("t");
  if (t == nullptr || t_peaks == nullptr || peaks.columns != history.columns) return history;
  History all{history.columns, std::vector<std::vector<double>>(history.columns.size())};
  for (std::size_t i = 0, j = 0; i < t->size() || j < t_peaks->size();) {
    const bool own = j == t_peaks->size() || (i < t->size() && (*t)[i] <= (*t_peaks)[j]);
    if (own && j < t_peaks->size() && (*t)[i] == (*t_peaks)[j]) ++j;
    const auto& rows = own ? history.values : peaks.values;
    const std::size_t row = own ? i++ : j++;
    for (std::size_t k = 0; k < rows.size(); ++k) all.values[k].push_back(rows[k][row]);
  }
  return all;
}

History read_history_with_extremes(const std::filesystem::path& path, std::size_t max_rows) {
  const std::size_t lines = count_lines(path), rows = lines > 0 ? lines - 1 : 0;
  if (rows < max_rows) return read_history(path, max_rows);
  History history;
  std::ifstream stream(path, std::ios::binary);
  std::string line;
  std::getline(stream, line);
  for (const std::string_view cell : cells_of(line)) history.columns.emplace_back(cell);
  const std::size_t columns = history.columns.size();
  const std::size_t even = max_rows / 2 - 1, stretches = std::max<std::size_t>(1, max_rows / (4 * columns));
  std::map<std::size_t, Row> chosen;
  ExtremeRows extremes(columns);
  std::size_t stretch = 0, next = 0;
  for (std::size_t number = 0; number < rows && std::getline(stream, line); ++number) {
    Row row = row_in(line, columns);
    if (number * stretches / rows != stretch) {
      extremes.move_to(chosen);
      stretch = number * stretches / rows;
    }
    extremes.add(number, row);
    if (number * even / rows < next && number + 1 < rows) continue;
    next = number * even / rows + 1;
    chosen[number] = std::move(row);
  }
  extremes.move_to(chosen);
  history.values.resize(columns);
  for (const auto& [number, row] : chosen)
    for (std::size_t k = 0; k < columns; ++k) history.values[k].push_back(row[k]);
  return history;
}

}  // namespace livens
