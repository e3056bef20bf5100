// The boundary of a solid in its reference shape: areas and quadrature of straight and curved facets.
#include <algorithm>
#include <cmath>

#include "bodies/solid.hpp"
#include "math/quadrature.hpp"
#include "mesh/core/topology.hpp"

namespace livens {
namespace {

constexpr double straight = 1e-12;  // of the edge: a midside is in its middle
constexpr int curved_points = 5;  // per direction: area to 3e-9 on an eighth of a cylinder, 2e-7 on an eighth of a ball

using Point = std::array<double, 3>;

struct Facet {
  bool triangle = false, quadratic = false;
  double thickness = 1;  // of edges
  std::array<Point, 6> X{};
  int vertices() const { return triangle ? 3 : 2; }
};

Facet facet_of(const SolidBody& solid, const Facets& facets, int f) {
  Facet facet{solid.mesh->dimension() == 3, quadratic(solid.mesh->kind), solid.thickness};
  const std::size_t dim = at(solid.mesh->dimension());
  for (int k = 0; k < facets.nodes_each; ++k)
    for (std::size_t c = 0; c < dim; ++c)
      facet.X[at(k)][c] = solid.mesh->X[at(facets.nodes[at(f * facets.nodes_each + k)]) * dim + c];
  return facet;
}

double length(const Point& a, const Point& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

double triangle_area(const Point& a, const Point& b, const Point& c) {
  const Point u{b[0] - a[0], b[1] - a[1], b[2] - a[2]}, v{c[0] - a[0], c[1] - a[1], c[2] - a[2]};
  return 0.5 * std::hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]);
}

// Midsides in the middles of their edges.
bool is_straight(const Facet& facet) {
  const auto& X = facet.X;
  for (int e = 0; facet.quadratic && e < (facet.triangle ? 3 : 1); ++e) {
    const auto [i, j] = simplex_edges[at(e)];
    Point middle;
    for (std::size_t c = 0; c < 3; ++c) middle[c] = 0.5 * (X[at(i)][c] + X[at(j)][c]);
    if (length(X[at(facet.vertices() + e)], middle) > straight * length(X[at(i)], X[at(j)])) return false;
  }
  return true;
}

double straight_area(const Facet& facet) {
  const auto& X = facet.X;
  return facet.triangle ? triangle_area(X[0], X[1], X[2]) : facet.thickness * length(X[0], X[1]);
}

// Vertices L (2 L - 1), midsides 4 L_i L_j, of the barycentric coordinates L; and dN/dL_k - dN/dL_0, k = 1, 2.
struct Shapes {
  std::array<double, 6> N{};
  std::array<std::array<double, 6>, 2> by{};
};
Shapes shapes_at(const Facet& facet, const Point& L) {
  const int n = facet.vertices();
  Shapes s;
  std::array<std::array<double, 6>, 3> d{};  // dN/dL
  for (int a = 0; a < n; ++a) {
    s.N[at(a)] = L[at(a)] * (2 * L[at(a)] - 1);
    d[at(a)][at(a)] = 4 * L[at(a)] - 1;
  }
  for (int e = 0; e < (facet.triangle ? 3 : 1); ++e) {
    const auto [i, j] = simplex_edges[at(e)];
    s.N[at(n + e)] = 4 * L[at(i)] * L[at(j)];
    d[at(i)][at(n + e)] = 4 * L[at(j)];
    d[at(j)][at(n + e)] = 4 * L[at(i)];
  }
  for (std::size_t k = 1; k < at(n); ++k)
    for (std::size_t a = 0; a < 6; ++a) s.by[k - 1][a] = d[k][a] - d[0][a];
  return s;
}

FacetPoint curved_point(const Facet& facet, const Point& L, double weight) {
  const Shapes s = shapes_at(facet, L);
  std::array<Point, 2> t{};  // tangents
  for (std::size_t k = 0; k < 2; ++k)
    for (std::size_t a = 0; a < 6; ++a)
      for (std::size_t c = 0; c < 3; ++c) t[k][c] += s.by[k][a] * facet.X[a][c];
  const double metric = facet.triangle ? 2 * triangle_area({}, t[0], t[1]) : facet.thickness * length({}, t[0]);
  return {weight * metric, s.N};
}

// On triangles the collapsed square: L = (1 - u - v (1 - u), u, v (1 - u)).
std::vector<FacetPoint> curved_rule(const Facet& facet) {
  static const Quadrature gauss = gauss_quadrature(curved_points);
  std::vector<FacetPoint> points;
  for (std::size_t i = 0; i < gauss.x.size(); ++i) {
    const double u = gauss.x[i];
    if (!facet.triangle) points.push_back(curved_point(facet, {1 - u, u, 0}, gauss.w[i]));
    for (std::size_t j = 0; facet.triangle && j < gauss.x.size(); ++j) {
      const double v = gauss.x[j];
      points.push_back(curved_point(facet, {(1 - u) * (1 - v), u, (1 - u) * v}, gauss.w[i] * gauss.w[j] * (1 - u)));
    }
  }
  return points;
}

std::vector<FacetPoint> straight_rule(ElementKind kind, double area) {
  const double sixth = area * (1.0 / 6), third = area * (1.0 / 3), most = area * (2.0 / 3);
  switch (kind) {
    case ElementKind::tri3: return {{sixth, {1, 0}}, {sixth, {0, 1}}, {most, {0.5, 0.5}}};
    case ElementKind::tri6: return {{sixth, {1, 0, 0}}, {sixth, {0, 1, 0}}, {most, {0, 0, 1}}};
    case ElementKind::tet4: return {{third, {0.5, 0.5, 0}}, {third, {0, 0.5, 0.5}}, {third, {0.5, 0, 0.5}}};
    case ElementKind::tet10: break;
  }
  return {{third, {0, 0, 0, 1, 0, 0}}, {third, {0, 0, 0, 0, 1, 0}}, {third, {0, 0, 0, 0, 0, 1}}};
}

}  // namespace

