#include "math/sparse_pattern.hpp"

#include <algorithm>
#include <cassert>

namespace livens {

int SparsePattern::slot(int r, int c) const {
  const auto first = row.begin() + column_start[static_cast<std::size_t>(c)];
  const auto last = row.begin() + column_start[static_cast<std::size_t>(c) + 1];
  const auto it = std::lower_bound(first, last, r);
  return it != last && *it == r ? static_cast<int>(it - row.begin()) : -1;
}

void SparsePattern::multiply(ConstVector values, ConstVector x, Vector y) const {
  std::fill(y.begin(), y.end(), 0.0);
  for (std::size_t c = 0; c < static_cast<std::size_t>(n); ++c)
    for (auto k = static_cast<std::size_t>(column_start[c]); k < static_cast<std::size_t>(column_start[c + 1]); ++k)
      y[static_cast<std::size_t>(row[k])] += values[k] * x[c];
}

void PatternSink::add_block(std::span<const int> rows, std::span<const int> columns, const double*) {
  for (const int r : rows)
    for (const int c : columns) entries_.push_back({r, c});
}

SparsePattern PatternSink::make_pattern(int n) const {
  std::vector<std::vector<int>> columns(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) columns[static_cast<std::size_t>(i)].push_back(i);
  for (const Entry& e : entries_) {
    columns[static_cast<std::size_t>(e.column)].push_back(e.row);
    columns[static_cast<std::size_t>(e.row)].push_back(e.column);  // the pattern is symmetric
  }
  SparsePattern pattern;
  pattern.n = n;
  pattern.column_start.push_back(0);
  for (auto& rows : columns) {
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    pattern.row.insert(pattern.row.end(), rows.begin(), rows.end());
    pattern.column_start.push_back(static_cast<int>(pattern.row.size()));
  }
  return pattern;
}

std::vector<int> PatternSink::slots(const SparsePattern& pattern, std::size_t from, std::size_t to) const {
  std::vector<int> result;
  result.reserve(to - from);
  for (std::size_t k = from; k < to; ++k) {
    result.push_back(pattern.slot(entries_[k].row, entries_[k].column));
    assert(result.back() >= 0);
  }
  return result;
}

}  // namespace livens
