#include "contact/bounding_tree.hpp"

namespace livens {
namespace {

// Ten bits with two zeros between each.
std::uint32_t spread(std::uint32_t bits) {
  bits = (bits | (bits << 16)) & 0x030000FFu;
  bits = (bits | (bits << 8)) & 0x0300F00Fu;
  bits = (bits | (bits << 4)) & 0x030C30C3u;
  return (bits | (bits << 2)) & 0x09249249u;
}

std::uint32_t cell(double part) { return static_cast<std::uint32_t>(std::clamp(1024 * part, 0.0, 1023.0)); }

}  // namespace

// Stable, by ten bits at a time: equal codes stay in the order of their numbers.
void BoundingTree::sort(std::span<const Box> boxes) {
  Box centres;
  for (const Box& box : boxes) centres.take(0.5 * (box.low + box.high));
  const Point3 extent = centres.high - centres.low;
  const auto inverse = [](double length) { return length > 0 ? 1 / length : 0; };
  const Point3 scale{inverse(extent.x), inverse(extent.y), inverse(extent.z)};
  const std::size_t n = boxes.size();
  codes_.resize(n);
  next_codes_.resize(n);
  order_.resize(n);
  next_order_.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    const Point3 at = 0.5 * (boxes[k].low + boxes[k].high) - centres.low;
    codes_[k] =
        spread(cell(at.x * scale.x)) | (spread(cell(at.y * scale.y)) << 1) | (spread(cell(at.z * scale.z)) << 2);
    order_[k] = static_cast<int>(k);
  }
  for (const int shift : {0, 10, 20}) {
    std::array<std::size_t, 1025> start{};
    for (const std::uint32_t code : codes_) ++start[((code >> shift) & 1023u) + 1];
    for (std::size_t k = 1; k < start.size(); ++k) start[k] += start[k - 1];
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t place = start[(codes_[k] >> shift) & 1023u]++;
      next_codes_[place] = codes_[k];
      next_order_[place] = order_[k];
    }
    codes_.swap(next_codes_);
    order_.swap(next_order_);
  }
}

// Two levels at least, so that groups of items have boxes.
void BoundingTree::build(std::span<const Box> boxes) {
  sort(boxes);
  first_.clear();
  nodes_.clear();
  std::size_t count = boxes.size();
  do {
    count = (count + 7) / 8;
    first_.push_back(nodes_.size());
    nodes_.resize(nodes_.size() + count);
  } while (count > 1 || first_.size() < 2);
  for (std::size_t k = 0; k < boxes.size(); ++k) nodes_[k / 8].put(k % 8, boxes[order_[k]]);
  for (std::size_t level = 1; level < first_.size(); ++level)
    for (std::size_t k = first_[level - 1]; k < first_[level]; ++k) {
      const std::size_t own = k - first_[level - 1];
      nodes_[first_[level] + own / 8].put_all(own % 8, nodes_[k]);
    }
}

}  // namespace livens
