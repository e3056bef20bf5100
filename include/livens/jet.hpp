// Forward differentiation of generic code, by numbers that carry their derivatives.
//
//   Dual      a value and one directional derivative
//   Jet1<N>   a value and its gradient by N variables
//   Jet2<N>   a value, its gradient and its Hessian by N variables
//
// Chain rule, with f', f'' taken at the inner value a:
//   (f o a)_i  = f' a_i
//   (f o a)_ij = f'' a_i a_j + f' a_ij
//
// Where f' or f'' is infinite (sqrt at 0), an inner derivative that is exactly zero gives zero: nothing moves in
// that direction. abs has derivative 0 at 0.
//
// The functions are found by argument-dependent look-up; generic code writes `using std::sin; sin(x)`. `std::sin(x)`
// would need a number: that is an error which says so.
#pragma once

#include <array>
#include <cmath>
#include <compare>
#include <concepts>
#include <cstddef>

#include <livens/first_jet.hpp>
#include <livens/jet_functions.hpp>

namespace livens {

/// A value, its gradient and its symmetric Hessian by N variables.
template <int N>
struct Jet2 {
  static_assert(N >= 1);
  static constexpr std::size_t size = N;
  static constexpr std::size_t packed_size = size * (size + 1) / 2;

  double value = 0.0;
  std::array<double, size> gradient{};
  std::array<double, packed_size> packed_hessian{};  ///< rows of the lower triangle

  constexpr Jet2() = default;
  constexpr Jet2(double value_in) : value(value_in) {}

  /// Variable number i.
  static constexpr Jet2 variable(double value, std::size_t i) {
    Jet2 x(value);
    x.gradient[i] = 1.0;
    return x;
  }

  /// Where (i, j) stands in `packed_hessian`; both triangles are allowed.
  static constexpr std::size_t packed_index(std::size_t i, std::size_t j) {
    return i < j ? j * (j + 1) / 2 + i : i * (i + 1) / 2 + j;
  }
  constexpr double hessian(std::size_t i, std::size_t j) const { return packed_hessian[packed_index(i, j)]; }
  constexpr double& hessian(std::size_t i, std::size_t j) { return packed_hessian[packed_index(i, j)]; }

  /// Taken by functions of numbers, `std::cos(x)`, only to say what is wrong.
  template <std::same_as<double> T>
  constexpr operator T() const {
    return detail::number_from_jet<T>();
  }

  constexpr Jet2& operator+=(const Jet2& b) {
    value += b.value;
    for (std::size_t i = 0; i < size; ++i) gradient[i] += b.gradient[i];
    for (std::size_t k = 0; k < packed_size; ++k) packed_hessian[k] += b.packed_hessian[k];
    return *this;
  }
  constexpr Jet2& operator-=(const Jet2& b) {
    value -= b.value;
    for (std::size_t i = 0; i < size; ++i) gradient[i] -= b.gradient[i];
    for (std::size_t k = 0; k < packed_size; ++k) packed_hessian[k] -= b.packed_hessian[k];
    return *this;
  }
  constexpr Jet2& operator*=(const Jet2& b) { return *this = *this * b; }
  constexpr Jet2& operator/=(const Jet2& b) { return *this = *this / b; }
  constexpr Jet2& operator+=(detail::Real auto b) {
    value += b;
    return *this;
  }
  constexpr Jet2& operator-=(detail::Real auto b) {
    value -= b;
    return *this;
  }
  constexpr Jet2& operator*=(detail::Real auto b) {
    value *= b;
    for (double& g : gradient) g *= b;
    for (double& h : packed_hessian) h *= b;
    return *this;
  }
  constexpr Jet2& operator/=(detail::Real auto b) {
    value /= b;
    for (double& g : gradient) g /= b;
    for (double& h : packed_hessian) h /= b;
    return *this;
  }

  friend constexpr Jet2 operator+(const Jet2& a) { return a; }
  friend constexpr Jet2 operator-(const Jet2& a) {
    Jet2 r;
    r.value = -a.value;
    for (std::size_t i = 0; i < size; ++i) r.gradient[i] = -a.gradient[i];
    for (std::size_t k = 0; k < packed_size; ++k) r.packed_hessian[k] = -a.packed_hessian[k];
    return r;
  }

