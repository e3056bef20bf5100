// A symmetric matrix of B x B blocks by rows, in single precision, scaled so that its diagonal blocks are identities:
// A = I + L + L'. Nodes are numbered in the order in which sweeps visit them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "math/parallel.hpp"
#include "solve/aggregation.hpp"
#include "solve/sweep_order.hpp"

namespace livens {

template <int W>
struct FloatLanes;
template <>
struct FloatLanes<4> {
  typedef float Type __attribute__((vector_size(16)));
};
template <>
struct FloatLanes<8> {
  typedef float Type __attribute__((vector_size(32)));
};

// The numbers of a node: B of W lanes. Columns of a block begin at every `stride`; what is loaded beyond a column is
// thrown away.
template <int B>
struct NodeLanes {
  static constexpr int W = B == 6 ? 8 : 4, stride = B == 6 ? 8 : B, block = B * stride;
  using V = typename FloatLanes<W>::Type;

  static V load(const float* from) {
    V value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  static void store(float* to, V value) {
    for (int k = B; k < W; ++k) value[k] = 0;
    std::memcpy(to, &value, sizeof value);
  }
  static double dot(V a, V b) {
    double sum = 0;
    for (int k = 0; k < B; ++k) sum += static_cast<double>(a[k]) * static_cast<double>(b[k]);
    return sum;
  }
};

template <int B>
class BlockRows {
 public:
  using Lanes = NodeLanes<B>;
  using V = typename Lanes::V;
  static constexpr int W = Lanes::W;

  BlockRows() = default;
  // graph: in the order of the sweeps.
  BlockRows(const NodeGraph& graph, SweepOrder order) : order_(std::move(order)), start_(graph.start) {
    column_ = graph.neighbour;
    for (int i = 0; i < graph.size(); ++i) {
      const auto row = graph.at(i);
      middle_.push_back(start_[i] + static_cast<int>(std::lower_bound(row.begin(), row.end(), i) - row.begin()));
    }
    value_.assign(column_.size() * Lanes::block + W, 0.0f);
    partial_.resize(order_.interiors.size() + order_.separators.size());
  }

  int size() const { return static_cast<int>(middle_.size()); }
  int begin(int i) const { return start_[i]; }
  int end(int i) const { return start_[i + 1]; }
  int middle(int i) const { return middle_[i]; }  // the first entry beyond the diagonal
  int column(int k) const { return column_[k]; }
  int entries() const { return static_cast<int>(column_.size()); }
  float* block(int k) { return value_.data() + static_cast<std::size_t>(k) * Lanes::block; }
  const float* block(int k) const { return value_.data() + static_cast<std::size_t>(k) * Lanes::block; }
  const SweepOrder& order() const { return order_; }
  int pieces() const { return static_cast<int>(order_.interiors.size()); }

  // Sum of work(range) over all pieces, in order.
  template <class Work>
  double each_piece(const Work& work) {
    const std::size_t inner = order_.interiors.size(), outer = order_.separators.size();
    for_each_index(inner, [&](std::size_t k) { partial_[k] = work(order_.interiors[k]); });
    for_each_index(outer, [&](std::size_t k) { partial_[inner + k] = work(order_.separators[k]); });
    double sum = 0;
    for (const double part : partial_) sum += part;
    return sum;
  }

  // x = (I + L)^-1 b
  void forward(const float* b, float* x) {
    const auto sweep = [&](const NodeRange& range) {
      for (int i = range.begin; i < range.end; ++i)
        Lanes::store(x + at(i), Lanes::load(b + at(i)) - product(start_[i], middle_[i], x));
      return 0.0;
    };
    each_piece(sweep);
  }
  // r = -L' x, what is left of b after a sweep from zero.
  void left_over(const float* x, float* r) {
    each_piece([&](const NodeRange& range) {
      for (int i = range.begin; i < range.end; ++i) Lanes::store(r + at(i), -product(middle_[i], start_[i + 1], x));
      return 0.0;
    });
  }
  // One sweep of Gauss and Seidel from the end: x = (I + L')^-1 (b - L x)
  void backward(const float* b, float* x) {
    const auto sweep = [&](const NodeRange& range) {
      for (int i = range.end - 1; i >= range.begin; --i)
        Lanes::store(x + at(i), Lanes::load(b + at(i)) - product(start_[i], start_[i + 1], x));
    };
    for_each_index(order_.separators.size(), [&](std::size_t k) { sweep(order_.separators[k]); });
    for_each_index(order_.interiors.size(), [&](std::size_t k) { sweep(order_.interiors[k]); });
  }
  // y = A x; returns x.y
  double multiply(const float* x, float* y) {
    return each_piece([&](const NodeRange& range) {
      double sum = 0;
      for (int i = range.begin; i < range.end; ++i) {
        const V xi = Lanes::load(x + at(i)), yi = xi + product(start_[i], start_[i + 1], x);
        Lanes::store(y + at(i), yi);
        sum += Lanes::dot(xi, yi);
      }
      return sum;
    });
  }
  // The largest eigenvalue, from below, by power iterations: x and y are workspace.
  double largest_eigenvalue(float* x, float* y, int iterations) {
    double norm = 0, value = 1;
    unsigned noise = 1;
    for (int i = 0; i < size(); ++i)
      for (int c = 0; c < W; ++c) {
        noise = noise * 1664525u + 1013904223u;
        x[at(i) + c] = c < B ? static_cast<float>(noise >> 8) * 0x1p-23f - 1 : 0;
        norm += static_cast<double>(x[at(i) + c]) * static_cast<double>(x[at(i) + c]);
      }
    for (int k = 0; k < iterations; ++k) {
      value = multiply(x, y) / norm;
      double square = 0;
      for (std::size_t i = 0; i < at(size()); ++i) square += static_cast<double>(y[i]) * static_cast<double>(y[i]);
      const auto scale = static_cast<float>(1 / std::sqrt(square));
      for (std::size_t i = 0; i < at(size()); ++i) x[i] = scale * y[i];
      norm = 1;
    }
    return value;
  }

  static std::size_t at(int i) { return static_cast<std::size_t>(i) * W; }

 private:
  // Sum of A_ij x_j over the entries [from, to).
  V product(int from, int to, const float* x) const {
    V sums[B] = {};  // one per column: a chain of additions would wait for each
    const float* a = block(from);
    for (int k = from; k < to; ++k, a += Lanes::block) {
      const float* xj = x + at(column_[k]);
#pragma GCC unroll 6
      for (int c = 0; c < B; ++c) sums[c] += Lanes::load(a + c * Lanes::stride) * xj[c];
    }
    for (int c = 1; c < B; ++c) sums[0] += sums[c];
    return sums[0];
  }

  SweepOrder order_;
  std::vector<int> start_, middle_, column_;
  std::vector<float> value_;
  std::vector<double> partial_;
};

}  // namespace livens
