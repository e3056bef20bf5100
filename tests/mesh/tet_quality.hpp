// Edges, angles and volumes of tetrahedra.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "mesh/fill/surface_geometry.hpp"

namespace livens::geometry {

struct TetQuality {
  double mean_edge = 0, min_dihedral = 180, max_dihedral = 0;  // degrees
  double volume = 0;
  double min_tet_volume = HUGE_VAL;
};

inline TetQuality tet_quality(const std::vector<double>& X, const std::vector<int>& tets) {
  TetQuality quality;
  const auto point = [&](int node) { return Vec3{X[3 * at(node)], X[3 * at(node) + 1], X[3 * at(node) + 2]}; };
  constexpr std::array<std::array<std::size_t, 4>, 6> edges{
      {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 2, 0, 3}, {1, 3, 2, 0}, {2, 3, 0, 1}}};  // ends, then the others
  std::vector<std::pair<int, int>> all;
  double least_cosine = 1, most_cosine = -1;
  for (std::size_t e = 0; e + 3 < tets.size(); e += 4) {
    const std::array<Vec3, 4> p{point(tets[e]), point(tets[e + 1]), point(tets[e + 2]), point(tets[e + 3])};
    const double volume = det(p[0], p[1], p[2], p[3]) / 6;
    quality.volume += volume;
    quality.min_tet_volume = std::min(quality.min_tet_volume, volume);
    for (const auto& [a, b, c, d] : edges) {
      all.push_back(std::minmax(tets[e + a], tets[e + b]));
      const Vec3 u = p[b] - p[a], m = cross(u, p[c] - p[a]), n = cross(u, p[d] - p[a]);
      const double cosine = dot(m, n) / (norm(m) * norm(n));
      least_cosine = std::min(least_cosine, cosine);
      most_cosine = std::max(most_cosine, cosine);
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  double sum = 0;
  for (const auto& [a, b] : all) sum += norm(point(b) - point(a));
  quality.mean_edge = all.empty() ? 0 : sum / static_cast<double>(all.size());
  quality.min_dihedral = std::acos(std::clamp(most_cosine, -1.0, 1.0)) * 180 / std::numbers::pi;
  quality.max_dihedral = std::acos(std::clamp(least_cosine, -1.0, 1.0)) * 180 / std::numbers::pi;
  return quality;
}

}  // namespace livens::geometry
