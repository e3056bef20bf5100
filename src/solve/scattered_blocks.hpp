// A sparse matrix of small blocks that come in any order and may come twice, such as the second derivatives of
// contacts: found by tasks side by side, then put together by rows. Sums are in the order of tasks and of what came
// within them, for any number of threads.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include <livens/matrix_sink.hpp>

#include "math/parallel.hpp"

namespace livens {

class ScatteredBlocks {
 public:
  struct Block {
    int row, column;               // nodes
    std::array<double, 9> values;  // in columns
  };

  // collect(task, list) for every task fills its list of blocks of d x d.
  template <class Collect>
  void gather(std::size_t tasks, int nodes, int d, const Collect& collect) {
    if (lists_.size() < tasks) lists_.resize(tasks);
    d_ = d;
    for_each_index(tasks, [&](std::size_t k) {
      lists_[k].clear();
      collect(k, lists_[k]);
    });
    start_.assign(static_cast<std::size_t>(nodes) + 1, 0);
    for (std::size_t k = 0; k < tasks; ++k)
      for (const Block& block : lists_[k]) ++start_[block.row + 1];
    rows_.clear();
    for (int i = 0; i < nodes; ++i) {
      if (start_[i + 1] > 0) rows_.push_back(i);
      start_[i + 1] += start_[i];
    }
    by_rows_.resize(start_.back());
    next_.assign(start_.begin(), start_.end() - 1);
    for (std::size_t k = 0; k < tasks; ++k)
      for (const Block& block : lists_[k]) by_rows_[next_[block.row]++] = &block;
  }
  void clear() {
    rows_.clear();
    by_rows_.clear();
  }

  // visit(row, blocks) for every row that has blocks; rows on all threads.
  template <class Visit>
  void for_each_row(const Visit& visit) const {
    const std::size_t tasks = (rows_.size() + rows_each - 1) / rows_each;
    for_each_index(tasks, [&](std::size_t k) {
      for (std::size_t r = k * rows_each; r < std::min(rows_.size(), (k + 1) * rows_each); ++r) visit(r, row(r));
    });
  }
  std::size_t rows() const { return rows_.size(); }
  std::span<const Block* const> row(std::size_t r) const { return row_of_node(rows_[r]); }

  // y += A x
  void add_product(ConstVector x, Vector y) const {
    for_each_row([&](std::size_t, std::span<const Block* const> blocks) {
      double* to = y.data() + blocks.front()->row * d_;
      for (const Block* block : blocks)
        for (int b = 0; b < d_; ++b)
          for (int a = 0; a < d_; ++a) to[a] += block->values[b * d_ + a] * x[block->column * d_ + b];
    });
  }
  int dimension() const { return d_; }
  const std::vector<int>& nodes() const { return rows_; }
  std::span<const Block* const> row_of_node(int node) const {
    if (rows_.empty()) return {};
    return {by_rows_.data() + start_[node], by_rows_.data() + start_[node + 1]};
  }

 private:
  static constexpr std::size_t rows_each = 256;  // of a task

  int d_ = 3;
  std::vector<std::vector<Block>> lists_;  // of the tasks
  std::vector<int> start_, next_, rows_;   // rows_: those that have blocks
  std::vector<const Block*> by_rows_;
};

// The difference of two such matrices with one block for each pair of nodes, for many products.
class MergedBlocks {
 public:
  // all - less; less may be null.
  void merge(const ScatteredBlocks& all, const ScatteredBlocks* less) {
    d_ = all.dimension();
    nodes_ = all.nodes();
    if (less != nullptr) {
      nodes_.insert(nodes_.end(), less->nodes().begin(), less->nodes().end());
      std::sort(nodes_.begin(), nodes_.end());
      nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
    }
    const std::size_t tasks = (nodes_.size() + rows_each - 1) / rows_each;
    if (tasks_.size() < tasks) tasks_.resize(tasks);
    for_each_index(tasks, [&](std::size_t k) {
      Rows& rows = tasks_[k];
      rows.start.assign(1, 0);
      rows.column.clear();
      rows.value.clear();
      for (std::size_t r = k * rows_each; r < std::min(nodes_.size(), (k + 1) * rows_each); ++r) {
        add(all.row_of_node(nodes_[r]), 1, rows);
        if (less != nullptr) add(less->row_of_node(nodes_[r]), -1, rows);
        rows.start.push_back(static_cast<int>(rows.column.size()));
      }
    });
  }
  // y += A x
  void add_product(ConstVector x, Vector y) const {
    const std::size_t tasks = (nodes_.size() + rows_each - 1) / rows_each;
    for_each_index(tasks, [&](std::size_t k) {
      if (d_ == 3)
        multiply<3>(k, x.data(), y.data());
      else
        multiply<2>(k, x.data(), y.data());
    });
  }

 private:
  static constexpr std::size_t rows_each = 256;  // of a task
  struct Rows {
    std::vector<int> start, column;
    std::vector<double> value;  // of the blocks, in columns
  };

  void add(std::span<const ScatteredBlocks::Block* const> blocks, double sign, Rows& rows) const {
    const int size = d_ * d_;
    for (const ScatteredBlocks::Block* block : blocks) {
      auto place = static_cast<std::size_t>(rows.start.back());
      while (place < rows.column.size() && rows.column[place] != block->column) ++place;
      if (place == rows.column.size()) {
        rows.column.push_back(block->column);
        rows.value.resize(rows.value.size() + static_cast<std::size_t>(size), 0.0);
      }
      double* to = rows.value.data() + place * static_cast<std::size_t>(size);
      for (int i = 0; i < size; ++i) to[i] += sign * block->values[i];
    }
  }
  template <int d>
  void multiply(std::size_t task, const double* x, double* y) const {
    const Rows& rows = tasks_[task];
    for (std::size_t r = 0; r + 1 < rows.start.size(); ++r) {
      double sum[d] = {};
      for (int k = rows.start[r]; k < rows.start[r + 1]; ++k) {
        const double *block = rows.value.data() + static_cast<std::ptrdiff_t>(k) * d * d,
                     *from = x + rows.column[k] * d;
        for (int b = 0; b < d; ++b)
          for (int a = 0; a < d; ++a) sum[a] += block[b * d + a] * from[b];
      }
      double* to = y + nodes_[task * rows_each + r] * d;
      for (int a = 0; a < d; ++a) to[a] += sum[a];
    }
  }

  int d_ = 3;
  std::vector<int> nodes_;  // whose rows have blocks
  std::vector<Rows> tasks_;
};

}  // namespace livens
