// The elementary functions of numbers with their first two derivatives, which jets put into the chain rule.
#pragma once

#include <cmath>
#include <limits>

namespace livens::detail {

/// A function of one number and its first two derivatives at a point.
struct Unary {
  double f, d, dd;
};

/// A function of two numbers and its derivatives at a point.
struct Binary {
  double f, a, b, aa, ab, bb;
};

/// base^n for n >= 1, by repeated squaring: exact for negative bases and at zero.
template <class T>
constexpr T positive_power(T base, unsigned n) {
  for (; n % 2 == 0; n /= 2) base = base * base;
  T result = base;
  for (n /= 2; n != 0; n /= 2) {
    base = base * base;
    if (n % 2 != 0) result = result * base;
  }
  return result;
}

inline double integer_power(double x, long long n) {
  constexpr long long squaring_limit = 64;  // beyond it, the round-off of repeated products exceeds that of std::pow
  if (n == 0) return 1.0;
  if (n < -squaring_limit || n > squaring_limit) return std::pow(x, static_cast<double>(n));
  return n > 0 ? positive_power(x, static_cast<unsigned>(n)) : 1.0 / positive_power(x, static_cast<unsigned>(-n));
}

/// Whether p is a whole number that an int holds.
constexpr bool is_integer(double p) {
  return p >= std::numeric_limits<int>::min() && p <= std::numeric_limits<int>::max() &&
         static_cast<double>(static_cast<int>(p)) == p;
}

inline Unary sin_at(double x) {
  const double s = std::sin(x), c = std::cos(x);
  return {s, c, -s};
}
inline Unary cos_at(double x) {
  const double s = std::sin(x), c = std::cos(x);
  return {c, -s, -c};
}
inline Unary tan_at(double x) {
  const double t = std::tan(x), d = 1.0 + t * t;
  return {t, d, 2.0 * t * d};
}
inline Unary asin_at(double x) {
  const double w = (1.0 - x) * (1.0 + x), d = 1.0 / std::sqrt(w);
  return {std::asin(x), d, x * d / w};
}
inline Unary acos_at(double x) {
  const double w = (1.0 - x) * (1.0 + x), d = -1.0 / std::sqrt(w);
  return {std::acos(x), d, x * d / w};
}
inline Unary atan_at(double x) {
  const double d = 1.0 / (1.0 + x * x);
  return {std::atan(x), d, -2.0 * x * d * d};
}
inline Unary sinh_at(double x) {
  const double s = std::sinh(x), c = std::cosh(x);
  return {s, c, s};
}
inline Unary cosh_at(double x) {
  const double s = std::sinh(x), c = std::cosh(x);
  return {c, s, c};
}
inline Unary tanh_at(double x) {
  const double t = std::tanh(x), d = (1.0 - t) * (1.0 + t);
  return {t, d, -2.0 * t * d};
}
inline Unary exp_at(double x) {
  const double e = std::exp(x);
  return {e, e, e};
}
inline Unary log_at(double x) {
  const double d = 1.0 / x;
  return {std::log(x), d, -d * d};
}
inline Unary sqrt_at(double x) {
  const double s = std::sqrt(x) + 0.0;  // sqrt(-0.0) is -0.0, and its slope must still be +inf
  const double d = 0.5 / s;
  return {s, d, -0.5 * d / std::abs(x)};
}
inline Unary abs_at(double x) {
  const double sign = x > 0.0 ? 1.0 : (x < 0.0 ? -1.0 : 0.0);
  return {std::abs(x), sign, 0.0};
}
inline Unary pow_at(double x, long long n) {
  const double c = static_cast<double>(n);
  return {integer_power(x, n), n == 0 ? 0.0 : c * integer_power(x, n - 1),
          n == 0 || n == 1 ? 0.0 : c * (c - 1.0) * integer_power(x, n - 2)};
}
inline Unary pow_at(double x, double p) {
  return {std::pow(x, p), p * std::pow(x, p - 1.0), p * (p - 1.0) * std::pow(x, p - 2.0)};
}
inline Binary pow_at(double x, double y, double log_x) {
  const double f = std::pow(x, y), f1 = std::pow(x, y - 1.0);
  const auto times_log = [log_x](double power) { return power == 0.0 ? 0.0 : power * log_x; };  // x^y log x -> 0
  return {f,
          y * f1,
          times_log(f),
          y * (y - 1.0) * std::pow(x, y - 2.0),
          f1 + y * times_log(f1),
          times_log(f) * (f == 0.0 ? 0.0 : log_x)};
}
inline Binary atan2_at(double y, double x) {
  const double r2 = x * x + y * y, r4 = r2 * r2;
  const double mixed = (y - x) * (y + x) / r4, pure = 2.0 * x * y / r4;
  return {std::atan2(y, x), x / r2, -y / r2, -pure, mixed, pure};
}

}  // namespace livens::detail
