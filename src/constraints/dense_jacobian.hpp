// Derivatives of a constraint as a dense matrix over its coordinates: of each equation by each of them, or of the
// second derivatives of one.
#pragma once

#include <algorithm>
#include <vector>

#include <livens/matrix_sink.hpp>

namespace livens {

class DenseJacobian final : public MatrixSink {
 public:
  // coordinates: sorted; they outlive this.
  DenseJacobian(const std::vector<int>& coordinates, std::size_t count)
      : rows(count * coordinates.size(), 0.0), coordinates_(coordinates) {}
  // Rows are coordinates, too, as in second derivatives.
  void index_rows_as_columns() { square_ = true; }
  void add_block(std::span<const int> equations, std::span<const int> columns, const double* values) override {
    for (std::size_t r = 0; r < equations.size(); ++r) {
      const auto row = square_ ? place(equations[r]) : static_cast<std::size_t>(equations[r]);
      for (std::size_t c = 0; c < columns.size(); ++c)
        rows[row * coordinates_.size() + place(columns[c])] += values[r * columns.size() + c];
    }
  }
  BlockAccess blocks(std::span<const int>, int, int) override { return {}; }
  std::vector<double> rows;

 private:
  std::size_t place(int coordinate) const {
    return static_cast<std::size_t>(std::lower_bound(coordinates_.begin(), coordinates_.end(), coordinate) -
                                    coordinates_.begin());
  }
  const std::vector<int>& coordinates_;
  bool square_ = false;
};

}  // namespace livens
