// Linear-elastic forces and stiffness of elements with given gradients and weights, four at a time.
//
//   s = lambda tr(e) I + 2 mu e,  e = sym(grad u);  K_ab = V [ lambda b_a b_b' + mu (b_a.b_b I + b_b b_a') ]
#pragma once

#include "elements/element_block.hpp"

namespace livens {

// s = weight * stress of the gradient G of a displacement or velocity.
template <int D>
inline void linear_stress(const Pack (&G)[D][D], Pack weight, double lambda, double mu, Pack (&s)[D][D]) {
  Pack trace = G[0][0] + G[1][1];
  if constexpr (D == 3) trace += G[2][2];
  LIVENS_FOR (int i = 0; i < D; ++i)
    LIVENS_FOR (int j = 0; j < D; ++j) {
      s[i][j] = weight * mu * (G[i][j] + G[j][i]);
      if (i == j) s[i][j] += weight * lambda * trace;
    }
}

// out (+)= weight * K; b: gradients of nodes 1 ... N-1.
template <int N, int D>
inline void linear_blocks(const Pack* b, Pack weight, double lambda, double mu, bool first, PairBlocks<N, D>& out) {
  const Pack l = weight * lambda, m = weight * mu;
  LIVENS_FOR (int k = 1; k < N; ++k)
    LIVENS_FOR (int a = 1; a <= k; ++a) {
      const Pack *ba = b + (a - 1) * D, *bb = b + (k - 1) * D;
      Pack dot = ba[0] * bb[0] + ba[1] * bb[1];
      if constexpr (D == 3) dot += ba[2] * bb[2];
      auto& block = out.block[PairBlocks<N, D>::index(a, k)];
      LIVENS_FOR (int i = 0; i < D; ++i)
        LIVENS_FOR (int j = 0; j < D; ++j) {
          Pack value = l * ba[i] * bb[j] + m * bb[i] * ba[j];
          if (i == j) value += m * dot;
          block[i][j] = first ? value : block[i][j] + value;
        }
    }
}

// f_a = sum over points of s b_a for a > 0.
template <int N, int D>
inline void spread_stress(const Pack (&s)[D][D], const Pack* b, bool first, Pack (&f)[N][D]) {
  LIVENS_FOR (int a = 1; a < N; ++a, b += D)
    LIVENS_FOR (int i = 0; i < D; ++i) {
      Pack sum = s[i][0] * b[0] + s[i][1] * b[1];
      if constexpr (D == 3) sum += s[i][2] * b[2];
      f[a][i] = first ? sum : f[a][i] + sum;
    }
}

}  // namespace livens
