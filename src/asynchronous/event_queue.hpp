// Which of a fixed set of events comes next. A tournament tree: every inner node of a binary tree holds the earlier of
// its two children. A new time of one event replays the matches on its way to the root; the opponents are known from
// its place alone, so that they can be fetched at once, and matches are decided without a branch. Ties go to the
// smaller number.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace livens {

class EventQueue {
 public:
  void assign(std::span<const double> times) {
    leaves_ = std::bit_ceil(times.size() < 2 ? std::size_t{2} : times.size());
    places_.assign(2 * leaves_, {key_of(std::numeric_limits<double>::infinity()), 0});
    for (std::size_t k = 0; k < leaves_; ++k) {
      if (k < times.size()) places_[leaves_ + k].key = key_of(times[k]);
      places_[leaves_ + k].event = k;
    }
    for (std::size_t k = leaves_ - 1; k > 0; --k)
      places_[k] = places_[2 * k + 1].key < places_[2 * k].key ? places_[2 * k + 1] : places_[2 * k];
  }

  int next() const { return static_cast<int>(places_[1].event); }
  double next_time() const { return time_of(places_[1].key); }

  void set(int event, double time) {
    std::size_t place = leaves_ + static_cast<std::size_t>(event);
    Entry winner{key_of(time), static_cast<std::uint64_t>(event)};
    places_[place] = winner;
    while (place > 1) {
      const Entry other = places_[place ^ 1];
      // The left one of the two has the smaller number: it wins ties, key <= other.
      const std::uint64_t left = ~place & 1;
      const std::uint64_t wins = 0 - static_cast<std::uint64_t>(winner.key < other.key + left);  // all bits or none
      winner.key = other.key ^ ((other.key ^ winner.key) & wins);
      winner.event = other.event ^ ((other.event ^ winner.event) & wins);
      place >>= 1;
      places_[place] = winner;
    }
  }

 private:
  struct Entry {
    std::uint64_t key, event;
  };
  static constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  // Integers in the order of the times. Adding 0 turns -0 into 0.
  static std::uint64_t key_of(double time) {
    const auto bits = std::bit_cast<std::uint64_t>(time + 0.0);
    return (bits & sign) != 0 ? ~bits : bits | sign;
  }
  static double time_of(std::uint64_t key) { return std::bit_cast<double>((key & sign) != 0 ? key & ~sign : ~key); }

  std::size_t leaves_ = 0;
  std::vector<Entry> places_;
};

}  // namespace livens
