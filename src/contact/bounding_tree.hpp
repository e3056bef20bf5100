// Boxes along the axes, and trees of them: a linear bounding-volume hierarchy. Items are sorted by Morton codes of
// their centres; every node of a complete binary tree over that order has a box around those of its items.
#pragma once

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

class BoundingTree {
 public:
  void build(std::span<const Box> boxes);
  bool empty() const { return order_.empty(); }

  // found(item) for every item whose box meets the given one, in no particular order.
  template <class Found>
  void visit(const Box& box, const Found& found) const {
    if (order_.empty()) return;
    const Node asked(box);
    std::size_t stack[64];
    int depth = 0;
    stack[depth++] = 1;
    while (depth > 0) {
      const std::size_t node = stack[--depth];
      if (!nodes_[node].meets(asked)) continue;
      if (node < leaves_) {
        stack[depth++] = 2 * node + 1;
        stack[depth++] = 2 * node;
        continue;
      }
      const std::size_t begin = (node - leaves_) * leaf_items, end = std::min(order_.size(), begin + leaf_items);
      for (std::size_t k = begin; k < end; ++k)
        if (items_[k].meets(box)) found(order_[k]);
    }
  }

 private:
  // A box that holds a given one, in single precision: twice as many in the cache.
  struct Node {
    typedef float Lanes __attribute__((vector_size(16)));
    Lanes low, high;  // x, y, z, and 0

    Node() { low = Lanes{infinite, infinite, infinite, 0}, high = -low; }
    explicit Node(const Box& box)
        : low{below(box.low.x), below(box.low.y), below(box.low.z), 0},
          high{above(box.high.x), above(box.high.y), above(box.high.z), 0} {}
    void take(const Node& other) {
      low = low < other.low ? low : other.low;
      high = high > other.high ? high : other.high;
    }
    bool meets(const Node& other) const {
      const auto both = (low <= other.high) & (other.low <= high);
      return (both[0] & both[1] & both[2]) != 0;
    }
    static constexpr float infinite = std::numeric_limits<float>::infinity();
    static float below(double x) { return std::nextafter(static_cast<float>(x), -infinite); }
    static float above(double x) { return std::nextafter(static_cast<float>(x), infinite); }
  };

  static constexpr std::size_t leaf_items = 4;
  void sort(std::span<const Box> boxes);

  std::vector<Node> nodes_;  // children of k: 2k and 2k + 1; the root is 1
  std::vector<Box> items_;   // in the order of the tree
  std::vector<int> order_;
  std::vector<std::uint32_t> codes_, next_codes_;
  std::vector<int> next_order_;
  std::size_t leaves_ = 1;
};

}  // namespace livens
