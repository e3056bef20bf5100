// Boxes along the axes, and trees of them: a linear bounding-volume hierarchy. Items are sorted by Morton codes of
// their centres; eight neighbours in that order are a group with a box around theirs, eight neighbouring groups one of
// the next level, and so on. Nodes have eight boxes side by side in single precision, which are looked at together.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "contact/point3.hpp"

namespace livens {

struct Box {
  Point3 low{infinite, infinite, infinite}, high{-infinite, -infinite, -infinite};  // of nothing
  static constexpr double infinite = std::numeric_limits<double>::infinity();

  void take(const Point3& p) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  void take(const Box& b) {
    low = {std::min(low.x, b.low.x), std::min(low.y, b.low.y), std::min(low.z, b.low.z)};
    high = {std::max(high.x, b.high.x), std::max(high.y, b.high.y), std::max(high.z, b.high.z)};
  }
  void grow(double by) {
    low -= {by, by, by};
    high += {by, by, by};
  }
  bool meets(const Box& b) const {
    return low.x <= b.high.x && b.low.x <= high.x && low.y <= b.high.y && b.low.y <= high.y && low.z <= b.high.z &&
           b.low.z <= high.z;
  }
  // The same with this box blown up by reach.
  bool meets(const Box& b, double reach) const {
    return low.x - reach <= b.high.x && b.low.x <= high.x + reach && low.y - reach <= b.high.y &&
           b.low.y <= high.y + reach && low.z - reach <= b.high.z && b.low.z <= high.z + reach;
  }
  bool holds(const Box& b) const {
    return low.x <= b.low.x && b.high.x <= high.x && low.y <= b.low.y && b.high.y <= high.y && low.z <= b.low.z &&
           b.high.z <= high.z;
  }
  bool holds(const Point3& p) const {
    return low.x <= p.x && p.x <= high.x && low.y <= p.y && p.y <= high.y && low.z <= p.z && p.z <= high.z;
  }
};

// Eight whole numbers side by side.
typedef int EightNumbers __attribute__((vector_size(32)));

// Bit k: lane k is not 0.
inline unsigned bits_of(EightNumbers lanes) {
#ifdef __AVX__
  typedef float Lanes __attribute__((vector_size(32)));
  return static_cast<unsigned>(__builtin_ia32_movmskps256(std::bit_cast<Lanes>(lanes)));
#else
  unsigned bits = 0;
  for (int k = 0; k < 8; ++k) bits |= static_cast<unsigned>(lanes[k] & 1) << k;
  return bits;
#endif
}

// Eight boxes side by side, in single precision, each holding the one that it was made of.
struct EightBoxes {
  typedef float Lanes __attribute__((vector_size(32)));
  static constexpr float infinite = std::numeric_limits<float>::infinity();

  Lanes low[3], high[3];  // x, y, z

  EightBoxes() {
    const float none = infinite;
    for (int c = 0; c < 3; ++c) low[c] = Lanes{} + none, high[c] = -low[c];
  }
  // Eight times one of the others.
  EightBoxes(const EightBoxes& from, std::size_t lane) {
    for (int c = 0; c < 3; ++c) low[c] = Lanes{} + from.low[c][lane], high[c] = Lanes{} + from.high[c][lane];
  }
  void put(std::size_t lane, const Box& box) {
    const double least[3] = {box.low.x, box.low.y, box.low.z}, most[3] = {box.high.x, box.high.y, box.high.z};
    for (int c = 0; c < 3; ++c) low[c][lane] = below(least[c]), high[c][lane] = -below(-most[c]);
  }
  // The box around all eight.
  void put_all(std::size_t lane, const EightBoxes& from) {
    for (int c = 0; c < 3; ++c) {
      float least = infinite, most = -infinite;
      for (int k = 0; k < 8; ++k) least = std::min(least, from.low[c][k]), most = std::max(most, from.high[c][k]);
      low[c][lane] = least, high[c][lane] = most;
    }
  }
  // Bit k: box k meets that of the other.
  unsigned meet(const EightBoxes& other) const {
    auto both = (low[0] <= other.high[0]) & (other.low[0] <= high[0]);
    for (int c = 1; c < 3; ++c) both &= (low[c] <= other.high[c]) & (other.low[c] <= high[c]);
    return bits_of(both);
  }

 private:
  // Less than x by more than rounding takes.
  static float below(double x) {
    const float near = std::min(static_cast<float>(x), std::numeric_limits<float>::max());
    return near - (std::abs(near) * std::numeric_limits<float>::epsilon() + std::numeric_limits<float>::min());
  }
};

class BoundingTree {
 public:
  void build(std::span<const Box> boxes);
  // Items are in groups of eight neighbours, the last of which may have less.
  std::size_t groups() const { return (order_.size() + 7) / 8; }
  int items(std::size_t group) const { return static_cast<int>(std::min(order_.size() - 8 * group, std::size_t{8})); }
  int item(std::size_t group, int k) const { return (order_.data() + 8 * group)[k]; }

  // found(item) for every item whose box meets the given one; maybe for some that miss it by their last digits.
  template <class Found>
  void visit(const Box& box, const Found& found) const {
    EightBoxes asked;
    asked.put(0, box);
    descend(EightBoxes(asked, 0), [&](std::size_t group, unsigned bits) {
      for (; bits != 0; bits &= bits - 1) found(item(group, std::countr_zero(bits)));
    });
  }

  // found(k, near, bits) for the k-th item of a group of another tree, or of this one, and those of a group here, in
  // bits, whose boxes meet its own: neighbours go down together.
  template <class Found>
  void visit(const BoundingTree& asking, std::size_t group, const Found& found) const {
    const EightBoxes& eight = asking.nodes_[group];
    EightBoxes each[8];  // eight times each
    for (std::size_t k = 0; k < 8; ++k) each[k] = EightBoxes(eight, k);
    descend(asking.around(group), [&](std::size_t near, unsigned bits) {
      for (unsigned own = eight.meet(around(near)); own != 0; own &= own - 1) {
        const int k = std::countr_zero(own);
        const unsigned met = bits & nodes_[near].meet(each[k]);
        if (met != 0) found(k, near, met);
      }
    });
  }

 private:
  // Eight times the box of a group of items.
  EightBoxes around(std::size_t group) const { return EightBoxes(nodes_[first_[1] + group / 8], group % 8); }

  // leaf(group, bits) for every group of items with some whose boxes meet the given one, in order.
  template <class Leaf>
  void descend(const EightBoxes& asked, const Leaf& leaf) const {
    if (order_.empty()) return;
    struct Visit {
      std::size_t level, node;  // of the level
    };
    std::array<Visit, 128> stack;
    std::size_t depth = 0;
    stack[depth++] = {first_.size() - 1, 0};
    while (depth > 0) {
      const auto [level, node] = stack[--depth];
      unsigned bits = nodes_[first_[level] + node].meet(asked);
      if (level == 0) {
        if (bits != 0) leaf(node, bits);
        continue;
      }
      while (bits != 0) {
        const unsigned last = static_cast<unsigned>(std::bit_width(bits)) - 1;
        bits ^= 1u << last;
        stack[depth++] = {level - 1, 8 * node + last};
      }
    }
  }

  void sort(std::span<const Box> boxes);

  std::vector<EightBoxes> nodes_;   // those of items, of groups of eight items, and so on to the root
  std::vector<std::size_t> first_;  // node of each level
  std::vector<int> order_;
  std::vector<std::uint32_t> codes_, next_codes_;
  std::vector<int> next_order_;
};

}  // namespace livens
