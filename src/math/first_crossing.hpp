// Where a polynomial on [0, 1] first falls below 0, by Bernstein's form: a polynomial lies between the least and the
// largest of its coefficients there, and has no more zeros than these change sign. Pieces are halved until one change
// of sign is left; its zero is then found by bisection, to rounding.
#pragma once

#include <algorithm>
#include <array>
#include <optional>

namespace livens {

// a[0] + a[1] s + ... of degree n. A start at 0 or below counts as 0: it falls at once, or has to rise before it falls.
// Nothing if it stays above -tolerance: rounding of what touches at rest.
template <int n>
std::optional<double> first_crossing(std::array<double, n + 1> a, double tolerance = 0) {
  if (a[0] <= 0) a[0] = 0;
  // b_i = sum_j C(i, j)/C(n, j) a_j
  std::array<double, n + 1> b{};
  for (int i = 0; i <= n; ++i) {
    double ratio = 1;
    for (int j = 0; j <= i; ++j) {
      b[i] += ratio * a[j];
      ratio *= static_cast<double>(i - j) / (n - j);
    }
  }
  if (*std::min_element(b.begin(), b.end()) >= -tolerance) return std::nullopt;
  struct Piece {
    std::array<double, n + 1> b;
    double begin, length;
  };
  constexpr int most = 60;  // halvings
  std::array<Piece, most + 2> stack;
  int depth = 0;
  stack[depth++] = {b, 0, 1};
  const auto value = [&a](double s) {
    double sum = 0;
    for (int j = n; j >= 0; --j) sum = sum * s + a[j];
    return sum;
  };
  while (depth > 0) {
    const Piece piece = stack[--depth];
    int changes = 0;
    bool below = false;
    for (const double coefficient : piece.b) {
      if ((coefficient < 0) != below) ++changes;
      below = coefficient < 0;
    }
    if (changes == 0) continue;
    if (piece.b[0] < 0) return piece.begin;
    if (changes == 1 || depth >= most || piece.length < 1e-15) {
      double low = piece.begin, high = piece.begin + piece.length;
      for (double middle = 0.5 * (low + high); low < middle && middle < high; middle = 0.5 * (low + high))
        (value(middle) < 0 ? high : low) = middle;
      if (changes == 1) return low;
      continue;  // a touch that rounding does not tell from none
    }
    Piece left{{}, piece.begin, 0.5 * piece.length},
        right{piece.b, piece.begin + 0.5 * piece.length, 0.5 * piece.length};
    for (int i = 0; i <= n; ++i) {
      left.b[i] = right.b[0];
      for (int k = 0; k < n - i; ++k) right.b[k] = 0.5 * (right.b[k] + right.b[k + 1]);
    }
    stack[depth++] = right;
    stack[depth++] = left;
  }
  return std::nullopt;
}

}  // namespace livens