  friend constexpr Jet2 operator+(Jet2 a, const Jet2& b) { return a += b; }
  friend constexpr Jet2 operator-(Jet2 a, const Jet2& b) { return a -= b; }
  friend constexpr Jet2 operator*(const Jet2& a, const Jet2& b) {
    Jet2 r(a.value * b.value);
    for (std::size_t i = 0; i < size; ++i) r.gradient[i] = a.value * b.gradient[i] + a.gradient[i] * b.value;
    // (ab)_ij = a b_ij + a_i b_j + a_j b_i + a_ij b
    for (std::size_t i = 0, k = 0; i < size; ++i)
      for (std::size_t j = 0; j <= i; ++j, ++k)
        r.packed_hessian[k] = a.value * b.packed_hessian[k] + a.gradient[i] * b.gradient[j] +
                              a.gradient[j] * b.gradient[i] + a.packed_hessian[k] * b.value;
    return r;
  }
  friend constexpr Jet2 operator/(const Jet2& a, const Jet2& b) {
    Jet2 q(a.value / b.value);
    for (std::size_t i = 0; i < size; ++i) q.gradient[i] = (a.gradient[i] - q.value * b.gradient[i]) / b.value;
    // a = qb, so q_ij = (a_ij - q b_ij - q_i b_j - q_j b_i) / b
    for (std::size_t i = 0, k = 0; i < size; ++i)
      for (std::size_t j = 0; j <= i; ++j, ++k)
        q.packed_hessian[k] = (a.packed_hessian[k] - q.value * b.packed_hessian[k] - q.gradient[i] * b.gradient[j] -
                               q.gradient[j] * b.gradient[i]) /
                              b.value;
    return q;
  }

  friend constexpr Jet2 operator+(Jet2 a, detail::Real auto b) { return a += b; }
  friend constexpr Jet2 operator-(Jet2 a, detail::Real auto b) { return a -= b; }
  friend constexpr Jet2 operator*(Jet2 a, detail::Real auto b) { return a *= b; }
  friend constexpr Jet2 operator/(Jet2 a, detail::Real auto b) { return a /= b; }
  friend constexpr Jet2 operator+(detail::Real auto a, Jet2 b) { return b += a; }
  friend constexpr Jet2 operator-(detail::Real auto a, const Jet2& b) { return -b + a; }
  friend constexpr Jet2 operator*(detail::Real auto a, Jet2 b) { return b *= a; }
  friend constexpr Jet2 operator/(detail::Real auto a, const Jet2& b) { return Jet2(a) / b; }

