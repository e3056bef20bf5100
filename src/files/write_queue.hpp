// What a run writes is written by a thread of its own, in the order in which it was given, while the run goes on.
//
// Until the run is a moment old, writing happens at once: short runs have no thread. What waits is bounded; who gives
// more, waits. After a write that failed nothing else is written, and the run hears of it at its next look.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace livens {

class WriteQueue {
 public:
  static constexpr std::chrono::milliseconds young{100};
  static constexpr std::size_t most_waiting = std::size_t{64} << 20;  // bytes

  explicit WriteQueue(std::chrono::milliseconds alone = young, std::size_t most = most_waiting)
      : alone_until_(Clock::now() + alone), most_(most) {}
  ~WriteQueue();  // writes what waits
  WriteQueue(const WriteQueue&) = delete;
  WriteQueue& operator=(const WriteQueue&) = delete;

  // bytes: what `write` keeps in memory. Throws what an earlier one threw, or this one where it is written at once.
  void add(std::size_t bytes, std::function<void()> write);
  void check() const;  // throws what a write threw
  void finish();       // returns when everything is written; throws what a write threw
  void settle();       // the same without a word

 private:
  using Clock = std::chrono::steady_clock;
  struct Waiting {
    std::size_t bytes;
    std::function<void()> write;
  };

  void work();

  Clock::time_point alone_until_;
  std::size_t most_;
  mutable std::mutex mutex_;
  std::condition_variable given_, done_;
  std::deque<Waiting> waiting_;  // the first one is being written
  std::size_t bytes_ = 0;        // of them
  bool ends_ = false;
  std::atomic<bool> failed_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

// At once where there is no queue.
inline void write_by(WriteQueue* queue, std::size_t bytes, std::function<void()> write) {
  if (queue != nullptr)
    queue->add(bytes, std::move(write));
  else
    write();
}

}  // namespace livens