std::vector<FacetPoint> facet_points(const SolidBody& solid, int f) {
  const Facet facet = facet_of(solid, solid.surface().facets, f);
  return is_straight(facet) ? straight_rule(solid.mesh->kind, straight_area(facet)) : curved_rule(facet);
}

bool straight_facet(const SolidBody& solid, int f) { return is_straight(facet_of(solid, solid.surface().facets, f)); }

double facet_share(ElementKind kind, int local) {
  switch (kind) {
    case ElementKind::tri3: return 0.5;
    case ElementKind::tri6: return local < 2 ? 1.0 / 6 : 2.0 / 3;
    case ElementKind::tet4: return 1.0 / 3;
    case ElementKind::tet10: break;
  }
  return local < 3 ? 1.0 / 19 : 16.0 / 57;
}

const SolidSurface& SolidBody::surface() const {
  if (surface_) return *surface_;
  SolidSurface made;
  made.facets = boundary_facets(*mesh);
  const int vertices = mesh->dimension();
  double edges = 0;
  for (int f = 0; f < made.facets.count(); ++f) {
    const Facet facet = facet_of(*this, made.facets, f);
    for (int k = 0; k < vertices; ++k) edges += length(facet.X[at(k)], facet.X[at((k + 1) % vertices)]) / vertices;
    double area = 0;
    if (is_straight(facet))
      area = straight_area(facet);
    else
      for (const FacetPoint& point : curved_rule(facet)) area += point.area;
    made.area.push_back(area);
  }
  made.edge = made.facets.count() > 0 ? edges / made.facets.count() : 0;
  surface_ = std::move(made);
  return *surface_;
}

std::vector<double> nodal_areas(const SolidBody& solid, const std::vector<bool>& marked) {
  const SolidSurface& surface = solid.surface();
  const int n = surface.facets.nodes_each;
  std::vector<double> areas(at(solid.mesh->nodes()), 0.0);
  for (int f = 0; f < surface.facets.count(); ++f) {
    const int* node = &surface.facets.nodes[at(f * n)];
    if (!std::all_of(node, node + n, [&](int a) { return marked[at(a)]; })) continue;
    for (int k = 0; k < n; ++k) areas[at(node[k])] += surface.area[at(f)] * facet_share(solid.mesh->kind, k);
  }
  return areas;
}

}  // namespace livens
