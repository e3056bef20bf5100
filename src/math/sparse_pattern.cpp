#include "math/sparse_pattern.hpp"

#include <algorithm>
#include <cassert>

namespace livens {

int SparsePattern::slot(int r, int c) const {
  const auto first = row.begin() + column_start[c];
  const auto last = row.begin() + column_start[c + 1];
  const auto it = std::lower_bound(first, last, r);
  return it != last && *it == r ? static_cast<int>(it - row.begin()) : -1;
}

SparsePattern full_pattern(int n) {
  SparsePattern pattern;
  pattern.n = n;
  pattern.column_start.push_back(0);
  for (int c = 0; c < n; ++c) {
    for (int r = 0; r < n; ++r) pattern.row.push_back(r);
    pattern.column_start.push_back(static_cast<int>(pattern.row.size()));
  }
  return pattern;
}

void SparsePattern::multiply(ConstVector values, ConstVector x, Vector y) const {
  std::fill(y.begin(), y.end(), 0.0);
  for (std::size_t c = 0; c < static_cast<std::size_t>(n); ++c)
    for (auto k = static_cast<std::size_t>(column_start[c]); k < static_cast<std::size_t>(column_start[c + 1]); ++k)
      y[row[k]] += values[k] * x[c];
}

void PatternSink::add_block(std::span<const int> rows, std::span<const int> columns, const double*) {
  for (const int r : rows)
    for (const int c : columns) entries_.push_back({r, c, false});
}

BlockAccess PatternSink::blocks(std::span<const int> first, int per_stencil, int) {
  const auto each = static_cast<std::size_t>(per_stencil);
  for (std::size_t s = 0; s < first.size(); s += each)
    for (std::size_t a = s; a < s + each; ++a)
      for (std::size_t b = s; b < s + each; ++b) entries_.push_back({first[a], first[b], true});
  return {};
}

SparsePattern PatternSink::make_pattern(int n, int block) const {
  // Neighbours of every node (a block of coordinates, the last one perhaps a shorter one), symmetric, the diagonal
  // included.
  const auto nodes = static_cast<std::size_t>((n + block - 1) / block);
  std::vector<std::size_t> start(nodes + 1, 0);
  for (std::size_t i = 0; i < nodes; ++i) ++start[i + 1];
  for (const Entry& e : entries_) {
    ++start[e.column / block + 1];
    ++start[e.row / block + 1];
  }
  for (std::size_t i = 0; i < nodes; ++i) start[i + 1] += start[i];
  std::vector<int> neighbours(start.back());
  std::vector<std::size_t> fill(start.begin(), start.end() - 1);
  for (std::size_t i = 0; i < nodes; ++i) neighbours[fill[i]++] = static_cast<int>(i);
  for (const Entry& e : entries_) {
    neighbours[fill[e.column / block]++] = e.row / block;
    neighbours[fill[e.row / block]++] = e.column / block;
  }
  SparsePattern pattern;
  pattern.n = n;
  pattern.block = n % block == 0 ? block : 1;
  pattern.column_start.push_back(0);
  for (std::size_t i = 0; i < nodes; ++i) {
    const auto first = neighbours.begin() + static_cast<std::ptrdiff_t>(start[i]);
    auto last = neighbours.begin() + static_cast<std::ptrdiff_t>(start[i + 1]);
    std::sort(first, last);
    last = std::unique(first, last);
    for (int c = static_cast<int>(i) * block; c < std::min(n, (static_cast<int>(i) + 1) * block); ++c) {
      for (auto it = first; it != last; ++it)
        for (int r = *it * block; r < std::min(n, (*it + 1) * block); ++r) pattern.row.push_back(r);
      pattern.column_start.push_back(static_cast<int>(pattern.row.size()));
    }
  }
  return pattern;
}

std::vector<int> PatternSink::slots(const SparsePattern& pattern, std::size_t from, std::size_t to) const {
  std::vector<int> result;
  result.reserve(to - from);
  for (std::size_t k = from; k < to; ++k) {
    const Entry& e = entries_[k];
    result.push_back(pattern.slot(e.row, e.column));
    assert(result.back() >= 0);
    if (!e.of_block) continue;
    const auto c = static_cast<std::size_t>(e.column);
    result.push_back(pattern.column_start[c + 1] - pattern.column_start[c]);
  }
  return result;
}

}  // namespace livens
