// The stress whose forces are those on the reference positions (Eshelby) [L04 5]. For x or u = sum_a u_a N_a(X) with
// gradient H, moving node a of the reference by dX changes V by V b_a.dX and H by -(H dX) b_a', so that
//
//   d(V w)/dX_a = V (w I - H'P) b_a,   b_a = grad N_a(X_g)
//
// exactly, also for bent quadratic elements and quadrature points that move with them.
#pragma once

#include "math/pack.hpp"

namespace livens {

// P becomes w I - H'P; w and P with the same weight.
template <int D>
inline void eshelby_stress(const Pack (&H)[D][D], Pack w, Pack (&P)[D][D]) {
  LIVENS_FOR (int j = 0; j < D; ++j) {
    Pack column[D];
    LIVENS_FOR (int i = 0; i < D; ++i) {
      column[i] = i == j ? w : Pack{};
      LIVENS_FOR (int k = 0; k < D; ++k) column[i] -= H[k][i] * P[k][j];
    }
    LIVENS_FOR (int i = 0; i < D; ++i) P[i][j] = column[i];
  }
}

}  // namespace livens
