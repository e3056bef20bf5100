// Independent jobs on several threads, each single-threaded inside, so that results do not depend on their number.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include <tbb/task_arena.h>

namespace livens {

// job(k) for k in [0, n), in this order of beginning; the first exception is thrown again at the end.
inline void run_jobs(std::size_t n, int threads, const std::function<void(std::size_t)>& job) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failure;
  std::mutex mutex;
  const auto work = [&] {
    tbb::task_arena one_thread(1);
    for (std::size_t k = next++; k < n; k = next++) try {
        one_thread.execute([&] { job(k); });
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
      }
  };
  const std::size_t cores =
      threads > 0 ? static_cast<std::size_t>(threads) : std::max(1U, std::thread::hardware_concurrency());
  {
    std::vector<std::jthread> workers;
    for (std::size_t k = 1; k < std::min(cores, n); ++k) workers.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace livens
