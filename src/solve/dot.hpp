// Sums of products in a fixed order, on all threads.
#pragma once

#include <livens/matrix_sink.hpp>

#include "math/parallel.hpp"

namespace livens {

// Four sums side by side: the order is fixed, and they keep the pipeline busy.
inline double dot(ConstVector a, ConstVector b) {
  return sum_chunks(a.size(), [&](std::size_t begin, std::size_t end) {
    double sum[4] = {};
    std::size_t i = begin;
    for (; i + 4 <= end; i += 4)
      for (std::size_t k = 0; k < 4; ++k) sum[k] += a[i + k] * b[i + k];
    for (; i < end; ++i) sum[0] += a[i] * b[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  });
}

}  // namespace livens
