// Affine functions of the coordinates: points of rigid bodies and on faces of meshes, each a weighted sum of nodes.
#pragma once

#include <span>
#include <utility>
#include <vector>

namespace livens {

// a(q) = constant + sum_i weight_i q_i
struct AffineForm {
  double constant = 0;
  std::vector<std::pair<int, double>> terms;  // coordinate, weight; each coordinate once
  double value(std::span<const double> q) const { return constant + rate(q); }
  double rate(std::span<const double> v) const {  // without the constant
    double sum = 0;
    for (const auto& [i, weight] : terms) sum += weight * v[i];
    return sum;
  }
  double magnitude(std::span<const double> q) const;  // sum of the absolute summands
};
AffineForm operator-(const AffineForm& a, const AffineForm& b);

// A point or a vector as three affine forms (two in the plane).
using AffinePoint = std::vector<AffineForm>;
AffinePoint operator-(const AffinePoint& a, const AffinePoint& b);

}  // namespace livens
