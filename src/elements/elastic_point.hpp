// Invariants and stress of packs of quadrature points, whatever the lanes are: four elements, or the points of one.
#pragma once

#include "elements/element_block.hpp"
#include "elements/strain_energy.hpp"

namespace livens {

// I1, J and, if asked for, I2 of F; in plane strain the third direction has F = 1, and I2 = J^2 + I1 - 1.
template <int D>
inline void invariants(const Pack (&F)[D][D], bool need_i2, EnergyPoint& e) {
  Pack c[D][D];
  e.j = cofactor(F, c);
  Pack i1 = D == 2 ? broadcast(1) : Pack{};
  LIVENS_FOR (int i = 0; i < D; ++i)
    LIVENS_FOR (int j = 0; j < D; ++j) i1 += F[i][j] * F[i][j];
  e.i1 = i1;
  if (D == 2)
    e.i2 = e.j * e.j + i1 - 1.0;
  else if (need_i2) {  // I2 = |cof F|^2
    e.i2 = Pack{};
    LIVENS_FOR (int i = 0; i < D; ++i)
      LIVENS_FOR (int j = 0; j < D; ++j) e.i2 += c[i][j] * c[i][j];
  }
}

// Plane strain: the dependence on I2 goes into that on I1 and J.
inline void fold(EnergyPoint& e, int order) {
  if (order > 1) {
    e.w11 += 2 * e.w12 + e.w22;
    e.w1j += e.w2j + 2 * e.j * (e.w12 + e.w22);
    e.wjj += 4 * e.j * e.w2j + 4 * e.j * e.j * e.w22 + 2 * e.w2;
  }
  e.w1 += e.w2;
  e.wj += 2 * e.j * e.w2;
}

// I1 F - F C
template <int D>
inline void second_stress(const EnergyPoint& e, const Pack (&F)[D][D], Pack (&S)[D][D]) {
  Pack C[D][D];
  LIVENS_FOR (int i = 0; i < D; ++i)
    LIVENS_FOR (int j = 0; j < D; ++j) {
      C[i][j] = Pack{};
      LIVENS_FOR (int k = 0; k < D; ++k) C[i][j] += F[k][i] * F[k][j];
    }
  LIVENS_FOR (int i = 0; i < D; ++i)
    LIVENS_FOR (int j = 0; j < D; ++j) {
      S[i][j] = e.i1 * F[i][j];
      LIVENS_FOR (int k = 0; k < D; ++k) S[i][j] -= F[i][k] * C[k][j];
    }
}

// P = weight [2 w1 F + wJ cof F + 2 w2 (I1 F - F C)]
template <int D>
inline void piola_stress(const EnergyPoint& e, const Pack (&F)[D][D], Pack weight, bool i2, Pack (&P)[D][D]) {
  Pack c[D][D];
  cofactor(F, c);
  const Pack a = 2 * weight * e.w1, b = weight * e.wj;
  LIVENS_FOR (int i = 0; i < D; ++i)
    LIVENS_FOR (int j = 0; j < D; ++j) P[i][j] = a * F[i][j] + b * c[i][j];
  if (!i2) return;
  Pack S[D][D];
  second_stress(e, F, S);
  const Pack s = 2 * weight * e.w2;
  LIVENS_FOR (int i = 0; i < D; ++i)
    LIVENS_FOR (int j = 0; j < D; ++j) P[i][j] += s * S[i][j];
}

}  // namespace livens
