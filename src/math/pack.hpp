// Four doubles at once: a vector type of the compiler. Logarithms and roots of packs: pack_functions.hpp.
#pragma once

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
