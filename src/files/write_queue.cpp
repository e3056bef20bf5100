#include "files/write_queue.hpp"

#include <utility>

namespace livens {

WriteQueue::~WriteQueue() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  given_.notify_one();
  thread_.join();
}

void WriteQueue::add(std::size_t bytes, std::function<void()> write) {
  check();
  if (!thread_.joinable()) {
    if (Clock::now() < alone_until_) return write();
    thread_ = std::thread([this] { work(); });
  }
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return waiting_.empty() || bytes_ + bytes <= most_ || failed_; });
  if (failed_) std::rethrow_exception(failure_);
  bytes_ += bytes;
  waiting_.push_back({bytes, std::move(write)});
  lock.unlock();
  given_.notify_one();
}

void WriteQueue::check() const {
  if (!failed_) return;
  const std::lock_guard lock(mutex_);
  std::rethrow_exception(failure_);
}

void WriteQueue::settle() {
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return waiting_.empty(); });
}

void WriteQueue::finish() {
  settle();
  check();
}

void WriteQueue::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    given_.wait(lock, [&] { return ends_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    Waiting& next = waiting_.front();  // stays where it is while others are added behind it
    lock.unlock();
    std::exception_ptr failure;
    try {
      next.write();
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure) {
      failure_ = failure;
      failed_ = true;
      waiting_.clear();
      bytes_ = 0;
    } else {
      bytes_ -= next.bytes;
      waiting_.pop_front();
    }
    done_.notify_all();
  }
}

}  // namespace livens
