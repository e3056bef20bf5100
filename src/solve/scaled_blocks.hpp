// A matrix of B x B blocks, given on a sparse pattern, scaled by the Cholesky factors of its diagonal blocks
// A_ii = C_i C_i': C_i^-1 A_ij C_j^-T. Right sides and solutions are scaled with it.
#pragma once

#include <array>
#include <vector>

#include "math/parallel.hpp"
#include "math/sparse_pattern.hpp"
#include "solve/block_rows.hpp"

namespace livens {

template <int B>
class ScaledBlocks {
 public:
  using Lanes = NodeLanes<B>;

  // node: the order of the nodes in scaled matrices and vectors.
  ScaledBlocks(const SparsePattern& pattern, const std::vector<int>& node) : node_(node) {
    std::vector<int> position(node.size());
    for (std::size_t i = 0; i < node.size(); ++i) position[node[i]] = static_cast<int>(i);
    factor_.resize(node.size());
    inverse_.resize(node.size());
    alone_.resize(node.size());
    // Blocks of a row in the order of its columns: offsets within the column of the pattern.
    std::vector<std::array<int, 2>> row;
    for (std::size_t i = 0; i < node.size(); ++i) {
      const int begin = pattern.column_start[node[i] * B], end = pattern.column_start[node[i] * B + 1];
      row.clear();
      source_.push_back({begin, end - begin, 0});
      for (int k = begin; k < end; k += B) {
        const int j = position[pattern.row[k] / B];
        if (j == static_cast<int>(i))
          source_.back().diagonal = k - begin;
        else
          row.push_back({j, k - begin});
      }
      std::sort(row.begin(), row.end());
      for (const auto& entry : row) offset_.push_back(entry[1]);
    }
  }

  // False if a diagonal block is not positive definite.
  bool factorise(ConstVector values) {
    std::vector<char> good(node_.size());
    each([&](int i) { good[i] = factorise(values, i) ? 1 : 0; });
    return std::find(good.begin(), good.end(), 0) == good.end();
  }

  // By the factors of the matrix that was factorised last.
  void scale(ConstVector values, BlockRows<B>& matrix) const {
    each([&](int i) {
      const Source& source = source_[i];
      const double* column = values.data() + source.begin;
      for (int k = matrix.begin(i); k < matrix.end(i); ++k)
        write(scaled(i, matrix.column(k), column + offset_[k], source.length), matrix.block(k));
    });
  }

  bool is_alone(int i, int c) const { return (alone_[i] >> c & 1) != 0; }

  // to = C_i' from, of B rows of `columns` numbers.
  void apply_factor_transposed(int i, const double* from, int columns, double* to) const {
    for (int r = 0; r < B; ++r)
      for (int c = 0; c < columns; ++c) {
        double sum = 0;
        for (int m = r; m < B; ++m) sum += factor_[i][m * B + r] * from[m * columns + c];
        to[r * columns + c] = sum;
      }
  }

  void scale_right_side(ConstVector b, double size, std::vector<float>& to) const {  // C^-1 b / size
    each([&](int i) {
      for (int r = 0; r < B; ++r) {
        double sum = 0;
        for (int m = 0; m <= r; ++m) sum += inverse_[i][r * B + m] * b[node_[i] * B + m];
        to[BlockRows<B>::at(i) + r] = static_cast<float>(sum / size);
      }
    });
  }
  void scale_solution(const std::vector<float>& from, double size, Vector x) const {  // size C^-T x
    each([&](int i) {
      for (int k = 0; k < B; ++k) {
        double sum = 0;
        for (int m = k; m < B; ++m) sum += inverse_[i][m * B + k] * static_cast<double>(from[BlockRows<B>::at(i) + m]);
        x[node_[i] * B + k] = size * sum;
      }
    });
  }

 private:
  using Square = std::array<double, static_cast<std::size_t>(B* B)>;  // by rows
  struct Source {
    int begin, length, diagonal;  // first column of the node, distance of its columns, offset of the diagonal block
  };

  template <class Body>
  void each(const Body& body) const {
    for_chunks(node_.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) body(static_cast<int>(i));
    });
  }

  bool factorise(ConstVector values, int i) {
    const Source& source = source_[i];
    const double* a = values.data() + source.begin + source.diagonal;
    Square &c = factor_[i], &inverse = inverse_[i];
    c.fill(0);
    inverse.fill(0);
    for (int k = 0; k < B; ++k) {
      double pivot = a[k * source.length + k];
      for (int m = 0; m < k; ++m) pivot -= c[k * B + m] * c[k * B + m];
      if (!(pivot > 0)) return false;
      c[k * B + k] = std::sqrt(pivot);
      for (int r = k + 1; r < B; ++r) {
        double entry = a[k * source.length + r];
        for (int m = 0; m < k; ++m) entry -= c[r * B + m] * c[k * B + m];
        c[r * B + k] = entry / c[k * B + k];
      }
    }
    for (int k = 0; k < B; ++k) {
      inverse[k * B + k] = 1 / c[k * B + k];
      for (int r = k + 1; r < B; ++r) {
        double entry = 0;
        for (int m = k; m < r; ++m) entry -= c[r * B + m] * inverse[m * B + k];
        inverse[r * B + k] = entry / c[r * B + r];
      }
    }
    alone_[i] = 0;
    for (int k = 0; k < B; ++k) {  // column k of the node: is anything but its diagonal in it?
      bool alone = true;
      const double* column = values.data() + source.begin + k * source.length;
      for (int r = 0; r < source.length && alone; ++r) alone = column[r] == 0 || r == source.diagonal + k;
      if (alone) alone_[i] = static_cast<unsigned char>(alone_[i] | 1u << k);
    }
    return true;
  }

  // C_i^-1 A_ij C_j^-T. By symmetry row r of A_ij is a run of column r of node i.
  Square scaled(int i, int j, const double* a, int length) const {
    Square u{}, w{};
    for (int r = 0; r < B; ++r)
      for (int c = 0; c < B; ++c)
        for (int m = 0; m <= c; ++m) u[r * B + c] += a[r * length + m] * inverse_[j][c * B + m];
    for (int r = 0; r < B; ++r)
      for (int c = 0; c < B; ++c)
        for (int m = 0; m <= r; ++m) w[r * B + c] += inverse_[i][r * B + m] * u[m * B + c];
    return w;
  }
  static void write(const Square& from, float* to) {
    for (int c = 0; c < B; ++c)
      for (int r = 0; r < B; ++r) to[c * Lanes::stride + r] = static_cast<float>(from[r * B + c]);
  }

  std::vector<int> node_;
  std::vector<Source> source_;
  std::vector<int> offset_;
  std::vector<Square> factor_, inverse_;
  std::vector<unsigned char> alone_;
};

}  // namespace livens
