// Whether numbers are finite, at the cost of one subtraction each: for loops that check what they compute and are to
// stay vectorised. A single number elsewhere is asked with std::isfinite.
#pragma once

#include <cstddef>
#include <span>

namespace livens {

// 0 if x is finite, otherwise NaN; so a sum of these is 0 if and only if all are finite. Of packs, lane by lane.
template <class T>
constexpr T zero_if_finite(T x) {
  return x - x;
}

inline bool is_finite(double x) { return zero_if_finite(x) == 0; }

inline bool all_finite(std::span<const double> values) {
  double check[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= values.size(); i += 4)
    for (std::size_t k = 0; k < 4; ++k) check[k] += zero_if_finite(values[i + k]);
  for (; i < values.size(); ++i) check[0] += zero_if_finite(values[i]);
  return check[0] + check[1] + check[2] + check[3] == 0;
}

}  // namespace livens
