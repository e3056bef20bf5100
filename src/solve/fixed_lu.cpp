#include "solve/fixed_lu.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace livens {
namespace {

constexpr double least_pivot = 1e-3;       // of the sum of magnitudes that it is the sum of
constexpr double largest_entry = 1e9;      // of a row of U or a column of L over the pivot
constexpr int few = 24;                    // rows, up to which a dense LU takes as long
constexpr std::size_t most_updates = 200;  // multiplications of a factorisation, per row

using Neighbours = std::vector<std::vector<int>>;

std::optional<Neighbours> symmetric_graph(const SparsePattern& pattern) {
  Neighbours graph(pattern.n);
  for (int c = 0; c < pattern.n; ++c) {
    bool diagonal = false;
    for (int k = pattern.column_start[c]; k < pattern.column_start[c + 1]; ++k) {
      const int r = pattern.row[k];
      if (r == c)
        diagonal = true;
      else if (pattern.slot(c, r) < 0)
        return std::nullopt;
      else
        graph[c].push_back(r);
    }
    if (!diagonal) return std::nullopt;
  }
  return graph;
}

// The order of elimination, least degree first, and what each row is joined to when its turn comes.
struct Elimination {
  std::vector<int> order;
  Neighbours later;
};

std::optional<Elimination> eliminated(Neighbours graph, int unknowns) {
  const int n = static_cast<int>(graph.size());
  std::vector<int> waits(n, 0);  // of a multiplier: unknowns of its constraint that are still there
  for (int k = unknowns; k < n; ++k)
    for (const int i : graph[k]) waits[k] += i < unknowns ? 1 : 0;
  std::vector<std::vector<int>> holds(unknowns);  // multipliers that wait for an unknown
  for (int k = unknowns; k < n; ++k)
    for (const int i : graph[k])
      if (i < unknowns) holds[i].push_back(k);

  std::set<std::pair<std::size_t, int>> ready;
  for (int k = 0; k < n; ++k)
    if (waits[k] == 0) ready.insert({graph[k].size(), k});
  Elimination result;
  result.later.resize(n);
  std::size_t updates = 0;
  std::vector<int> joined;
  while (!ready.empty()) {
    const int k = ready.begin()->second;
    ready.erase(ready.begin());
    result.order.push_back(k);
    const std::vector<int> neighbours = std::move(graph[k]);
    updates += neighbours.size() * neighbours.size();
    if (updates > most_updates * static_cast<std::size_t>(n)) return std::nullopt;
    for (const int i : neighbours) {
      if (waits[i] == 0) ready.erase({graph[i].size(), i});
      joined.clear();
      std::set_union(graph[i].begin(), graph[i].end(), neighbours.begin(), neighbours.end(),
                     std::back_inserter(joined));
      std::erase_if(joined, [&](int j) { return j == i || j == k; });
      graph[i] = joined;
      if (waits[i] == 0) ready.insert({graph[i].size(), i});
    }
    if (k < unknowns)
      for (const int i : holds[k])
        if (--waits[i] == 0) ready.insert({graph[i].size(), i});
    result.later[k] = neighbours;
  }
  return result;
}

class FixedLu final : public LinearSolver {
 public:
  FixedLu(const SparsePattern& pattern, const Elimination& elimination)
      : pattern_(pattern), order_(elimination.order), x_(pattern.n) {
    const auto n = static_cast<std::size_t>(pattern.n);
    std::vector<int> place(n);  // of a row in the order
    for (std::size_t k = 0; k < n; ++k) place[order_[k]] = static_cast<int>(k);
    for (std::size_t k = 0; k < n; ++k) {
      Row row{static_cast<int>(entries_), static_cast<int>(later_.size()), 0};
      for (const int j : elimination.later[order_[k]]) later_.push_back(place[j]);
      row.count = static_cast<int>(later_.size()) - row.later;
      std::sort(later_.end() - row.count, later_.end());
      entries_ += 1 + 2 * static_cast<std::size_t>(row.count);
      rows_.push_back(row);
    }
    factor_.resize(entries_);
    sizes_.resize(n);
    for (int c = 0; c < pattern.n; ++c)
      for (int e = pattern.column_start[c]; e < pattern.column_start[c + 1]; ++e)
        places_.push_back(entry(place[pattern.row[e]], place[c]));
    for (const Row& row : rows_)
      for (int i = 0; i < row.count; ++i)
        for (int j = 0; j < row.count; ++j) updates_.push_back(entry(later_[row.later + i], later_[row.later + j]));
  }

