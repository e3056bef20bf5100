// Numbers that carry first derivatives: one directional one, or a gradient. See <livens/jet.hpp>.
#pragma once

#include <array>
#include <compare>
#include <concepts>
#include <cstddef>

namespace livens {

namespace detail {

/// Numbers that combine with jets, as they come: were they converted to double, the compiler would think of converting
/// the jet instead.
template <class T>
concept Real = std::integral<T> || std::same_as<T, float> || std::same_as<T, double>;

/// The one error of `std::cos(x)` and its like.
template <class T>
constexpr T number_from_jet() {
  static_assert(!std::same_as<T, double>, "a jet is not a number: write `using std::cos; cos(x)`, not `std::cos(x)`");
  return {};
}

}  // namespace detail

/// A value and its derivative in one direction.
struct Dual {
  double value = 0.0;
  double derivative = 0.0;

  constexpr Dual() = default;
  constexpr Dual(double value_in) : value(value_in) {}
  constexpr Dual(double value_in, double derivative_in) : value(value_in), derivative(derivative_in) {}

  /// The variable itself: derivative 1.
  static constexpr Dual variable(double value) { return {value, 1.0}; }

  /// Taken by functions of numbers, `std::cos(x)`, only to say what is wrong.
  template <std::same_as<double> T>
  constexpr operator T() const {
    return detail::number_from_jet<T>();
  }

  constexpr Dual& operator+=(const Dual& b) { return *this = *this + b; }
  constexpr Dual& operator-=(const Dual& b) { return *this = *this - b; }
  constexpr Dual& operator*=(const Dual& b) { return *this = *this * b; }
  constexpr Dual& operator/=(const Dual& b) { return *this = *this / b; }
  constexpr Dual& operator+=(detail::Real auto b) { return *this = *this + b; }
  constexpr Dual& operator-=(detail::Real auto b) { return *this = *this - b; }
  constexpr Dual& operator*=(detail::Real auto b) { return *this = *this * b; }
  constexpr Dual& operator/=(detail::Real auto b) { return *this = *this / b; }

  friend constexpr Dual operator+(const Dual& a) { return a; }
  friend constexpr Dual operator-(const Dual& a) { return {-a.value, -a.derivative}; }

  friend constexpr Dual operator+(const Dual& a, const Dual& b) {
    return {a.value + b.value, a.derivative + b.derivative};
  }
  friend constexpr Dual operator-(const Dual& a, const Dual& b) {
    return {a.value - b.value, a.derivative - b.derivative};
  }
  friend constexpr Dual operator*(const Dual& a, const Dual& b) {
    return {a.value * b.value, a.value * b.derivative + a.derivative * b.value};
  }
  friend constexpr Dual operator/(const Dual& a, const Dual& b) {
    const double q = a.value / b.value;
    return {q, (a.derivative - q * b.derivative) / b.value};
  }

  friend constexpr Dual operator+(const Dual& a, detail::Real auto b) { return {a.value + b, a.derivative}; }
  friend constexpr Dual operator-(const Dual& a, detail::Real auto b) { return {a.value - b, a.derivative}; }
  friend constexpr Dual operator*(const Dual& a, detail::Real auto b) { return {a.value * b, a.derivative * b}; }
  friend constexpr Dual operator/(const Dual& a, detail::Real auto b) { return {a.value / b, a.derivative / b}; }
  friend constexpr Dual operator+(detail::Real auto a, const Dual& b) { return {a + b.value, b.derivative}; }
  friend constexpr Dual operator-(detail::Real auto a, const Dual& b) { return {a - b.value, -b.derivative}; }
  friend constexpr Dual operator*(detail::Real auto a, const Dual& b) { return {a * b.value, a * b.derivative}; }
  friend constexpr Dual operator/(detail::Real auto a, const Dual& b) {
    const double q = a / b.value;
    return {q, -q * b.derivative / b.value};
  }

  friend constexpr bool operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
  friend constexpr bool operator==(const Dual& a, detail::Real auto b) { return a.value == b; }
  friend constexpr std::partial_ordering operator<=>(const Dual& a, const Dual& b) { return a.value <=> b.value; }
  friend constexpr std::partial_ordering operator<=>(const Dual& a, detail::Real auto b) { return a.value <=> b; }
};

/// A value and its gradient by N variables: what Jet2 has of them, bit by bit.
template <int N>
struct Jet1 {
  static_assert(N >= 1);
  static constexpr std::size_t size = N;

