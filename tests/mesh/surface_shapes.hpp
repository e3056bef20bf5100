// Closed surfaces of simple shapes, oriented outwards.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include <livens/meshes.hpp>

#include "mesh/fill/surface_geometry.hpp"

namespace livens {

inline void add_point(Surface& surface, const geometry::Vec3& p) { surface.X.insert(surface.X.end(), {p.x, p.y, p.z}); }

// An icosahedron whose triangles are cut in four `levels` times, at most 8: 20*4^levels triangles.
inline Surface sphere_surface(double radius, const std::array<double, 3>& centre, int levels) {
  using namespace geometry;
  const double g = std::numbers::phi;
  Surface unit;
  unit.X = {-1, g,  0,  1, g, 0,  -1, -g, 0,  1, -g, 0, 0,  -1, g,  0,  1, g,
            0,  -1, -g, 0, 1, -g, g,  0,  -1, g, 0,  1, -g, 0,  -1, -g, 0, 1};
  unit.triangles = {0, 11, 5, 0, 5, 1, 0, 1, 7, 0, 7, 10, 0, 10, 11, 1, 5, 9, 5, 11, 4,  11, 10, 2,  10, 7, 6, 7, 1, 8,
                    3, 9,  4, 3, 4, 2, 3, 2, 6, 3, 6, 8,  3, 8,  9,  4, 9, 5, 2, 4,  11, 6,  2,  10, 8,  6, 7, 9, 8, 1};
  for (int level = 0; level < std::min(levels, 8); ++level) {
    std::map<std::pair<int, int>, int> middles;
    const auto middle = [&](int a, int b) {
      const auto [where, fresh] = middles.try_emplace(std::minmax(a, b), vertices(unit));
      if (fresh) add_point(unit, 0.5 * (vertex(unit, a) + vertex(unit, b)));
      return where->second;
    };
    std::vector<int> finer;
    finer.reserve(4 * unit.triangles.size());
    for (std::size_t t = 0; t < unit.triangles.size(); t += 3) {
      const int a = unit.triangles[t], b = unit.triangles[t + 1], c = unit.triangles[t + 2];
      const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      finer.insert(finer.end(), {a, ab, ca, b, bc, ab, c, ca, bc, ab, bc, ca});
    }
    unit.triangles = std::move(finer);
  }
  for (int v = 0; v < vertices(unit); ++v) {
    const Vec3 p = vertex(unit, v);
    const double scale = radius / norm(p);
    double* x = unit.X.data() + 3 * at(v);
    x[0] = centre[0] + scale * p.x;
    x[1] = centre[1] + scale * p.y;
    x[2] = centre[2] + scale * p.z;
  }
  return unit;
}

// Two triangles per side.
inline Surface box_surface(const std::array<double, 3>& size, const std::array<double, 3>& corner) {
  Surface surface;
  for (int v = 0; v < 8; ++v)
    add_point(surface, {corner[0] + (v & 1 ? size[0] : 0), corner[1] + (v & 2 ? size[1] : 0),
                        corner[2] + (v & 4 ? size[2] : 0)});
  surface.triangles = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                       2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
  return surface;
}

// About the z axis: `around` x `across` quadrilaterals, at least 3 each.
inline Surface torus_surface(double radius, double tube, const std::array<double, 3>& centre, int around, int across) {
  Surface surface;
  const double turn = 2 * std::numbers::pi;
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < across; ++j) {
      const double u = turn * i / around, w = turn * j / across, r = radius + tube * std::cos(w);
      add_point(surface, {centre[0] + r * std::cos(u), centre[1] + r * std::sin(u), centre[2] + tube * std::sin(w)});
    }
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < across; ++j) {
      const int i1 = (i + 1) % around, j1 = (j + 1) % across;
      const int a = i * across + j, b = i1 * across + j, c = i1 * across + j1, d = i * across + j1;
      surface.triangles.insert(surface.triangles.end(), {a, b, c, a, c, d});
    }
  return surface;
}

}  // namespace livens
