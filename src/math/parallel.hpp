// Loops over long vectors on all threads. The chunks depend on the length only, never on the number of threads, and
// reductions add them in order: results are the same bits for any thread count.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace livens {

inline constexpr std::size_t chunk_length = 16384;

// call(body, k) for k in [0, n) on all threads, or on those that stand by (Team): TBB is compiled in one file, not in
// every file that has a loop.
void call_on_all_threads(std::size_t n, const void* body, void (*call)(const void* body, std::size_t k));

// body(k) for k in [0, n) on all threads. Isolated: while a thread waits here it takes up no other work, so that
// buffers which belong to the calling thread are safe.
template <class Body>
void for_each_index(std::size_t n, const Body& body) {
  if (n <= 1) {
    if (n == 1) body(std::size_t{0});
    return;
  }
  call_on_all_threads(n, &body, [](const void* self, std::size_t k) { (*static_cast<const Body*>(self))(k); });
}

// body(begin, end) on disjoint ranges that cover [0, n).
template <class Body>
void for_chunks(std::size_t n, const Body& body) {
  if (n <= chunk_length) {
    body(std::size_t{0}, n);
    return;
  }
  const std::size_t chunks = (n + chunk_length - 1) / chunk_length;
  for_each_index(chunks, [&](std::size_t k) { body(k * chunk_length, std::min(n, (k + 1) * chunk_length)); });
}

// Sum of partial(begin, end) over the chunks, added in their order.
template <class Partial>
double sum_chunks(std::size_t n, const Partial& partial) {
  if (n <= chunk_length) return partial(std::size_t{0}, n);
  const std::size_t chunks = (n + chunk_length - 1) / chunk_length;
  std::array<double, 256> few;
  std::vector<double> many;
  double* sums = few.data();
  if (chunks > few.size()) {
    many.resize(chunks);
    sums = many.data();
  }
  for_each_index(chunks,
                 [&](std::size_t k) { sums[k] = partial(k * chunk_length, std::min(n, (k + 1) * chunk_length)); });
  double total = 0;
  for (std::size_t k = 0; k < chunks; ++k) total += sums[k];
  return total;
}

// The largest of largest(begin, end), at least 0, over ranges that cover [0, n).
template <class Largest>
double max_over_chunks(std::size_t n, const Largest& largest) {
  constexpr std::size_t most = 64;
  const std::size_t chunks = std::clamp<std::size_t>((n + chunk_length - 1) / chunk_length, 1, most);
  std::array<double, most> found{};
  for_each_index(chunks, [&](std::size_t k) { found[k] = largest(k * n / chunks, (k + 1) * n / chunks); });
  return *std::max_element(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(chunks));
}

}  // namespace livens
