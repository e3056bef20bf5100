// The rows of the history of a live session: as livens::run writes them, with the ledger of the whole session.
#pragma once

#include <mutex>
#include <vector>

#include "files/schedule.hpp"
#include "view/live_ledger.hpp"

namespace livens {

class LiveHistory {
 public:
  explicit LiveHistory(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // May be called by several threads.
  const std::vector<Column>& columns() const { return columns_; }
  std::vector<std::vector<double>> rows(long first) const;  // by column, the rows from number `first` on
  long size() const;

  // For the thread that steps.
  void begin(LiveConfiguration& now, const Sample& sample, const LiveBooks& books);    // anew, with a first row
  void observe(LiveConfiguration& now, const Sample& sample, const LiveBooks& books);  // a row, where one is due
  void change();                                                                       // to other quantities
  double next_time() const { return schedule_.next_time(); }
  bool finite() const { return finite_; }  // the energy of the last row

 private:
  void add_row(LiveConfiguration& now, const Sample& sample, const LiveBooks& books);

  const std::vector<Column> columns_;
  Schedule schedule_;
  std::vector<int> column_of_;  // of the present quantities, for each column of the history; -1: none
  bool finite_ = true;
  mutable std::mutex mutex_;
  std::vector<std::vector<double>> rows_;
};

}  // namespace livens
