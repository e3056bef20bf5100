// Sparse patterns in compressed columns, and the slot of every entry that the terms of a model emit.
#pragma once

#include <vector>

#include <livens/matrix_sink.hpp>

namespace livens {

// With block = d > 1 the pattern consists of whole d x d blocks: the d columns of a node have the same rows, and these
// come in runs of d.
struct SparsePattern {
  int n = 0;
  int block = 1;
  std::vector<int> column_start;  // n + 1
  std::vector<int> row;           // sorted within a column
  std::vector<double> reference;  // place of the nodes in the reference shape, per column; empty: rows are no nodes

  int nonzeros() const { return static_cast<int>(row.size()); }
  int slot(int r, int c) const;                                      // -1 if not in the pattern
  void multiply(ConstVector values, ConstVector x, Vector y) const;  // y = A x
};

// All n x n entries, column by column.
SparsePattern full_pattern(int n);

// Collects entries of one or more emitters and turns them into a pattern.
class PatternSink final : public MatrixSink {
 public:
  void add_block(std::span<const int> rows, std::span<const int> columns, const double*) override;
  BlockAccess blocks(std::span<const int> first, int per_stencil, int dimension) override;
  void add_entry(int row, int column) { entries_.push_back({row, column, false}); }
  std::size_t mark() const { return entries_.size(); }

  SparsePattern make_pattern(int n, int block) const;
  // Slots of the entries in [from, to) in the order they were emitted; of a block, its slot and the distance between
  // its columns.
  std::vector<int> slots(const SparsePattern& pattern, std::size_t from, std::size_t to) const;

 private:
  struct Entry {
    int row, column;
    bool of_block;  // stands for all entries of the block that begins here
  };
  std::vector<Entry> entries_;
};

// Adds scale * blocks to the values of a matrix, following a tape of slots.
class SlotSink final : public MatrixSink {
 public:
  SlotSink(const std::vector<int>& slots, Vector values) : next_(slots.data()), values_(values.data()) {}
  void add_block(std::span<const int> rows, std::span<const int> columns, const double* block) override {
    const std::size_t count = rows.size() * columns.size();
    for (std::size_t k = 0; k < count; ++k) values_[next_[k]] += block[k];
    next_ += count;
  }
  BlockAccess blocks(std::span<const int> first, int per_stencil, int) override {
    const BlockAccess access{values_, next_};
    next_ += 2 * first.size() * static_cast<std::size_t>(per_stencil);
    return access;
  }

 private:
  const int* next_;
  double* values_;
};

}  // namespace livens
