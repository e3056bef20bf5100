#include "bodies/voronoi_mass.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "mesh/core/topology.hpp"
#include "model/assembly.hpp"

namespace livens {
namespace {

using Point = std::array<double, 3>;

Point operator-(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Point cross(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double det(const Point& a, const Point& b, const Point& c) { return dot(a, cross(b, c)); }

// From the first corner to the centre of the circle through the corners 0, u and v.
Point circle_centre(const Point& u, const Point& v) {
  const Point n = cross(u, v);
  const double uu = dot(u, u), vv = dot(v, v), scale = 0.5 / dot(n, n);
  const Point by_u = cross(v, n), by_v = cross(n, u);
  return {scale * (uu * by_u[0] + vv * by_v[0]), scale * (uu * by_u[1] + vv * by_v[1]),
          scale * (uu * by_u[2] + vv * by_v[2])};
}

// The same of the sphere through 0, u, v and w.
Point sphere_centre(const Point& u, const Point& v, const Point& w) {
  const Point vw = cross(v, w), wu = cross(w, u), uv = cross(u, v);
  const double scale = 0.5 / dot(u, vw), uu = dot(u, u), vv = dot(v, v), ww = dot(w, w);
  Point centre;
  for (std::size_t c = 0; c < 3; ++c) centre[c] = scale * (uu * vw[c] + vv * wu[c] + ww * uv[c]);
  return centre;
}

void add_triangle(const std::array<Point, 4>& x, std::array<double, 4>& share) {
  for (std::size_t a = 0; a < 3; ++a) {
    const std::size_t b = (a + 1) % 3, c = (a + 2) % 3;
    const Point u = x[b] - x[a], v = x[c] - x[a], e = x[c] - x[b];
    const double part = dot(e, e) * dot(u, v) / std::abs(cross(u, v)[2]) / 8;  // of the edge opposite a
    share[b] += part;
    share[c] += part;
  }
}

void add_tetrahedron(const std::array<Point, 4>& x, std::array<double, 4>& share) {
  for (std::size_t a = 0; a < 4; ++a)
    for (std::size_t b = 0; b < 4; ++b)
      for (std::size_t c = 0; c < 4; ++c) {
        if (a == b || b == c || a == c) continue;
        const std::size_t d = 6 - a - b - c;
        const Point u = x[b] - x[a], v = x[c] - x[a], w = x[d] - x[a];
        const Point middle = {u[0] / 2, u[1] / 2, u[2] / 2};
        const double sign = det(u, v, w) > 0 ? 1 : -1;
        share[a] += sign * det(middle, circle_centre(u, v), sphere_centre(u, v, w)) / 6;
      }
}

std::string place_of(const Mesh& mesh, std::size_t node) {
  const auto d = static_cast<std::size_t>(mesh.dimension());
  std::string text = "(";
  for (std::size_t c = 0; c < d; ++c) text += fmt::format("{}{:.4g}", c > 0 ? ", " : "", mesh.X[node * d + c]);
  return text + ") m";
}

}  // namespace

SolidMass voronoi_mass(const Mesh& mesh, const std::vector<double>& density, double thickness) {
  if (quadratic(mesh.kind))
    throw AssemblyError("mass_matrix",
                        "\"voronoi\" is for tri3 and tet4: midsides have no cells of their own. Use \"lumped\".");
  SolidMass mass;
  mass.diagonal.assign(static_cast<std::size_t>(mesh.nodes()), 0.0);
  const auto d = static_cast<std::size_t>(mesh.dimension());
  for (int e = 0; e < mesh.elements(); ++e) {
    const int* node = mesh.element(e);
    std::array<Point, 4> x{};
    for (std::size_t a = 0; a <= d; ++a)
      for (std::size_t c = 0; c < d; ++c) x[a][c] = mesh.X[node[a] * d + c];
    std::array<double, 4> share{};
    d == 2 ? add_triangle(x, share) : add_tetrahedron(x, share);
    for (std::size_t a = 0; a <= d; ++a) {
      const double m = density[e] * thickness * share[a];
      mass.diagonal[node[a]] += m;
      mass.total += m;
    }
  }
  const auto least = std::min_element(mass.diagonal.begin(), mass.diagonal.end());
  const double mean = mass.total / static_cast<double>(mesh.nodes());
  if (!(*least > 1e-9 * mean))
    throw AssemblyError(
        "mass_matrix",
        fmt::format("\"voronoi\" leaves the node at {} with {:.3g} kg, where nodes have {:.3g} kg in the mean: its "
                    "elements are too obtuse (no Delaunay mesh, or flat at the surface). Use \"lumped\".",
                    place_of(mesh, static_cast<std::size_t>(least - mass.diagonal.begin())), *least, mean));
  return mass;
}

}  // namespace livens
