#include "mesh/fill/fill_quality.hpp"

#include <algorithm>
#include <array>
#include <numbers>
#include <utility>

#include "math/parallel.hpp"

namespace livens::geometry {

TetQuality tet_quality(const std::vector<double>& X, const std::vector<int>& tets) {
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

SurfaceGap gap_between(const Surface& surface, const TriangleTree& other, double spacing, double limit) {
  // Vertices, and the inner points of a grid on each triangle that is larger than the spacing.
  constexpr int parts_max = 256;
  const std::size_t n = at(vertices(surface)), m = at(triangles(surface));
  std::vector<SurfaceGap> gaps(n + m);
  const auto measure = [&](const Vec3& p, SurfaceGap& gap) {
    const double distance = other.closest(p).distance;
    ++gap.points;
    gap.far += distance > limit;
    if (distance > gap.largest) {
      gap.largest = distance;
      gap.place = p;
    }
  };
  for_each_index(n, [&](std::size_t v) { measure(vertex(surface, static_cast<int>(v)), gaps[v]); });
  for_each_index(m, [&](std::size_t k) {
    const int t = static_cast<int>(k);
    const Vec3 a = corner(surface, t, 0), u = corner(surface, t, 1) - a, v = corner(surface, t, 2) - a;
    const double size = std::max({norm(u), norm(v), norm(v - u)});
    const int parts = static_cast<int>(std::clamp(std::ceil(size / spacing), 1.0, double{parts_max}));
    for (int i = 0; i <= parts; ++i)
      for (int j = 0; i + j <= parts; ++j) {
        const bool at_corner = i == parts || j == parts || (i == 0 && j == 0);
        if (!at_corner) measure(a + (double(i) / parts) * u + (double(j) / parts) * v, gaps[n + k]);
      }
  });
  SurfaceGap all;
  for (const SurfaceGap& gap : gaps) {
    all.points += gap.points;
    all.far += gap.far;
    if (gap.largest > all.largest) {
      all.largest = gap.largest;
      all.place = gap.place;
    }
  }
  return all;
}

}  // namespace livens::geometry
