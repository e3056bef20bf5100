#include "model/rigid_shape.hpp"

#include <cmath>

namespace livens {

double corner(const RigidShape& shape, std::size_t i, std::size_t a) {
  // (+,+,+), (+,-,-), (-,+,-), (-,-,+)
  if (!is_planar(shape)) return a == 0 || a == i + 1 ? 1 : -1;
  if (i == 0) return a == 0 ? 0 : std::sqrt(1.5) * (a == 1 ? -1 : 1);
  return a == 0 ? std::sqrt(2.0) : -std::sqrt(0.5);
}

// x_a = centre + sum_i s_ia half_i e_i, hence e_i = sum_a s_ia x_a / (nodes half_i).
std::array<double, 4> RigidShape::vector(const std::array<double, 3>& D) const {
  std::array<double, 4> weights{};
  const std::size_t n = nodes_of(*this);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const double along = axes[3 * i] * D[0] + axes[3 * i + 1] * D[1] + axes[3 * i + 2] * D[2];
    for (std::size_t a = 0; a < n; ++a) weights[a] += corner(*this, i, a) * along / (static_cast<double>(n) * half[i]);
  }
  return weights;
}

std::array<double, 4> RigidShape::point(const std::array<double, 3>& X) const {
  std::array<double, 4> weights = vector({X[0] - center[0], X[1] - center[1], X[2] - center[2]});
  const std::size_t n = nodes_of(*this);
  for (std::size_t a = 0; a < n; ++a) weights[a] += 1 / static_cast<double>(n);
  return weights;
}

}  // namespace livens
