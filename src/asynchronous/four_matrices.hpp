// Largest eigenvalues of small symmetric matrices, four at a time.
#pragma once

#include <algorithm>
#include <limits>

#include "math/pack_functions.hpp"

namespace livens {

inline constexpr double eigenvalue_tolerance = 1e-5;
inline constexpr int most_small_products = 16;

// Bounds of the eigenvalues of symmetric tridiagonal matrices of size n, one in each lane, by Gershgorin's circles.
inline Pack gershgorin_bound(const Pack* diagonal, const Pack* beside, int n) {
  Pack bound{};
  for (int i = 0; i < n; ++i)
    bound = max(bound, diagonal[i] + (i > 0 ? beside[i - 1] : Pack{}) + (i + 1 < n ? beside[i] : Pack{}));
  return bound;
}

// The largest eigenvalues, from above: Newton's method on the characteristic polynomials p from bounds, beyond which p
// and its slopes keep their sign.
inline Pack largest_of_tridiagonals(const Pack* diagonal, const Pack* beside, int n) {
  Pack x = gershgorin_bound(diagonal, beside, n);
  for (int repeat = 0; repeat < 40; ++repeat) {
    Pack p = x - diagonal[0], slope = broadcast(1), last_p = slope, last_slope{};
    for (int i = 1; i < n; ++i) {
      const Pack square = beside[i - 1] * beside[i - 1], from = x - diagonal[i];
      const Pack next = from * p - square * last_p, next_slope = p + from * slope - square * last_slope;
      last_p = p;
      last_slope = slope;
      p = next;
      slope = next_slope;
    }
    Pack change = p / slope;
    change = change > eigenvalue_tolerance * x ? change : Pack{};
    x -= change;
    if (sum(change) == 0) break;
  }
  return x;
}

// Symmetric matrices of size n of four stencils, one in each lane.
template <int n>
class FourMatrices {
 public:
  bool full() const { return count_ == 4; }
  // entry(i, j) of the matrix.
  template <class Entry>
  void add(int stencil, const Entry& entry) {
    stencil_[count_] = stencil;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) K_[i][j][count_] = entry(i, j);
    ++count_;
  }
  // body(stencil, its eigenvalue of largest size); no matrix is left.
  template <class Body>
  void take(const Body& body) {
    if (count_ == 0) return;
    const Pack size = scale();
    const Pack largest = size * largest_sizes();
    for (int lane = 0; lane < count_; ++lane) body(stencil_[lane], size[lane] > 0 ? largest[lane] : 0.0);
    count_ = 0;
  }

 private:
  // Over its largest entry eigenvalues are at most n. Zero where there is none, or one that is not finite.
  Pack scale() {
    Pack largest{};
    for (const auto& row : K_)
      for (const Pack& entry : row) largest = max(abs(entry), largest);
    largest = largest < broadcast(std::numeric_limits<double>::infinity()) ? largest : Pack{};
    const Pack inverse = largest > 0 ? 1 / largest : Pack{};
    for (auto& row : K_)
      for (Pack& entry : row) entry *= inverse;
    return largest;
  }

  // By Lanczos' method, which ends with the matrix itself after as many products as it has different eigenvalues.
  Pack largest_sizes() const {
    constexpr int most = std::min(n, most_small_products);
    Pack diagonal[most], beside[most], v[n], before[n] = {}, w[n], beta{};
    Pack square{};
    for (int i = 0; i < n; ++i) {
      v[i] = broadcast(1 + 0.37 * (i * 7 % 5) - 0.61 * (i * 3 % 4));  // along no symmetry
      square += v[i] * v[i];
    }
    for (int step = 0; step < most; ++step) {
      const Pack length = sqrt(square);
      if (step > 0) beside[step - 1] = beta = length > 1e-6 ? length : Pack{};
      const Pack inverse = length > 1e-6 ? 1 / length : Pack{};
      std::fill(w, w + n, Pack{});
      for (int j = 0; j < n; ++j) {
        v[j] *= inverse;
        for (int i = 0; i < n; ++i) w[i] += K_[j][i] * v[j];
      }
      Pack own{};
      for (int i = 0; i < n; ++i) own += v[i] * w[i];
      diagonal[step] = own;
      square = Pack{};
      for (int i = 0; i < n; ++i) {
        const Pack next = w[i] - own * v[i] - beta * before[i];
        before[i] = v[i];
        v[i] = next;
        square += next * next;
      }
    }
    const Pack positive = largest_of_tridiagonals(diagonal, beside, most);
    for (Pack& own : diagonal) own = -own;
    if (sum(max(gershgorin_bound(diagonal, beside, most) - positive, Pack{})) == 0) return positive;
    return max(positive, largest_of_tridiagonals(diagonal, beside, most));
  }

  int count_ = 0;
  int stencil_[4];
  Pack K_[n][n] = {};
};

}  // namespace livens
