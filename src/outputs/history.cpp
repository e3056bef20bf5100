#include "outputs/history.hpp"

#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <string_view>

#include <fmt/format.h>

namespace livens {
namespace {

constexpr std::size_t flush_bytes = 1 << 16;
constexpr auto flush_interval = std::chrono::seconds(1);  // so that a file can be watched

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (;;) {
    const std::size_t comma = line.find(',');
    cells.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

double number_in(std::string_view cell) {
  double value = std::numeric_limits<double>::quiet_NaN();
  std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return value;
}

void drop_every_second(std::vector<double>& values) {
  std::size_t kept = 0;
  for (std::size_t k = 0; k < values.size(); k += 2) values[kept++] = values[k];
  values.resize(kept);
}

}  // namespace

void HistoryFile::create(const std::filesystem::path& path, const std::vector<Column>& columns) {
  file_.emplace(path, File::Mode::create);
  bytes_ = 0;
  pending_.clear();
  for (std::size_t k = 0; k < columns.size(); ++k) pending_ += (k > 0 ? "," : "") + columns[k].name;
  pending_ += '\n';
  flush();
}

void HistoryFile::reopen(const std::filesystem::path& path, long bytes) {
  file_.emplace(path, File::Mode::append);
  if (file_->size() < bytes) throw RunError("history.csv is shorter than the checkpoint says");
  file_->truncate(bytes);
  bytes_ = bytes;
  pending_.clear();
  flushed_ = std::chrono::steady_clock::now();
}

void HistoryFile::add(std::span<const double> row) {
  for (std::size_t k = 0; k < row.size(); ++k) {
    if (k > 0) pending_ += ',';
    if (std::isfinite(row[k])) fmt::format_to(std::back_inserter(pending_), "{:.17g}", row[k]);
  }
  pending_ += '\n';
  if (pending_.size() > flush_bytes || std::chrono::steady_clock::now() - flushed_ > flush_interval) flush();
}

void HistoryFile::flush() {
  flushed_ = std::chrono::steady_clock::now();
  if (pending_.empty()) return;
  try {
    file_->write(pending_);
  } catch (...) {
    file_->truncate(bytes_);  // a full disk must not leave half a row
    throw;
  }
  bytes_ += static_cast<long>(pending_.size());
  pending_.clear();
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
      history.values[k].push_back(number_in(cells[k]));
    if (history.values[0].size() < max_rows) continue;
    for (auto& values : history.values) drop_every_second(values);
    stride *= 2;
  }
  return history;
}

}  // namespace livens
