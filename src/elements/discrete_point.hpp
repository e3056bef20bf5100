// The discrete derivative of a hyperelastic energy at a quadrature point [E04 4, form E: taken in C = F'F]. With
// Cm = (C0 + C1)/2, dC = C1 - C0, Fm = (F0 + F1)/2 and DW = dw/dC:
//
//   P = Fm S,   S = 2 [ DW(Cm) + n / (dC:dC) dC ],   n = w(C1) - w(C0) - DW(Cm):dC
//
// so that P:(F1 - F0) = S:dC/2 = w(C1) - w(C0), and Fm S Fm' is symmetric: no torque about the middle. As a function of
// C,
//
//   DW = w1 1 + w2 (I1 1 - C) + wJ a,   a = dJ/dC = adj C / (2 J),   J = sigma sqrt(det C)
//
// sigma is the sign of J0 + J1. Where J has one sign at both ends, w is a smooth function of C, and P is of second
// order. An element that turns inside out within a step (only materials that survive it) still has the exact energy;
// but C does not tell its two sides apart, so P is no smooth function of its end, and of a flat one a is infinite.
//
// n is of third order in dC. Along C(s) = Cm + s dC the invariants are polynomials of s, so that with w'(s) =
// DW(C(s)):dC Gauss's rule of three points costs no more than two energies:
//
//   n = 5/18 [ w'(c) - 2 w'(0) + w'(-c) ],   c = sqrt(15)/10
//
// It errs by w^(7)/2016000. For w = ln det C and |C^-1 dC| <= 0.01 this is 4e-18, less than the last digit of w, while
// the difference of energies would leave S no more than the digits 1e-16/|dC|: the rule is taken up to there, the
// difference beyond, and also where w changes much faster than C does (see `trusted`).
#pragma once

#include "elements/elastic_point.hpp"
#include "math/pack_functions.hpp"

namespace livens {

using Mask = decltype(Pack{} < Pack{});
inline bool any(Mask m) { return (m[0] | m[1] | m[2] | m[3]) != 0; }
inline bool all(Mask m) { return (m[0] & m[1] & m[2] & m[3]) != 0; }

inline constexpr double gauss_point = 0.3872983346207417;  // sqrt(15)/10
inline constexpr double gauss_reach = 0.01;                // of |C^-1 dC|
inline constexpr double always_gauss = 1e-5;               // below it differences of energies have too few digits
inline constexpr double least_gauss_ratio = 2e-3;          // of n to w'(c) - w'(-c), see trusted
inline constexpr double least_change = 1e-8;               // of |C^-1 dC|, see StepPoint::finish

// Symmetric matrices as 11 22 33 12 23 31, in the plane 11 22 12.
template <int D>
struct Symmetric {
  static constexpr int size = D * (D + 1) / 2;
  Pack v[size];
  static constexpr int row(int k) { return D == 3 ? (k < 3 ? k : k - 3) : (k < 2 ? k : 0); }
  static constexpr int column(int k) { return D == 3 ? (k < 3 ? k : (k - 2) % 3) : (k < 2 ? k : 1); }
  static constexpr int index(int i, int j) { return i == j ? i : D == 2 ? 2 : i + j == 1 ? 3 : i + j == 3 ? 4 : 5; }
  Pack operator()(int i, int j) const { return v[index(i, j)]; }
};

template <int D>
inline Pack trace(const Symmetric<D>& a) {
  if constexpr (D == 3) return a.v[0] + a.v[1] + a.v[2];
  return a.v[0] + a.v[1];
}

// a:b
template <int D>
inline Pack contract(const Symmetric<D>& a, const Symmetric<D>& b) {
  if constexpr (D == 3)
    return a.v[0] * b.v[0] + a.v[1] * b.v[1] + a.v[2] * b.v[2] +
           2.0 * (a.v[3] * b.v[3] + a.v[4] * b.v[4] + a.v[5] * b.v[5]);
  return a.v[0] * b.v[0] + a.v[1] * b.v[1] + 2.0 * (a.v[2] * b.v[2]);
}

inline Symmetric<3> adjugate(const Symmetric<3>& c) {
  return {{c.v[1] * c.v[2] - c.v[4] * c.v[4], c.v[2] * c.v[0] - c.v[5] * c.v[5], c.v[0] * c.v[1] - c.v[3] * c.v[3],
           c.v[4] * c.v[5] - c.v[3] * c.v[2], c.v[5] * c.v[3] - c.v[4] * c.v[0], c.v[3] * c.v[4] - c.v[5] * c.v[1]}};
}
inline Symmetric<2> adjugate(const Symmetric<2>& c) { return {{c.v[1], c.v[0], -c.v[2]}}; }

// det C from C and adj C: that of the first row.
template <int D>
inline Pack determinant(const Symmetric<D>& c, const Symmetric<D>& adj) {
  if constexpr (D == 3) return c.v[0] * adj.v[0] + c.v[3] * adj.v[3] + c.v[5] * adj.v[5];
  return c.v[0] * adj.v[0] + c.v[2] * adj.v[2];
}

// What a step does at a quadrature point (of four elements).
template <int D>
struct StepPoint {
  static constexpr int V = Symmetric<D>::size;
  Pack F[D][D], dF[D][D];  // of the middle, and the change
  Symmetric<D> C, dC, adj;
  Pack i1, i2, det;  // of C(s): i1 + s i1_1, i2 + s i2_1 + s^2 i2_2, det + s det_1 + s^2 det_2 + s^3 det_3
  Pack i1_1, i2_1, i2_2, det_1, det_2, det_3;
  Pack square;                // dC:dC
  Pack sigma;                 // of J
  Mask near, tiny, distinct;  // |C^-1 dC|: small enough for the rule, for nothing but it, large enough for n to count
  Pack w_1;                   // w'(0)
  Pack factor;                // n / dC:dC

