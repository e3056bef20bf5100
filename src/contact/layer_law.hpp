// Contact as nested layers, for explicit steps: a potential of the gap d that is a sum of quartic layers,
//
//   B = sum_l Phi_l,   Phi_l = (1/12) K_l d_l^2 (1 - d/d_l)^4 for d < d_l,   d_l = range 2^(-l/2),   K_l = 4^l K,
//
// each for a clock of its own, of step h_0 2^-l: the frequency of a layer is 2^l times that of the first, so that all
// are resolved alike. K = w k_0 with k_0 = 15.30 pressure / range makes the pressure at half the range `pressure`.
// B grows like (range/d)^2, as the rational barrier does: an energy E gets no deeper than layer
// log2(12 E / (K range^2)) + 2. A point of speed V covers V h_l = V h_0 2^-l in a step of layer l, whose reach is
// range 2^(-l/2): however fast it is, from some layer on it cannot pass between two ticks.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace livens {

inline constexpr int most_layers = 96;  // d_l is then 2^-48 of the range: below the rounding of positions

// 2^k, for numbers that are neither tiny nor huge.
inline double power_of_two(int k) { return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + k) << 52); }

// 2^(-l/2)
inline double layer_reach(int layer) {
  constexpr double half_root = 0.70710678118654752440;
  return (layer % 2 == 0 ? 1.0 : half_root) * power_of_two(-(layer / 2));
}

// sum of w_l Phi_l, and minus its derivative by the gap: the force with which the layers push, times w_l.
struct LayerSum {
  double energy = 0, push = 0;
};

struct LayerLaw {
  double range = 0, thickness = 0;  // m; thickness: radii, the gap is |r| - thickness
  double stiffness = 0;             // K, N/m

  // 1 / (1/3 sum_l 2^(3l/2) (1 - 2^(l/2)/2)^3): two layers act at half the range.
  static constexpr double stiffness_of_pressure = 15.300828685018118;

  static LayerLaw make(double weight, double pressure, double range, double thickness) {
    return {range, thickness, stiffness_of_pressure * weight * pressure / range};
  }
  // weight(l) of the layers from `first` on that reach to the gap d.
  template <class Weight>
  LayerSum sum(double d, int first, const Weight& weight) const {
    LayerSum sum;
    for (int l = first; l < most_layers; ++l) {
      const double reach = range * layer_reach(l);
      if (!(d < reach)) break;
      const double v = 1 - d / reach, w = weight(l), K = stiffness * power_of_two(2 * l) * reach * (v * v * v);
      sum.push += w * K / 3;
      sum.energy += w * K * reach * v / 12;
    }
    return sum;
  }
  LayerSum all(double d) const {
    return sum(d, 0, [](int) { return 1.0; });
  }
};

}  // namespace livens
