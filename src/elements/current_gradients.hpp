// Gradients by the current shape, for damping that takes it as stress-free.
#pragma once

#include "elements/element_block.hpp"

namespace livens {

inline constexpr double smallest_volume = 0.1;  // of the reference

// b_a := F^-T b_a; returns J * weight, that of the current shape.
template <int N, int D>
inline Pack current_gradients(const Pack (&x)[N][D], const Pack* reference, Pack (&b)[(N - 1) * D]) {
  Pack F[D][D], c[D][D];
  deformation<N, D>(x, reference + 1, F);
  // Flat and inverted shapes count as the smallest volume: the stress stays symmetric and dissipates.
  const Pack j = max(cofactor(F, c), broadcast(smallest_volume)), inverse = 1.0 / j;
  LIVENS_FOR (int a = 0; a < N - 1; ++a)
    LIVENS_FOR (int i = 0; i < D; ++i) {
      const Pack* r = reference + 1 + a * D;
      Pack sum = c[i][0] * r[0] + c[i][1] * r[1];
      if constexpr (D == 3) sum += c[i][2] * r[2];
      b[a * D + i] = sum * inverse;
    }
  return j * reference[0];
}

}  // namespace livens
