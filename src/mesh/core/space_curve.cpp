#include "mesh/core/space_curve.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

namespace livens {
namespace {

constexpr int bits = 16;  // of a coordinate: 65 536 cells along the longest side

// Turns and mirrors the cells from the largest to the smallest, so that each ends where the next begins; a mask is all
// ones where the bit is set.
template <int D>
std::uint64_t place_on_curve(std::array<std::uint32_t, D> x) {
  for (int bit = bits - 1; bit > 0; --bit) {
    const std::uint32_t lower = (std::uint32_t{1} << bit) - 1;
    for (std::uint32_t& component : x) {
      const std::uint32_t set = 0U - ((component >> bit) & 1U);
      const std::uint32_t exchanged = (x[0] ^ component) & lower & ~set;
      x[0] ^= (lower & set) | exchanged;
      component ^= exchanged;
    }
  }
  for (std::size_t c = 1; c < D; ++c) x[c] ^= x[c - 1];  // Gray's code
  std::uint32_t carried = 0;
  for (int bit = bits - 1; bit > 0; --bit) carried ^= ((std::uint32_t{1} << bit) - 1) & (0U - ((x[D - 1] >> bit) & 1U));
  std::uint64_t place = 0;
  for (int bit = bits - 1; bit >= 0; --bit)
    for (const std::uint32_t component : x) place = place << 1 | (((component ^ carried) >> bit) & 1U);
  return place;
}

template <int D>
std::vector<int> ordered(std::span<const double> points) {
  const std::size_t count = points.size() / D;
  std::array<double, D> low, high;
  low.fill(std::numeric_limits<double>::infinity());
  high.fill(-std::numeric_limits<double>::infinity());
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t c = 0; c < D; ++c) {
      low[c] = std::min(low[c], points[k * D + c]);
      high[c] = std::max(high[c], points[k * D + c]);
    }
  double side = 0;
  for (std::size_t c = 0; c < D; ++c) side = std::max(side, high[c] - low[c]);
  const double cells = side > 0 ? ((1 << bits) - 1) / side : 0;
  std::vector<std::pair<std::uint64_t, int>> places(count);
  for (std::size_t k = 0; k < count; ++k) {
    std::array<std::uint32_t, D> cell;
    for (std::size_t c = 0; c < D; ++c)
      cell[c] = static_cast<std::uint32_t>(std::clamp((points[k * D + c] - low[c]) * cells, 0.0, cells * side));
    places[k] = {place_on_curve<D>(cell), static_cast<int>(k)};
  }
  std::sort(places.begin(), places.end());
  std::vector<int> order(count);
  for (std::size_t k = 0; k < count; ++k) order[k] = places[k].second;
  return order;
}

}  // namespace

std::vector<int> order_along_curve(std::span<const double> points, int dimension) {
  return dimension == 3 ? ordered<3>(points) : ordered<2>(points);
}

}  // namespace livens
