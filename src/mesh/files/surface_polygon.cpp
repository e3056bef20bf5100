#include <algorithm>

#include "mesh/files/surface_file.hpp"

namespace livens::geometry {

namespace {

using Point = std::array<double, 2>;

double area(const Point& a, const Point& b, const Point& c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

}  // namespace

void Polygons::add(const std::vector<int>& polygon) {
  constexpr std::size_t ears_max = 256;  // cutting ears takes the cube of this
  const std::size_t n = polygon.size();
  std::vector<int>& out = surface_.triangles;
  if (n == 3) {
    out.insert(out.end(), polygon.begin(), polygon.end());
    return;
  }
  const auto known = [&](int v) { return v >= 0 && v < vertices(surface_); };
  if (n > ears_max || !std::all_of(polygon.begin(), polygon.end(), known)) {
    for (std::size_t k = 1; k + 1 < n; ++k) out.insert(out.end(), {polygon[0], polygon[k], polygon[k + 1]});
    return;
  }
  // In the plane of its vector area (Newell): two axes so that it runs counter-clockwise.
  Vec3 normal;
  const Vec3 origin = vertex(surface_, polygon[0]);
  for (std::size_t k = 0; k < n; ++k)
    normal = normal + cross(vertex(surface_, polygon[k]) - origin, vertex(surface_, polygon[(k + 1) % n]) - origin);
  const Vec3 size{std::abs(normal.x), std::abs(normal.y), std::abs(normal.z)};
  const Vec3 other = size.x <= size.y && size.x <= size.z ? Vec3{1, 0, 0}
                     : size.y <= size.z                   ? Vec3{0, 1, 0}
                                                          : Vec3{0, 0, 1};
  const Vec3 u = cross(other, normal), v = cross(normal, u);
  const double scale_u = norm(u) > 0 ? 1 / norm(u) : 0, scale_v = norm(v) > 0 ? 1 / norm(v) : 0;
  left_.resize(n);
  flat_.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    const Vec3 p = vertex(surface_, polygon[k]) - origin;
    left_[k] = static_cast<int>(k);
    flat_[k] = {scale_u * dot(p, u), scale_v * dot(p, v)};
  }
  while (left_.size() > 3) {
    const std::size_t m = left_.size();
    std::size_t best = m;
    double shortest = HUGE_VAL;
    for (std::size_t k = 0; k < m; ++k) {
      const int before = left_[(k + m - 1) % m], here = left_[k], after = left_[(k + 1) % m];
      const Point &a = flat_[at(before)], &b = flat_[at(here)], &c = flat_[at(after)];
      if (!(area(a, b, c) > 0)) continue;
      const double length = std::hypot(c[0] - a[0], c[1] - a[1]);
      if (length >= shortest) continue;
      const bool free = std::none_of(left_.begin(), left_.end(), [&](int k2) {
        if (k2 == before || k2 == here || k2 == after) return false;
        const Point& p = flat_[at(k2)];
        if (p == a || p == b || p == c) return false;
        return area(a, b, p) >= 0 && area(b, c, p) >= 0 && area(c, a, p) >= 0;
      });
      if (!free) continue;
      shortest = length;
      best = k;
    }
    if (best == m) best = 1;  // no ear: flat or crossing itself; any cut keeps the boundary
    out.insert(out.end(),
               {polygon[at(left_[(best + m - 1) % m])], polygon[at(left_[best])], polygon[at(left_[(best + 1) % m])]});
    left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(best));
  }
  out.insert(out.end(), {polygon[at(left_[0])], polygon[at(left_[1])], polygon[at(left_[2])]});
}

}  // namespace livens::geometry
