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

  // visit(row, blocks) for every row that has blocks; rows on all threads.
  template <class Visit>
  void for_each_row(const Visit& visit) const {
    const std::size_t tasks = (rows_.size() + rows_each - 1) / rows_each;
    for_each_index(tasks, [&](std::size_t k) {
      for (std::size_t r = k * rows_each; r < std::min(rows_.size(), (k + 1) * rows_each); ++r) visit(r, row(r));
    });
  }
  std::size_t rows() const { return rows_.size(); }
  std::span<const Block* const> row(std::size_t r) const {
    return {by_rows_.data() + start_[rows_[r]], by_rows_.data() + start_[rows_[r] + 1]};
  }

  // y += scale A x
  void add_product(ConstVector x, double scale, Vector y) const {
    for_each_row([&](std::size_t, std::span<const Block* const> blocks) {
      std::array<double, 3> sum{};
      for (const Block* block : blocks)
        for (int b = 0; b < d_; ++b)
          for (int a = 0; a < d_; ++a) sum[a] += block->values[b * d_ + a] * x[block->column * d_ + b];
      double* to = y.data() + blocks.front()->row * d_;
      for (int a = 0; a < d_; ++a) to[a] += scale * sum[a];
    });
  }

 private:
  static constexpr std::size_t rows_each = 256;  // of a task

  int d_ = 3;
  std::vector<std::vector<Block>> lists_;  // of the tasks
  std::vector<int> start_, next_, rows_;   // rows_: those that have blocks
  std::vector<const Block*> by_rows_;
};

}  // namespace livens
