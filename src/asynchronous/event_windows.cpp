#include "asynchronous/event_windows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace livens {
namespace {

bool earlier(const EventWindows::Event& a, const EventWindows::Event& b) {
  return a.time != b.time ? a.time < b.time : a.number < b.number;
}

}  // namespace

void EventWindows::assign(std::span<const double> times, double shortest, double longest) {
  origin_ = times.empty() ? 0 : *std::min_element(times.begin(), times.end());
  const double latest = times.empty() ? 0 : *std::max_element(times.begin(), times.end());
  per_second_ = 1 / (shorter * shortest);
  window_ = 0;
  order_.clear();
  for (auto* events : {&order_, &unsorted_}) events->reserve(times.size());
  cells_.reserve(std::bit_ceil(times.size() + 1) + 1);
  const auto windows = static_cast<std::size_t>(std::max(longest, latest - origin_) * per_second_) + 3;
  heads_.assign(windows, none);
  blocks_.assign(times.size() / block_size + std::min(times.size(), windows) + 1, {});
  free_ = none;
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    blocks_[k].next = free_;
    free_ = static_cast<int>(k);
  }
  for (std::size_t k = 0; k < times.size(); ++k) insert({times[k], static_cast<int>(k)});
  window_ = -1;
  if (!times.empty()) begin_window();
}

void EventWindows::insert(const Event& event) {
  int& head = heads_[static_cast<unsigned long>(window_of(event.time)) % heads_.size()];
  if (head == none || blocks_[head].count == block_size) {
    const int block = free_;
    free_ = blocks_[block].next;
    blocks_[block].next = head;
    blocks_[block].count = 0;
    head = block;
  }
  Block& block = blocks_[head];
  block.events[block.count++] = event;
}

void EventWindows::begin_window() {
  unsorted_.clear();
  while (unsorted_.empty()) {
    ++window_;
    int& head = heads_[static_cast<unsigned long>(window_) % heads_.size()];
    for (int k = head; k != none;) {
      Block& block = blocks_[k];
      unsorted_.insert(unsorted_.end(), block.events, block.events + block.count);
      const int after = block.next;
      block.next = free_;
      free_ = k;
      k = after;
    }
    head = none;
  }
  sort(unsorted_);
  at_ = 0;
}

// Into cells of equal length by counting, about one event each, and by comparison within them.
void EventWindows::sort(std::vector<Event>& events) {
  const std::size_t n = events.size(), cells = std::bit_ceil(n);
  order_.resize(n);
  double first = events[0].time, last = first;
  for (const Event& event : events) {
    first = std::min(first, event.time);
    last = std::max(last, event.time);
  }
  const double scale = last > first ? static_cast<double>(cells - 1) / (last - first) : 0;
  const auto cell = [&](const Event& event) { return static_cast<std::size_t>((event.time - first) * scale); };
  cells_.assign(cells + 1, 0);
  for (const Event& event : events) ++cells_[cell(event) + 1];
  for (std::size_t c = 0; c < cells; ++c) cells_[c + 1] += cells_[c];
  for (const Event& event : events) order_[cells_[cell(event)]++] = event;
  // cells_[c] is now where cell c ends.
  constexpr std::ptrdiff_t few = 16;
  for (std::ptrdiff_t begin = 0, c = 0; begin < static_cast<std::ptrdiff_t>(n); ++c) {
    const std::ptrdiff_t end = cells_[c];
    if (end - begin > few) std::sort(order_.begin() + begin, order_.begin() + end, earlier);
    for (std::ptrdiff_t k = begin + 1; k < end && end - begin <= few; ++k) {
      const Event event = order_[k];
      std::ptrdiff_t to = k;
      for (; to > begin && earlier(event, order_[to - 1]); --to) order_[to] = order_[to - 1];
      order_[to] = event;
    }
    begin = end;
  }
}

}  // namespace livens
