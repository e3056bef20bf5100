// Sparse patterns in compressed columns, and the slot of every entry that the terms of a model emit.
#pragma once

#include <vector>

#include <livens/energy.hpp>

namespace livens {

struct SparsePattern {
  int n = 0;
  std::vector<int> column_start;  // n + 1
  std::vector<int> row;           // sorted within a column

  int nonzeros() const { return static_cast<int>(row.size()); }
  int slot(int r, int c) const;                                      // -1 if not in the pattern
  void multiply(ConstVector values, ConstVector x, Vector y) const;  // y = A x
};

// Collects entries of one or more emitters and turns them into a pattern.
class PatternSink final : public MatrixSink {
 public:
  void add_block(std::span<const int> rows, std::span<const int> columns, const double*) override;
  void add_entry(int row, int column) { entries_.push_back({row, column}); }
  std::size_t mark() const { return entries_.size(); }

  SparsePattern make_pattern(int n) const;
  // Slots of the entries in [from, to) in the order they were emitted.
  std::vector<int> slots(const SparsePattern& pattern, std::size_t from, std::size_t to) const;

 private:
  struct Entry {
    int row, column;
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

 private:
  const int* next_;
  double* values_;
};

}  // namespace livens