  double value = 0.0;
  std::array<double, size> gradient{};

  constexpr Jet1() = default;
  constexpr Jet1(double value_in) : value(value_in) {}

  /// Variable number i.
  static constexpr Jet1 variable(double value, std::size_t i) {
    Jet1 x(value);
    x.gradient[i] = 1.0;
    return x;
  }

  /// Taken by functions of numbers, `std::cos(x)`, only to say what is wrong.
  template <std::same_as<double> T>
  constexpr operator T() const {
    return detail::number_from_jet<T>();
  }

  constexpr Jet1& operator+=(const Jet1& b) {
    value += b.value;
    for (std::size_t i = 0; i < size; ++i) gradient[i] += b.gradient[i];
    return *this;
  }
  constexpr Jet1& operator-=(const Jet1& b) {
    value -= b.value;
    for (std::size_t i = 0; i < size; ++i) gradient[i] -= b.gradient[i];
    return *this;
  }
  constexpr Jet1& operator*=(const Jet1& b) { return *this = *this * b; }
  constexpr Jet1& operator/=(const Jet1& b) { return *this = *this / b; }
  constexpr Jet1& operator+=(detail::Real auto b) {
    value += b;
    return *this;
  }
  constexpr Jet1& operator-=(detail::Real auto b) {
    value -= b;
    return *this;
  }
  constexpr Jet1& operator*=(detail::Real auto b) {
    value *= b;
    for (double& g : gradient) g *= b;
    return *this;
  }
  constexpr Jet1& operator/=(detail::Real auto b) {
    value /= b;
    for (double& g : gradient) g /= b;
    return *this;
  }

  friend constexpr Jet1 operator+(const Jet1& a) { return a; }
  friend constexpr Jet1 operator-(const Jet1& a) {
    Jet1 r;
    r.value = -a.value;
    for (std::size_t i = 0; i < size; ++i) r.gradient[i] = -a.gradient[i];
    return r;
  }

  friend constexpr Jet1 operator+(Jet1 a, const Jet1& b) { return a += b; }
  friend constexpr Jet1 operator-(Jet1 a, const Jet1& b) { return a -= b; }
  friend constexpr Jet1 operator*(const Jet1& a, const Jet1& b) {
    Jet1 r(a.value * b.value);
    for (std::size_t i = 0; i < size; ++i) r.gradient[i] = a.value * b.gradient[i] + a.gradient[i] * b.value;
    return r;
  }
  friend constexpr Jet1 operator/(const Jet1& a, const Jet1& b) {
    Jet1 q(a.value / b.value);
    for (std::size_t i = 0; i < size; ++i) q.gradient[i] = (a.gradient[i] - q.value * b.gradient[i]) / b.value;
    return q;
  }

  friend constexpr Jet1 operator+(Jet1 a, detail::Real auto b) { return a += b; }
  friend constexpr Jet1 operator-(Jet1 a, detail::Real auto b) { return a -= b; }
  friend constexpr Jet1 operator*(Jet1 a, detail::Real auto b) { return a *= b; }
  friend constexpr Jet1 operator/(Jet1 a, detail::Real auto b) { return a /= b; }
  friend constexpr Jet1 operator+(detail::Real auto a, Jet1 b) { return b += a; }
  friend constexpr Jet1 operator-(detail::Real auto a, const Jet1& b) { return -b + a; }
  friend constexpr Jet1 operator*(detail::Real auto a, Jet1 b) { return b *= a; }
  friend constexpr Jet1 operator/(detail::Real auto a, const Jet1& b) { return Jet1(a) / b; }

  friend constexpr bool operator==(const Jet1& a, const Jet1& b) { return a.value == b.value; }
  friend constexpr bool operator==(const Jet1& a, detail::Real auto b) { return a.value == b; }
  friend constexpr std::partial_ordering operator<=>(const Jet1& a, const Jet1& b) { return a.value <=> b.value; }
  friend constexpr std::partial_ordering operator<=>(const Jet1& a, detail::Real auto b) { return a.value <=> b; }
};

}  // namespace livens
