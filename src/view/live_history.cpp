#include "view/live_history.hpp"

#include <algorithm>
#include <cmath>

namespace livens {

std::vector<std::vector<double>> LiveHistory::rows(long first) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::vector<double>> result(columns_.size());
  for (auto row = static_cast<std::size_t>(std::max(first, 0L)); row < rows_.size(); ++row)
    for (std::size_t k = 0; k < columns_.size(); ++k) result[k].push_back(rows_[row][k]);
  return result;
}

long LiveHistory::size() const {
  const std::lock_guard lock(mutex_);
  return static_cast<long>(rows_.size());
}

void LiveHistory::begin(LiveConfiguration& now, const Sample& sample, const LiveBooks& books) {
  const double duration = now.plan.t_end - now.plan.t_begin;
  schedule_ = Schedule(sample.state.t, now.plan.history_every.value_or(duration / now.quantities->default_rows()));
  column_of_.clear();
  {
    const std::lock_guard lock(mutex_);
    rows_.clear();
  }
  now.quantities->advance(sample);
  add_row(now, sample, books);
}

void LiveHistory::observe(LiveConfiguration& now, const Sample& sample, const LiveBooks& books) {
  now.quantities->advance(sample);
  if (schedule_.due(sample.state.t, sample.report.h)) add_row(now, sample, books);
}

void LiveHistory::change() {
  column_of_.clear();
  finite_ = true;
}

void LiveHistory::add_row(LiveConfiguration& now, const Sample& sample, const LiveBooks& books) {
  const auto values = now.quantities->evaluate(sample);
  if (column_of_.empty())
    for (const Column& column : columns_)
      column_of_.push_back(now.quantities->has(column.name) ? static_cast<int>(now.quantities->index(column.name))
                                                            : -1);
  const LiveLedger ledger = books.ledger(now, sample.state);
  std::vector<double> row;
  double total = 0;
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    const std::string& name = columns_[k].name;
    double value = column_of_[k] >= 0 ? values[column_of_[k]] : std::nan("");
    if (name == "energy") total = value;
    if (name == "step") value += static_cast<double>(books.steps_before());
    if (name == "dissipated") value = ledger.dissipated;
    if (name == "work") value = ledger.work + ledger.pull + ledger.changes;
    if (name == "energy_error")
      value = total + ledger.dissipated - ledger.work - ledger.pull - ledger.changes - ledger.start;
    row.push_back(value);
  }
  finite_ = !std::isinf(total);
  const std::lock_guard lock(mutex_);
  rows_.push_back(std::move(row));
}

}  // namespace livens