  void prepare(bool uses_i2) {
    LIVENS_FOR_ALL (int k = 0; k < V; ++k) {
      const int i = Symmetric<D>::row(k), j = Symmetric<D>::column(k);
      Pack c{}, quarter{}, d{};
      LIVENS_FOR (int m = 0; m < D; ++m) {
        c += F[m][i] * F[m][j];
        quarter += dF[m][i] * dF[m][j];
        d += F[m][i] * dF[m][j] + F[m][j] * dF[m][i];
      }
      C.v[k] = c + 0.25 * quarter;  // (C0 + C1)/2 = Fm'Fm + dF'dF/4
      dC.v[k] = d;
    }
    adj = adjugate(C);
    const Symmetric<D> change = adjugate(dC);
    det = determinant(C, adj);
    det_1 = contract(adj, dC);
    i1 = trace(C) + (D == 2 ? 1.0 : 0.0);
    i1_1 = trace(dC);
    if constexpr (D == 3) {
      det_2 = contract(change, C);
      det_3 = determinant(dC, change);
      if (uses_i2) {
        i2 = trace(adj);
        i2_1 = i1 * i1_1 - contract(C, dC);
        i2_2 = trace(change);
      }
    } else {  // I2 = det C + I1 - 1
      det_2 = determinant(dC, change);
      det_3 = Pack{};
      i2 = det + i1 - 1.0;
      i2_1 = det_1 + i1_1;
      i2_2 = det_2;
    }
    square = contract(dC, dC);
    // |C^-1 dC| <= |adj C| |dC| / det C
    const Pack size = contract(adj, adj) * square, scale = det * det;
    near = size <= gauss_reach * gauss_reach * scale;
    tiny = size <= always_gauss * always_gauss * scale;
    distinct = size > least_change * least_change * scale;
    find_side();
    distinct = distinct | ~near;
  }

  // sigma; the rule needs one sign of J at both ends. If C hardly changes and J does change sign, F1 is nearly F0 after
  // a rotation and a reflection Q, so that det Fm = J0 det(1 + Q)/8 is nearly 0. If det Fm is not, the ends need no
  // look.
  void find_side() {
    Pack cof[D][D];
    const Pack middle = cofactor(F, cof);
    const Mask certain = near & (middle * middle >= 0.25 * det);
    sigma = middle > 0 ? broadcast(1) : broadcast(-1);
    if (all(certain)) return;
    Pack end[D][D];
    at_end(-0.5, end);
    const Pack j0 = cofactor(end, cof);
    at_end(0.5, end);
    const Pack j1 = cofactor(end, cof);
    near = near & (certain | (j0 * j1 > 0));
    sigma = certain ? sigma : j0 + j1 > 0 ? broadcast(1) : broadcast(-1);
  }

