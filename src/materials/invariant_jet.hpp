// Jets of first or second order in the three invariants (I1, I2, J): a material's derivatives from its energy alone.
//
// Not the jets of livens/jet.hpp. Those must be right where f' or f'' is infinite, which takes a branch for each
// function; packs have no branches, and materials no such points, for J > 0. These leave the second order out where
// only stresses are asked for. And the two sum the products of the chain rule in different orders: one type for both
// would change the last bits of every stress.
#pragma once

#include <cmath>

#include "math/pack_functions.hpp"

namespace livens {

// Index of the second derivative by variables i <= j: 11 12 1J 22 2J JJ.
inline constexpr int second_index[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};

template <class S, int Order>
struct InvariantJet {
  S value{};
  S d[3]{};
  S dd[6]{};  // Order 2 only

  InvariantJet() = default;
  InvariantJet(S v) : value(v) {}
  static InvariantJet variable(S v, int i) {
    InvariantJet jet(v);
    jet.d[i] = S{} + 1;
    return jet;
  }
};

// g(x) by the chain rule, from g, g' and g'' at x.
template <class S, int Order>
InvariantJet<S, Order> chain(const InvariantJet<S, Order>& x, S g, S g1, S g2) {
  InvariantJet<S, Order> r(g);
  for (int i = 0; i < 3; ++i) {
    r.d[i] = g1 * x.d[i];
    for (int j = i; j < 3 && Order == 2; ++j) {
      const int k = second_index[i][j];
      r.dd[k] = g1 * x.dd[k] + g2 * (x.d[i] * x.d[j]);
    }
  }
  return r;
}

template <class S, int Order>
InvariantJet<S, Order> operator+(InvariantJet<S, Order> a, const InvariantJet<S, Order>& b) {
  a.value += b.value;
  for (int i = 0; i < 3; ++i) a.d[i] += b.d[i];
  for (int i = 0; i < 6 && Order == 2; ++i) a.dd[i] += b.dd[i];
  return a;
}
template <class S, int Order>
InvariantJet<S, Order> operator*(InvariantJet<S, Order> a, double b) {
  a.value *= b;
  for (int i = 0; i < 3; ++i) a.d[i] *= b;
  for (int i = 0; i < 6 && Order == 2; ++i) a.dd[i] *= b;
  return a;
}
template <class S, int Order>
InvariantJet<S, Order> operator*(double a, const InvariantJet<S, Order>& b) {
  return b * a;
}
template <class S, int Order>
InvariantJet<S, Order> operator-(const InvariantJet<S, Order>& a) {
  return a * -1.0;
}
template <class S, int Order>
InvariantJet<S, Order> operator-(const InvariantJet<S, Order>& a, const InvariantJet<S, Order>& b) {
  return a + b * -1.0;
}
template <class S, int Order>
InvariantJet<S, Order> operator+(InvariantJet<S, Order> a, double b) {
  a.value += b;
  return a;
}
template <class S, int Order>
InvariantJet<S, Order> operator-(InvariantJet<S, Order> a, double b) {
  a.value -= b;
  return a;
}
template <class S, int Order>
InvariantJet<S, Order> operator*(const InvariantJet<S, Order>& a, const InvariantJet<S, Order>& b) {
  InvariantJet<S, Order> r(a.value * b.value);
  for (int i = 0; i < 3; ++i) {
    r.d[i] = a.value * b.d[i] + a.d[i] * b.value;
    for (int j = i; j < 3 && Order == 2; ++j) {
      const int k = second_index[i][j];
      r.dd[k] = a.value * b.dd[k] + a.dd[k] * b.value + (a.d[i] * b.d[j] + a.d[j] * b.d[i]);
    }
  }
  return r;
}

template <class S, int Order>
InvariantJet<S, Order> log(const InvariantJet<S, Order>& x) {
  const S inverse = 1 / x.value;
  return chain<S, Order>(x, log(x.value), inverse, -inverse * inverse);
}
template <class S, int Order>
InvariantJet<S, Order> sqrt(const InvariantJet<S, Order>& x) {
  const S root = sqrt(x.value), first = 0.5 / root;
  return chain<S, Order>(x, root, first, -0.5 * first / x.value);
}
// x^a for x > 0
template <class S, int Order>
InvariantJet<S, Order> power(const InvariantJet<S, Order>& x, double a) {
  const S value = exp(a * log(x.value)), inverse = 1 / x.value, first = a * value * inverse;
  return chain<S, Order>(x, value, first, (a - 1) * first * inverse);
}

inline double power(double x, double a) { return std::pow(x, a); }
inline Pack power(Pack x, double a) { return exp(a * log(x)); }

}  // namespace livens
