// Generalised minimal residuals with a preconditioner that may change from iteration to iteration, such as a few
// iterations of conjugate gradients (Y. Saad, SIAM J. Sci. Comput. 14 (1993)): for matrices that are not symmetric and
// near one that is.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <livens/matrix_sink.hpp>

#include "solve/dot.hpp"

namespace livens {

class FlexibleGmres {
 public:
  static constexpr std::size_t most = 16;  // iterations

  // Of |b - A x| over |b|: `enough` is what a solve goes on for in any case, `wanted` what it goes on for while an
  // iteration leaves less than `quick`.
  struct Reduction {
    double enough, wanted, quick;
  };

  // x = A^-1 b up to the reduction, or as far as `most` iterations go. multiply(x, y): y = A x; precondition(b, x): x
  // near A^-1 b, false if there is none. False without any iteration.
  template <class Multiply, class Precondition>
  bool solve(const Multiply& multiply, const Precondition& precondition, ConstVector b, Vector x,
             const Reduction& reduction) {
    const double size = std::sqrt(dot(b, b));
    std::fill(x.begin(), x.end(), 0.0);
    iterations_ = 0;
    left_ = 1;
    if (!(size > 0)) return true;
    begin(b, size);
    std::size_t j = 0;
    double rate = 1;
    while (j < most && left_ > (rate < reduction.quick ? reduction.wanted : reduction.enough)) {
      if (!precondition(ConstVector(basis_[j]), Vector(step_[j]))) break;
      multiply(ConstVector(step_[j]), Vector(basis_[j + 1]));
      const bool more = orthogonalise(j);
      rotate(j++);
      const double left = std::abs(right_[j]) / size;
      rate = left / left_;
      left_ = left;
      if (!more) break;
    }
    iterations_ = j;
    if (j == 0) return false;
    for (std::size_t i = j; i-- > 0;) {
      for (std::size_t k = i + 1; k < j; ++k) right_[i] -= column_[k][i] * right_[k];
      right_[i] /= column_[i][i];
    }
    for_chunks(x.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = 0; k < j; ++k)
        for (std::size_t i = begin; i < end; ++i) x[i] += right_[k] * step_[k][i];
    });
    return true;
  }
  std::size_t iterations() const { return iterations_; }
  double left() const { return left_; }  // |b - A x| / |b|

 private:
  void begin(ConstVector b, double size) {
    for (std::size_t k = 0; k < most + 1; ++k) {
      basis_[k].resize(b.size());
      if (k < most) step_[k].resize(b.size());
    }
    for (std::size_t i = 0; i < b.size(); ++i) basis_[0][i] = b[i] / size;
    std::fill(right_, right_ + most + 1, 0.0);
    right_[0] = size;
  }
  // Of w = basis_[j + 1], all at once, and once more where little is left, which once leaves to rounding. False if
  // nothing new is left.
  bool orthogonalise(std::size_t j) {
    constexpr double little = 1e-3;
    std::vector<double>& w = basis_[j + 1];
    const double before = std::sqrt(dot(w, w));
    double rest = 0;
    std::fill(column_[j], column_[j] + most + 1, 0.0);
    for (int pass = 0; pass == 0 || (pass == 1 && !(rest > little * before)); ++pass) {
      double part[most];
      for (std::size_t k = 0; k <= j; ++k) column_[j][k] += part[k] = dot(basis_[k], w);
      for_chunks(w.size(), [&](std::size_t begin, std::size_t end) { subtract(part, j + 1, w.data(), begin, end); });
      rest = std::sqrt(dot(w, w));
    }
    column_[j][j + 1] = rest;
    if (!(rest > 1e-14 * before)) return false;
    for_chunks(w.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) w[i] /= rest;
    });
    return true;
  }
  // w -= sum_k part_k basis_k, in runs that stay in the cache.
  void subtract(const double* part, std::size_t count, double* w, std::size_t begin, std::size_t end) const {
    constexpr std::size_t run = 512;
    for (; begin < end; begin += run) {
      const std::size_t last = std::min(end, begin + run);
      for (std::size_t k = 0; k < count; ++k) {
        const double* from = basis_[k].data();
        for (std::size_t i = begin; i < last; ++i) w[i] -= part[k] * from[i];
      }
    }
  }
  // Givens' rotations of the new column, and the one that takes its last entry away.
  void rotate(std::size_t j) {
    double* h = column_[j];
    for (std::size_t k = 0; k < j; ++k) {
      const double low = cosine_[k] * h[k] + sine_[k] * h[k + 1];
      h[k + 1] = cosine_[k] * h[k + 1] - sine_[k] * h[k];
      h[k] = low;
    }
    const double length = std::hypot(h[j], h[j + 1]);
    cosine_[j] = length > 0 ? h[j] / length : 1;
    sine_[j] = length > 0 ? h[j + 1] / length : 0;
    h[j] = length;
    h[j + 1] = 0;
    right_[j + 1] = -sine_[j] * right_[j];
    right_[j] *= cosine_[j];
  }

  std::vector<double> basis_[most + 1], step_[most];
  double column_[most][most + 1] = {}, right_[most + 1] = {}, cosine_[most] = {}, sine_[most] = {};
  std::size_t iterations_ = 0;
  double left_ = 1;
};

}  // namespace livens
