// Four doubles at once: a vector type of the compiler, with the few functions that materials need.
#pragma once

#include <cmath>

#include <xsimd/xsimd.hpp>

// Loops over nodes and components of linear elements are unrolled whole, so that packs stay in registers. The macros
// end in `for`, and clang-format knows them as loops: a pragma of its own would make nested loops look like siblings.
#define LIVENS_FOR _Pragma("GCC unroll 4") for
// Those over the nodes of quadratic ones, where that pays.
#define LIVENS_FOR_ALL _Pragma("GCC unroll 10") for

namespace livens {

using Pack = double __attribute__((vector_size(32)));
inline constexpr int pack_lanes = 4;

inline Pack broadcast(double x) { return Pack{x, x, x, x}; }
inline Pack load(const double* x) { return *reinterpret_cast<const Pack*>(x); }  // aligned

namespace detail {

#if XSIMD_WITH_AVX
inline Pack log_of(Pack x) { return static_cast<__m256d>(xsimd::log(xsimd::batch<double>(static_cast<__m256d>(x)))); }
inline Pack exp_of(Pack x) { return static_cast<__m256d>(xsimd::exp(xsimd::batch<double>(static_cast<__m256d>(x)))); }
inline Pack sqrt_of(Pack x) { return static_cast<Pack>(_mm256_sqrt_pd(static_cast<__m256d>(x))); }
#else
inline Pack log_of(Pack x) { return Pack{std::log(x[0]), std::log(x[1]), std::log(x[2]), std::log(x[3])}; }
inline Pack exp_of(Pack x) { return Pack{std::exp(x[0]), std::exp(x[1]), std::exp(x[2]), std::exp(x[3])}; }
inline Pack sqrt_of(Pack x) { return Pack{std::sqrt(x[0]), std::sqrt(x[1]), std::sqrt(x[2]), std::sqrt(x[3])}; }
#endif

}  // namespace detail

// Overloads for double, so that templates over the scalar type need not care.
inline double log(double x) { return std::log(x); }
inline double exp(double x) { return std::exp(x); }
inline double sqrt(double x) { return std::sqrt(x); }
inline Pack log(Pack x) { return detail::log_of(x); }
inline Pack exp(Pack x) { return detail::exp_of(x); }
inline Pack sqrt(Pack x) { return detail::sqrt_of(x); }
inline Pack max(Pack a, Pack b) { return a > b ? a : b; }
inline Pack abs(Pack a) { return a < 0 ? -a : a; }
inline double sum(Pack x) { return (x[0] + x[1]) + (x[2] + x[3]); }

// Rows to columns.
inline void transpose(Pack& a, Pack& b, Pack& c, Pack& d) {
  const Pack ab0 = __builtin_shufflevector(a, b, 0, 4, 2, 6), ab1 = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Pack cd0 = __builtin_shufflevector(c, d, 0, 4, 2, 6), cd1 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  a = __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5);
  b = __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5);
  c = __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7);
  d = __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7);
}

}  // namespace livens
