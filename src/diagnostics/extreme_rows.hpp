// Rows of a run at which some quantity was smallest or largest within its stretch of the run.
//
// A plot of every tenth step may miss the peak that a statistic over every step reports; these rows contain it.
// When there are too many stretches neighbours merge in pairs, so that memory is bounded and what is kept never depends
// on where the run will end.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <livens/integrator.hpp>

namespace livens {

class ExtremeRows {
 public:
  using Row = std::vector<double>;

  ExtremeRows() = default;
  // columns: the quantities, as places in a row; entries that are not finite are ignored.
  explicit ExtremeRows(std::vector<std::size_t> columns);

  void add(std::span<const double> row);
  // As many rows; values[c][k] is the quantity c of row k, values[c] null where it is undefined, and row(k) all of it.
  void add(std::size_t count, std::span<const double* const> values,
           const std::function<std::span<const double>(std::size_t k)>& row);
  long count() const { return count_; }  // of rows that came
  std::vector<Row> rows() const;         // in the order in which they came, each once
  void visit_memory(MemoryVisitor& visitor);

 private:
  struct Kept {
    long number = 0;  // of all rows that came
    Row row;
  };
  using Place = std::shared_ptr<const Kept>;
  struct Stretch {
    std::vector<Place> low, high;  // by column; null: none yet
  };

  void read_extremes();
  static void take(std::vector<Place>& places, const std::vector<Place>& others,
                   const std::vector<std::size_t>& columns, double sign);
  void merge_pairs();

  std::vector<std::size_t> columns_;
  std::size_t most_ = 2;  // stretches
  long length_ = 1;       // of a stretch, in rows
  long count_ = 0;        // of all rows
  std::vector<Stretch> stretches_;
  std::vector<double> lowest_, highest_;  // of the last stretch, by column
};

}  // namespace livens