  // s = -1/2: F0, 1/2: F1
  void at_end(double s, Pack (&end)[D][D]) const {
    LIVENS_FOR (int i = 0; i < D; ++i)
      LIVENS_FOR (int j = 0; j < D; ++j) end[i][j] = F[i][j] + s * dF[i][j];
  }

  // Invariants of C(s).
  void invariants_at(double s, bool uses_i2, EnergyPoint& e) const {
    e.i1 = i1 + s * i1_1;
    if (D == 2 || uses_i2) e.i2 = i2 + s * (i2_1 + s * i2_2);
    e.j = sigma * sqrt(max(det + s * (det_1 + s * (det_2 + s * det_3)), Pack{}));
  }

  // w'(s), from the derivatives by the invariants there.
  Pack slope_at(double s, const EnergyPoint& e, bool uses_i2) const {
    Pack slope = e.w1 * i1_1 + volume_factor(e) * (det_1 + s * (2.0 * det_2 + 3.0 * s * det_3));
    if (uses_i2) slope += e.w2 * (i2_1 + 2.0 * s * i2_2);
    return slope;
  }

  // n by the rule; near loses the lanes where the rule is not to be trusted: n/(w'(c) - w'(-c)) = w''' / (19 w'') tells
  // how fast w changes (0.001 for w = ln det C at the end of the reach); the ratio of a quotient of roundings says
  // nothing.
  Pack gauss_remainder(const EnergyPoint& behind, const EnergyPoint& ahead, bool uses_i2) {
    const Pack plus = slope_at(gauss_point, ahead, uses_i2), minus = slope_at(-gauss_point, behind, uses_i2);
    const Pack n = 5.0 / 18 * ((plus - w_1) + (minus - w_1));
    near = near & (tiny | (abs(n) <= least_gauss_ratio * abs(plus - minus)));
    return n;
  }

  // Where |C^-1 dC| is below 1e-8 what n adds to S is less than its last digit, and n / dC:dC is all rounding.
  void finish(Pack n) { factor = distinct & (n != 0) ? n / square : Pack{}; }

  // DW of C with the derivatives e.
  static Symmetric<D> derivative(const EnergyPoint& e, const Symmetric<D>& C, const Symmetric<D>& adj, bool uses_i2) {
    const Pack a = volume_factor(e);
    Symmetric<D> dw;
    LIVENS_FOR_ALL (int k = 0; k < V; ++k) {
      dw.v[k] = a * adj.v[k];
      if (uses_i2) dw.v[k] -= e.w2 * C.v[k];
    }
    const Pack diagonal = uses_i2 ? e.w1 + e.w2 * e.i1 : e.w1;
    LIVENS_FOR (int k = 0; k < D; ++k) dw.v[k] += diagonal;
    return dw;
  }

  // S
  Symmetric<D> stress(const EnergyPoint& middle, bool uses_i2) const {
    Symmetric<D> s = derivative(middle, C, adj, uses_i2);
    LIVENS_FOR_ALL (int k = 0; k < V; ++k) s.v[k] = 2.0 * (s.v[k] + factor * dC.v[k]);
    return s;
  }

  // wJ a = (wJ/2J) adj C; energies that do not depend on J are defined for flat elements.
  static Pack volume_factor(const EnergyPoint& e) { return e.wj == 0 ? Pack{} : 0.5 * e.wj / e.j; }

