// The few functions of packs that materials need.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <xsimd/xsimd.hpp>

#include "math/pack.hpp"

namespace livens {

namespace detail {

#if XSIMD_WITH_AVX
inline Pack any_log(Pack x) { return static_cast<__m256d>(xsimd::log(xsimd::batch<double>(static_cast<__m256d>(x)))); }
inline bool all(Pack mask) { return _mm256_movemask_pd(static_cast<__m256d>(mask)) == 15; }
inline Pack exp_of(Pack x) { return static_cast<__m256d>(xsimd::exp(xsimd::batch<double>(static_cast<__m256d>(x)))); }
inline Pack sqrt_of(Pack x) { return static_cast<Pack>(_mm256_sqrt_pd(static_cast<__m256d>(x))); }
#else
inline Pack any_log(Pack x) { return Pack{std::log(x[0]), std::log(x[1]), std::log(x[2]), std::log(x[3])}; }
inline bool all(Pack mask) {
  return mask[0] != 0 && mask[1] != 0 && mask[2] != 0 && mask[3] != 0;
}  // all ones: no number
inline Pack exp_of(Pack x) { return Pack{std::exp(x[0]), std::exp(x[1]), std::exp(x[2]), std::exp(x[3])}; }
inline Pack sqrt_of(Pack x) { return Pack{std::sqrt(x[0]), std::sqrt(x[1]), std::sqrt(x[2]), std::sqrt(x[3])}; }
#endif

// x = 2^k (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2), s = f/(2 + f):
//   ln x = k ln 2 + ln(1 + f),  ln(1 + f) = 2 artanh s = f - s (f - s^2 P(s^2))
// P is within 5e-18 of its series, the whole within one unit of the last place. For positive normal numbers.
inline Pack normal_log(Pack x) {
  using Bits = std::int64_t __attribute__((vector_size(32)));
  constexpr std::int64_t low = 0x3fe6a09e667f3bcd, mantissa = 0x000fffffffffffff, one = 0x3ff0000000000000;
  constexpr std::int64_t shift = 0x4330000000000000;  // bits of 2^52
  const Bits above = std::bit_cast<Bits>(x) + (one - low);
  const Pack f = std::bit_cast<Pack>((above & mantissa) + low) - 1.0;
  using Unsigned = std::uint64_t __attribute__((vector_size(32)));
  const Pack k = std::bit_cast<Pack>(std::bit_cast<Bits>(std::bit_cast<Unsigned>(above) >> 52) | shift) -
                 (4503599627370496.0 + 1023.0);
  const Pack s = f / (2.0 + f), z = s * s, zz = z * z;
  const Pack p = ((0.666666666666667 + 0.39999999999899444 * z) + zz * (0.2857142862600327 + 0.22222211130259878 * z)) +
                 (zz * zz) * ((0.18182889455674947 + 0.15331710618210773 * z) + zz * 0.14616585424888623);
  constexpr double ln2_high = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45;  // k ln2_high is exact
  return k * ln2_high + (f - (s * (f - z * p) - k * ln2_low));
}
inline Pack log_of(Pack x) {
  const auto normal = (x >= std::numeric_limits<double>::min()) & (x <= std::numeric_limits<double>::max());
  return all(std::bit_cast<Pack>(normal)) ? normal_log(x) : any_log(x);
}

}  // namespace detail

// Overloads for double, so that templates over the scalar type need not care.
inline double log(double x) { return std::log(x); }
inline double exp(double x) { return std::exp(x); }
inline double sqrt(double x) { return std::sqrt(x); }
inline Pack log(Pack x) { return detail::log_of(x); }
inline Pack exp(Pack x) { return detail::exp_of(x); }
inline Pack sqrt(Pack x) { return detail::sqrt_of(x); }

}  // namespace livens