  friend constexpr bool operator==(const Jet2& a, const Jet2& b) { return a.value == b.value; }
  friend constexpr bool operator==(const Jet2& a, detail::Real auto b) { return a.value == b; }
  friend constexpr std::partial_ordering operator<=>(const Jet2& a, const Jet2& b) { return a.value <=> b.value; }
  friend constexpr std::partial_ordering operator<=>(const Jet2& a, detail::Real auto b) { return a.value <=> b; }
};

namespace detail {

template <class T>
inline constexpr bool is_jet = false;
template <>
inline constexpr bool is_jet<Dual> = true;
template <int N>
inline constexpr bool is_jet<Jet1<N>> = true;
template <int N>
inline constexpr bool is_jet<Jet2<N>> = true;

template <class T>
concept JetLike = is_jet<T>;

/// `outer * inner`, where a zero inner derivative wins over an infinite outer one.
constexpr double chained(double outer, double inner) { return inner == 0.0 ? 0.0 : outer * inner; }

inline Dual chain(const Dual& a, const Unary& f) { return {f.f, chained(f.d, a.derivative)}; }

inline Dual chain(const Dual& a, const Dual& b, const Binary& f) {
  return {f.f, chained(f.a, a.derivative) + chained(f.b, b.derivative)};
}

template <int N>
Jet1<N> chain(const Jet1<N>& a, const Unary& f) {
  Jet1<N> r(f.f);
  const bool finite = std::isfinite(f.d);
  for (std::size_t i = 0; i < a.size; ++i) r.gradient[i] = finite ? f.d * a.gradient[i] : chained(f.d, a.gradient[i]);
  return r;
}

template <int N>
Jet1<N> chain(const Jet1<N>& a, const Jet1<N>& b, const Binary& f) {
  Jet1<N> r(f.f);
  for (std::size_t i = 0; i < a.size; ++i) r.gradient[i] = chained(f.a, a.gradient[i]) + chained(f.b, b.gradient[i]);
  return r;
}

template <int N>
Jet2<N> chain(const Jet2<N>& a, const Unary& f) {
  Jet2<N> r(f.f);
  if (std::isfinite(f.d) && std::isfinite(f.dd)) {
    for (std::size_t i = 0; i < a.size; ++i) r.gradient[i] = f.d * a.gradient[i];
    for (std::size_t i = 0, k = 0; i < a.size; ++i)
      for (std::size_t j = 0; j <= i; ++j, ++k)
        r.packed_hessian[k] = f.dd * a.gradient[i] * a.gradient[j] + f.d * a.packed_hessian[k];
    return r;
  }
  for (std::size_t i = 0; i < a.size; ++i) r.gradient[i] = chained(f.d, a.gradient[i]);
  for (std::size_t i = 0, k = 0; i < a.size; ++i)
    for (std::size_t j = 0; j <= i; ++j, ++k) {
      // f'' grows faster than f' near a singularity, so its term decides where it is present.
      const double square = a.gradient[i] * a.gradient[j];
      const double second = chained(f.dd, square);
      r.packed_hessian[k] = std::isinf(second) ? second : second + chained(f.d, a.packed_hessian[k]);
    }
  return r;
}

template <int N>
Jet2<N> chain(const Jet2<N>& a, const Jet2<N>& b, const Binary& f) {
  Jet2<N> r(f.f);
  for (std::size_t i = 0; i < a.size; ++i) r.gradient[i] = chained(f.a, a.gradient[i]) + chained(f.b, b.gradient[i]);
  for (std::size_t i = 0, k = 0; i < a.size; ++i)
    for (std::size_t j = 0; j <= i; ++j, ++k) {
      const double mixed = a.gradient[i] * b.gradient[j] + a.gradient[j] * b.gradient[i];
      r.packed_hessian[k] = chained(f.aa, a.gradient[i] * a.gradient[j]) + chained(f.ab, mixed) +
                            chained(f.bb, b.gradient[i] * b.gradient[j]) + chained(f.a, a.packed_hessian[k]) +
                            chained(f.b, b.packed_hessian[k]);
    }
  return r;
}

inline bool has_no_derivative(const Dual& a) { return a.derivative == 0.0; }

template <int N>
bool has_no_derivative(const Jet1<N>& a) {
  for (const double g : a.gradient)
    if (g != 0.0) return false;
  return true;
}

template <int N>
bool has_no_derivative(const Jet2<N>& a) {
  for (const double g : a.gradient)
    if (g != 0.0) return false;
  for (const double h : a.packed_hessian)
    if (h != 0.0) return false;
  return true;
}

}  // namespace detail

template <detail::JetLike T>
T sin(const T& a) {
  return detail::chain(a, detail::sin_at(a.value));
}
template <detail::JetLike T>
T cos(const T& a) {
  return detail::chain(a, detail::cos_at(a.value));
}
template <detail::JetLike T>
T tan(const T& a) {
  return detail::chain(a, detail::tan_at(a.value));
}
template <detail::JetLike T>
T asin(const T& a) {
  return detail::chain(a, detail::asin_at(a.value));
}
template <detail::JetLike T>
T acos(const T& a) {
  return detail::chain(a, detail::acos_at(a.value));
}
template <detail::JetLike T>
T atan(const T& a) {
  return detail::chain(a, detail::atan_at(a.value));
}
template <detail::JetLike T>
T sinh(const T& a) {
  return detail::chain(a, detail::sinh_at(a.value));
}
template <detail::JetLike T>
T cosh(const T& a) {
  return detail::chain(a, detail::cosh_at(a.value));
}
template <detail::JetLike T>
T tanh(const T& a) {
  return detail::chain(a, detail::tanh_at(a.value));
}
template <detail::JetLike T>
T exp(const T& a) {
  return detail::chain(a, detail::exp_at(a.value));
}
template <detail::JetLike T>
T log(const T& a) {
  return detail::chain(a, detail::log_at(a.value));
}
template <detail::JetLike T>
T sqrt(const T& a) {
  return detail::chain(a, detail::sqrt_at(a.value));
}
template <detail::JetLike T>
T abs(const T& a) {
  return detail::chain(a, detail::abs_at(a.value));
}

template <detail::JetLike T>
T atan2(const T& y, const T& x) {
  return detail::chain(y, x, detail::atan2_at(y.value, x.value));
}
template <detail::JetLike T>
T atan2(const T& y, double x) {
  return atan2(y, T(x));
}
template <detail::JetLike T>
T atan2(double y, const T& x) {
  return atan2(T(y), x);
}

/// Where both are equal, the first one is taken.
template <detail::JetLike T>
T min(const T& a, const T& b) {
  return b.value < a.value ? b : a;
}
template <detail::JetLike T>
T min(const T& a, double b) {
  return b < a.value ? T(b) : a;
}
template <detail::JetLike T>
T min(double a, const T& b) {
  return b.value < a ? b : T(a);
}

/// Where both are equal, the first one is taken.
template <detail::JetLike T>
T max(const T& a, const T& b) {
  return a.value < b.value ? b : a;
}
template <detail::JetLike T>
T max(const T& a, double b) {
  return a.value < b ? T(b) : a;
}
template <detail::JetLike T>
T max(double a, const T& b) {
  return a < b.value ? b : T(a);
}

/// x^n; exact for negative x and at zero.
template <detail::JetLike T>
T pow(const T& x, int n) {
  return detail::chain(x, detail::pow_at(x.value, static_cast<long long>(n)));
}
/// x^p; an integer p is treated as one.
template <detail::JetLike T>
T pow(const T& x, double p) {
  if (detail::is_integer(p)) return pow(x, static_cast<int>(p));
  return detail::chain(x, detail::pow_at(x.value, p));
}
/// x^y; a y without derivatives is treated as a number, so that x may be negative or zero.
template <detail::JetLike T>
T pow(const T& x, const T& y) {
  if (detail::has_no_derivative(y)) return pow(x, y.value);
  return detail::chain(x, y, detail::pow_at(x.value, y.value, std::log(x.value)));
}
template <detail::JetLike T>
T pow(double x, const T& y) {
  return pow(T(x), y);
}

/// Generic code that must also run on SIMD packs chooses with `select`; a pack brings its own for its mask.
template <class T>
constexpr T select(bool condition, const T& if_true, const T& if_false) {
  return condition ? if_true : if_false;
}

}  // namespace livens
