// Which of a fixed set of events comes next, where every event comes again after a step of its own. Time is divided
// into windows a little shorter than the shortest step: no event comes twice in one. A window is sorted when it begins,
// by time and then by number, and what it has done is put into windows to come. Unlike a queue it knows what comes
// after the next event, so that data can be fetched ahead.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace livens {

class EventWindows {
 public:
  struct Event {
    double time;
    int number;
  };

  // Whether there is memory for as many windows as the longest step reaches over.
  static bool fits(double shortest, double longest) { return longest < most_windows * shortest; }
  void assign(std::span<const double> times, double shortest, double longest);

  const Event& next() const { return order_[at_]; }
  // The event that comes k after the next, as far as its window goes.
  const Event& ahead(std::size_t k) const { return order_[at_ + k < order_.size() ? at_ + k : order_.size() - 1]; }
  // The next event comes again at `time`, at least the shortest step from now.
  void postpone(double time) {
    insert({time, order_[at_].number});
    if (++at_ == order_.size()) begin_window();
  }

 private:
  static constexpr double most_windows = 1e5;
  static constexpr double shorter = 0.999;  // windows: room for rounding
  static constexpr int block_size = 30;
  static constexpr int none = -1;
  struct Block {
    Event events[block_size];
    int count = 0, next = none;
  };

  // Never falls with time, whatever the rounding.
  long window_of(double time) const { return static_cast<long>((time - origin_) * per_second_); }
  void insert(const Event& event);
  void begin_window();
  void sort(std::vector<Event>& events);

  double origin_ = 0, per_second_ = 0;
  long window_ = 0;  // the present one
  std::vector<Event> order_, unsorted_;
  std::size_t at_ = 0;
  std::vector<int> heads_, cells_;  // first block of each window; scratch of sort
  std::vector<Block> blocks_;
  int free_ = none;
};

}  // namespace livens
