// The few functions of packs that materials need.
#pragma once

#include <cmath>

#include <xsimd/xsimd.hpp>

#include "math/pack.hpp"

namespace livens {

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

}  // namespace livens