  bool factorise(ConstVector values) override {
    if (factorise_in_order(values)) return !(by_other_ = false);
    by_other_ = true;
    if (other_ == nullptr) other_ = make_lu(pattern_);
    return other_->factorise(values);
  }

  void solve(Vector x) const override {
    if (by_other_) return other_->solve(x);
    const std::size_t n = order_.size();
    for (std::size_t k = 0; k < n; ++k) x_[k] = x[order_[k]];
    for (std::size_t k = 0; k < n; ++k) {
      const Row& row = rows_[k];
      const double* const l = factor_.data() + row.first + 1 + row.count;
      const int* const later = later_.data() + row.later;
      for (int j = 0; j < row.count; ++j) x_[later[j]] -= l[j] * x_[k];
    }
    for (std::size_t k = n; k-- > 0;) {
      const Row& row = rows_[k];
      const double* const u = factor_.data() + row.first + 1;
      const int* const later = later_.data() + row.later;
      double sum = x_[k];
      for (int j = 0; j < row.count; ++j) sum -= u[j] * x_[later[j]];
      x_[k] = sum * factor_[row.first];
    }
    for (std::size_t k = 0; k < n; ++k) x[order_[k]] = x_[k];
  }

 private:
  // Of the k-th pivot: in factor_ the inverse pivot, then its row of U, then its column of L; in later_ what these are
  // joined to.
  struct Row {
    int first, later, count;
  };

  // Where the entry of two places stands.
  int entry(int row, int column) const {
    const Row& at = rows_[std::min(row, column)];
    if (row == column) return at.first;
    const auto begin = later_.begin() + at.later, end = begin + at.count;
    const auto found = static_cast<int>(std::lower_bound(begin, end, std::max(row, column)) - begin);
    return at.first + 1 + found + (row > column ? at.count : 0);
  }

  bool factorise_in_order(ConstVector values) {
    std::fill(factor_.begin(), factor_.end(), 0.0);
    for (std::size_t e = 0; e < places_.size(); ++e) factor_[places_[e]] += values[e];
    for (std::size_t k = 0; k < rows_.size(); ++k) sizes_[k] = std::abs(factor_[rows_[k].first]);
    const int* update = updates_.data();
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      const Row& row = rows_[k];
      double* const pivot = factor_.data() + row.first;
      double *const u = pivot + 1, *const l = u + row.count;
      double largest = 0;
      for (int i = 0; i < 2 * row.count; ++i) largest = std::max(largest, std::abs(u[i]));
      const double size = std::abs(*pivot);
      if (!(size > least_pivot * sizes_[k]) || largest > largest_entry * size) return false;
      const double inverse = *pivot = 1 / *pivot;
      for (int i = 0; i < row.count; ++i) {
        l[i] *= inverse;
        sizes_[later_[row.later + i]] += std::abs(l[i] * u[i]);
        for (int j = 0; j < row.count; ++j) factor_[*update++] -= l[i] * u[j];
      }
    }
    return true;
  }

  SparsePattern pattern_;
  std::vector<int> order_;
  std::vector<Row> rows_;
  std::vector<int> later_, places_, updates_;  // places_: of the entries of the pattern
  std::size_t entries_ = 0;
  std::vector<double> factor_, sizes_;  // sizes_: what each pivot is the sum of
  mutable std::vector<double> x_;
  std::unique_ptr<LinearSolver> other_;
  bool by_other_ = false;
};

}  // namespace

std::unique_ptr<LinearSolver> make_fixed_lu(const SparsePattern& pattern, int unknowns) {
  std::optional<Neighbours> graph = symmetric_graph(pattern);
  if (!graph) return nullptr;
  const std::optional<Elimination> elimination = eliminated(std::move(*graph), unknowns);
  return elimination ? std::make_unique<FixedLu>(pattern, *elimination) : nullptr;
}

std::unique_ptr<LinearSolver> make_saddle_lu(const SparsePattern& pattern, int unknowns) {
  auto fixed = pattern.n > few ? make_fixed_lu(pattern, unknowns) : nullptr;
  return fixed != nullptr ? std::move(fixed) : make_lu(pattern);
}

}  // namespace livens
