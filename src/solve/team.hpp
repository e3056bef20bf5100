// Helpers for many short parallel regions in a row, e.g. the sweeps of conjugate gradients: a region costs a fraction
// of a microsecond, where starting a parallel loop costs several. The calling thread does all the work that no helper
// has taken up, so nothing waits for a helper that never comes. Which thread does a piece changes no bits: the pieces
// are fixed and disjoint.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>

#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

namespace livens {

class Team {
 public:
  // Runs session() on the calling thread while helpers stand by for run().
  template <class Session>
  void gather(int pieces, const Session& session) {
    const auto allowed = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
    const int threads = std::min({static_cast<int>(allowed), tbb::this_task_arena::max_concurrency(), pieces});
    if (threads <= 1) return session();
    tbb::this_task_arena::isolate([&] {
      stop_.store(false, std::memory_order_relaxed);
      tbb::task_group group;
      for (int k = 1; k < threads; ++k) group.run([this] { help(); });
      together_ = true;
      session();
      together_ = false;
      stop_.store(true, std::memory_order_release);
      group.wait();
    });
  }

  // body(k) for k in [0, pieces); returns when all are done.
  template <class Body>
  void run(int pieces, const Body& body) {
    if (!together_ || pieces <= 1) {
      for (int k = 0; k < pieces; ++k) body(k);
      return;
    }
    body_ = &body;
    call_ = [](const void* b, int k) { (*static_cast<const Body*>(b))(k); };
    done_.store(0, std::memory_order_relaxed);
    ++epoch_;
    state_.store(pack(epoch_, static_cast<std::uint32_t>(pieces), 0), std::memory_order_release);
    while (take()) {}
    for (int spins = 0; done_.load(std::memory_order_acquire) != pieces; ++spins) rest(spins);
  }

 private:
  // epoch | pieces | next piece: one word, so that a helper that comes late cannot take a piece of another region.
  static std::uint64_t pack(std::uint32_t epoch, std::uint32_t pieces, std::uint32_t next) {
    return std::uint64_t{epoch} << 32 | std::uint64_t{pieces} << 16 | next;
  }
  static void rest(int spins) {
    if (spins > 4000) return std::this_thread::yield();
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  bool take() {
    std::uint64_t state = state_.load(std::memory_order_acquire);
    for (;;) {
      const std::uint64_t next = state & 0xffff, pieces = state >> 16 & 0xffff;
      if (next >= pieces) return false;
      if (!state_.compare_exchange_weak(state, state + 1, std::memory_order_acq_rel)) continue;
      call_(body_, static_cast<int>(next));
      done_.fetch_add(1, std::memory_order_acq_rel);
      return true;
    }
  }
  void help() {
    for (int spins = 0; !stop_.load(std::memory_order_acquire);)
      if (take())
        spins = 0;
      else
        rest(++spins);
  }

  alignas(64) std::atomic<std::uint64_t> state_{0};
  alignas(64) std::atomic<int> done_{0};
  alignas(64) std::atomic<bool> stop_{true};
  bool together_ = false;
  std::uint32_t epoch_ = 0;
  const void* body_ = nullptr;
  void (*call_)(const void*, int) = nullptr;
};

}  // namespace livens
