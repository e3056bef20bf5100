// history.csv: a header and whole rows, 17 digits, empty where undefined.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <livens/probe.hpp>

#include "files/files.hpp"
#include "files/write_queue.hpp"

namespace livens {

class HistoryFile {
 public:
  explicit HistoryFile(WriteQueue* queue = nullptr) : queue_(queue) {}

  void create(const std::filesystem::path& path, const std::vector<Column>& columns);
  // Continues a file behind its first `bytes` bytes; throws RunError if it has less.
  void reopen(const std::filesystem::path& path, long bytes);
  void add(std::span<const double> row);  // as text later, and in the file within a second
  void flush();                           // whole rows, or none and a RunError
  void sync();                            // and onto the disk
  long bytes();                           // of all rows

 private:
  using Clock = std::chrono::steady_clock;
  void give();
  void finish();
  void write(std::span<const double> rows, std::size_t columns);
  void write_pending();

  WriteQueue* queue_;
  std::vector<double> rows_;  // not given to the queue yet
  std::size_t columns_ = 1;   // of the last row
  Clock::time_point given_{};
  // Of whoever writes:
  std::optional<File> file_;
  long bytes_ = 0;       // in the file
  std::string pending_;  // whole rows
  Clock::time_point flushed_;
};

std::vector<std::string_view> cells_of(std::string_view line);
double number_of_cell(std::string_view cell);  // nan if it is empty

// The rows of a file, thinned to at most `max_rows` by taking every 2nd, 4th, ...; nan where a cell is empty.
struct History {
  std::vector<std::string> columns;
  std::vector<std::vector<double>> values;  // one vector per column

  const std::vector<double>* find(const std::string& column) const;
};
History read_history(const std::filesystem::path& path, std::size_t max_rows);
// The same by whole rows, half of them evenly and half where some column is smallest or largest within its stretch, so
// that peaks stay. Memory is that of the result, however long the file is.
History read_history_with_extremes(const std::filesystem::path& path, std::size_t max_rows);
// What a run directory records of its course: the same of history.csv, and the rows of extremes.csv, if it has one, in
// between.
History read_run_history(const std::filesystem::path& directory, std::size_t max_rows);

}  // namespace livens
