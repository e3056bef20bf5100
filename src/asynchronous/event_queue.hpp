// Which of a fixed set of events comes next. A tournament: every inner place of a binary tree holds the earlier of its
// two children. Changing the time of one event replays the matches on its way up, and the opponents are known from its
// place alone, so that their times can be fetched at once. Ties go to the smaller number.
#pragma once

#include <bit>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace livens {

class EventQueue {
 public:
  void assign(std::span<const double> times) {
    leaves_ = std::bit_ceil(times.size() < 2 ? std::size_t{2} : times.size());
    places_.assign(2 * leaves_, {std::numeric_limits<double>::infinity(), 0});
    for (std::size_t k = 0; k < leaves_; ++k) {
      if (k < times.size()) places_[leaves_ + k].time = times[k];
      places_[leaves_ + k].event = static_cast<long>(k);
    }
    for (std::size_t k = leaves_ - 1; k > 0; --k) places_[k] = earlier(places_[2 * k], places_[2 * k + 1]);
  }

  int next() const { return static_cast<int>(places_[1].event); }
  double next_time() const { return places_[1].time; }

  void set(int event, double time) {
    std::size_t place = leaves_ + static_cast<std::size_t>(event);
    Entry winner{time, event};
    places_[place] = winner;
    while (place > 1) {
      const Entry other = places_[place ^ 1];
      // The left one of two has the smaller numbers: it wins ties.
      const bool left = (place & 1) == 0;
      const bool wins = winner.time < other.time || (left && winner.time == other.time);
      winner.time = wins ? winner.time : other.time;
      winner.event = wins ? winner.event : other.event;
      place >>= 1;
      places_[place] = winner;
    }
  }

 private:
  struct Entry {
    double time;
    long event;
  };
  static Entry earlier(const Entry& left, const Entry& right) { return right.time < left.time ? right : left; }

  std::size_t leaves_ = 0;
  std::vector<Entry> places_;
};

}  // namespace livens
