// Threads that go through the same row of phases together. A phase has some items; each is worked on by one member, and
// the next phase begins when all are done. Which member takes which item is left open: members that come late, or not
// at all, delay nobody, and one alone does everything. Between phases members wait on their processors, which takes a
// fraction of a microsecond: a loop on a pool of threads takes many.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <thread>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace livens {

// How many threads may work at once.
inline int allowed_threads() {
  return std::min(static_cast<int>(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism)),
                  std::max(1, tbb::this_task_arena::max_concurrency()));
}

class PhaseTeam {
 public:
  static constexpr int most_items = 64;

  // work(phase, item) for all items of the phases in [first, last); items(phase) says how many there are, at most
  // most_items, and is asked by everybody. After a phase in which some work returned false there is no further one.
  template <class Items, class Work>
  void run(int members, long first, long last, const Items& items, const Work& work) {
    for (auto& seat : seats_) {
      seat.claimed.store(first - 1, std::memory_order_relaxed);
      seat.present.store(false, std::memory_order_relaxed);
    }
    stopped_.store(false, std::memory_order_relaxed);
    begin_phase(first, last, items);
    // Isolated: a member that waits must not take up other work.
    tbb::this_task_arena::isolate([&] {
      tbb::parallel_for(
          0, members, [&](int member) { attend(member, last, items, work); }, tbb::static_partitioner());
    });
  }

 private:
  static constexpr int patient_spins = 2000;  // before an item is taken from its member, or the processor is given away

  struct alignas(64) Seat {
    std::atomic<long> claimed;  // the last phase in which the item of this number was taken
    std::atomic<bool> present;  // the member of this number is here
  };

  template <class Items>
  void begin_phase(long phase, long last, const Items& items) {
    int count = 0;
    if (stopped_.load(std::memory_order_relaxed)) phase = last;
    while (phase < last && (count = items(phase)) == 0) ++phase;
    open_.store(count, std::memory_order_relaxed);
    phase_.store(phase, std::memory_order_release);
  }

  template <class Items, class Work>
  void attend(int member, long last, const Items& items, const Work& work) {
    seats_[member].present.store(true, std::memory_order_relaxed);
    long phase = phase_.load(std::memory_order_acquire);
    while (phase < last) {
      const int count = items(phase);
      for (int spins = 0; phase_.load(std::memory_order_acquire) == phase; ++spins) {
        for (int k = 0; k < count; ++k) take(member, (member + k) % count, spins, phase, last, items, work);
        if (spins > patient_spins) std::this_thread::yield();
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
      }
      phase = phase_.load(std::memory_order_acquire);
    }
    seats_[member].present.store(false, std::memory_order_relaxed);
  }

  // An item is left to the member of its number for a while, whose cache has its data.
  template <class Items, class Work>
  void take(int member, int item, int spins, long phase, long last, const Items& items, const Work& work) {
    Seat& seat = seats_[item];
    long claimed = seat.claimed.load(std::memory_order_relaxed);
    if (claimed >= phase) return;
    if (item != member && spins < patient_spins && seat.present.load(std::memory_order_relaxed)) return;
    // It was not taken in this phase, so the phase is not over: nobody can take it in a later one before.
    if (!seat.claimed.compare_exchange_strong(claimed, phase, std::memory_order_acq_rel)) return;
    if (!work(phase, item)) stopped_.store(true, std::memory_order_relaxed);
    if (open_.fetch_sub(1, std::memory_order_acq_rel) == 1) begin_phase(phase + 1, last, items);
  }

  alignas(64) std::atomic<long> phase_{0};
  alignas(64) std::atomic<int> open_{0};
  std::atomic<bool> stopped_{false};
  std::array<Seat, most_items> seats_;
};

}  // namespace livens