  void second(const EnergyPoint& middle, const EnergyPoint& end, bool uses_i2, Pack (&K)[V][V]) const;
};

// K = dS/dE1, E1 = F1'dF1 symmetrised, its mixed components counted twice. Half of a change of C1 goes to Cm, all of it
// to dC:
//
//   dS = 2 w'':E + 4 f E + dC (T:E),   f = n/dC:dC,   T = 4/(dC:dC) [ DW(C1) - DW(Cm) - w'':dC/2 - 2 f dC ]
//   w'' = sum over the invariants x, y of w_xy dx/dC (x) dy/dC + w2 (1 (x) 1 - II) + wJ (dadj/(2J) - a (x) a / J)
//
// The last part of dS is of first order in dC, and its rounding 1e-16/|C^-1 dC|: where both are 1e-8 it is left out.
template <int D>
void StepPoint<D>::second(const EnergyPoint& e, const EnergyPoint& end, bool uses_i2, Pack (&K)[V][V]) const {
  const Pack p = volume_factor(e), half = e.j == 0 ? Pack{} : 0.5 / e.j;
  Symmetric<D> a, one{}, m{};
  LIVENS_FOR_ALL (int k = 0; k < V; ++k) a.v[k] = half * adj.v[k];
  LIVENS_FOR (int k = 0; k < D; ++k) one.v[k] = broadcast(1);
  if (uses_i2) {
    LIVENS_FOR_ALL (int k = 0; k < V; ++k) m.v[k] = e.i1 * one.v[k] - C.v[k];
  }
  const Pack jj = e.wjj - 2.0 * p;  // wJJ - wJ/J
  LIVENS_FOR_ALL (int r = 0; r < V; ++r) {
    Pack by_1 = e.w11 * one.v[r] + e.w1j * a.v[r], by_j = e.w1j * one.v[r] + jj * a.v[r], by_2{};
    if (uses_i2) {
      by_1 += e.w12 * m.v[r] + e.w2 * one.v[r];
      by_j += e.w2j * m.v[r];
      by_2 = e.w12 * one.v[r] + e.w22 * m.v[r] + e.w2j * a.v[r];
    }
    LIVENS_FOR_ALL (int c = 0; c < V; ++c) {
      K[r][c] = by_1 * one.v[c] + by_j * a.v[c];
      if (uses_i2) K[r][c] += by_2 * m.v[c];
    }
    if (uses_i2) K[r][r] -= (r < D ? 1.0 : 0.5) * e.w2;
  }
  const auto add = [&](int r, int c, Pack value) {
    K[r][c] += value;
    if (r != c) K[c][r] += value;
  };
  if constexpr (D == 3) {
    LIVENS_FOR (int k = 0; k < 3; ++k) {  // rows of adj C: minors without row and column k
      const int next = (k + 1) % 3, last = (k + 2) % 3, mixed = 3 + next;  // mixed: (next, last)
      add(next, last, p * C.v[k]);
      add(k, mixed, -p * C.v[mixed]);
      add(mixed, mixed, -0.5 * p * C.v[k]);
      add(3 + k, mixed, 0.5 * p * C.v[3 + last]);
    }
  } else {
    add(0, 1, p);
    add(2, 2, -0.5 * p);
  }
  Symmetric<D> C1;
  LIVENS_FOR_ALL (int k = 0; k < V; ++k) C1.v[k] = C.v[k] + 0.5 * dC.v[k];
  Symmetric<D> T = derivative(end, C1, adjugate(C1), uses_i2);
  const Symmetric<D> middle = derivative(e, C, adj, uses_i2);
  const Pack scale = distinct & (square > 0) ? 4.0 / square : Pack{};
  LIVENS_FOR_ALL (int r = 0; r < V; ++r) {
    Pack change{};
    LIVENS_FOR_ALL (int c = 0; c < V; ++c) change += (c < D ? 1.0 : 2.0) * K[r][c] * dC.v[c];
    T.v[r] = scale * (T.v[r] - middle.v[r] - 0.5 * change - 2.0 * factor * dC.v[r]);
  }
  LIVENS_FOR_ALL (int r = 0; r < V; ++r) {
    LIVENS_FOR_ALL (int c = 0; c < V; ++c) K[r][c] = 2.0 * K[r][c] + dC.v[r] * T.v[c];
    K[r][r] += (r < D ? 4.0 : 2.0) * factor;
  }
}

}  // namespace livens
