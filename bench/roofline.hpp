// What the machine can do at best, measured on one thread beside a benchmark: bytes a second through memory (a[i] =
// b[i]
// + s c[i] over arrays far beyond the caches, 24 bytes each) and multiplications and additions a second, fused and
// apart.
#pragma once

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

namespace roofline {

using Four = double __attribute__((vector_size(32)));

// Of this process on its processor: others that share the machine do not count.
inline double now() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// GB/s
inline double triad(std::size_t count = 8'000'000) {
  std::vector<double> a(count, 0.0), b(count, 1.0), c(count, 2.0);
  double best = 1e300;
  for (int round = 0; round < 5; ++round) {
    const double since = now(), s = 0.5 + round;
    for (std::size_t i = 0; i < count; ++i) a[i] = b[i] + s * c[i];
    best = std::min(best, now() - since);
    asm volatile("" ::"r"(a.data()) : "memory");
  }
  return 24e-9 * static_cast<double>(count) / best;
}

inline void asm_hold(Four& x) { asm volatile("" : "+x"(x)); }

// GFLOP/s of twelve chains of x = x y + z, as one instruction or as two.
template <bool Fused>
inline double arithmetic() {
  constexpr int chains = 12, count = 4'000'000;
  Four a{1, 2, 3, 4}, b = a, c = a, d = a, e = a, f = a, g = a, h = a, i = a, j = a, k = a, l = a;
  const Four y = {0.999, 0.999, 0.999, 0.999}, z = {0.001, 0.001, 0.001, 0.001};
  const auto next = [&](Four& x) {
#ifdef __FMA__
    if constexpr (Fused)
      asm volatile("vfmadd213pd %2, %1, %0" : "+x"(x) : "x"(y), "x"(z));
    else
#endif
      x = x * y, asm_hold(x), x = x + z, asm_hold(x);
  };
  double best = 1e300;
  for (int round = 0; round < 5; ++round) {
    const double since = now();
    for (int n = 0; n < count; ++n)
      next(a), next(b), next(c), next(d), next(e), next(f), next(g), next(h), next(i), next(j), next(k), next(l);
    best = std::min(best, now() - since);
  }
  return 8e-9 * chains * count / best;
}

struct Roof {
  double bandwidth = triad(), fused = arithmetic<true>(), apart = arithmetic<false>();
  void print() const {
    std::printf("this machine, one thread: triad %.1f GB/s, fused multiply-adds %.1f GFLOP/s, apart %.1f GFLOP/s\n",
                bandwidth, fused, apart);
  }
};

}  // namespace roofline
