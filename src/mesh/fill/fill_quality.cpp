#include "mesh/fill/fill_quality.hpp"

#include <algorithm>

#include "math/parallel.hpp"

namespace livens::geometry {

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
