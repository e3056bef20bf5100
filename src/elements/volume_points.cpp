#include "elements/volume_points.hpp"

#include <cmath>
#include <utility>

#include "elements/element_block.hpp"
#include "mesh/core/topology.hpp"

namespace livens {
namespace {

double determinant(const double (&m)[3][3], int dim) {
  if (dim == 2) return m[0][0] * m[1][1] - m[0][1] * m[1][0];
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

using Barycentric = std::vector<double>;

// All barycentric points with one coordinate `other` (or two, of edges of a tetrahedron), the rest `most`.
void add_orbit(std::vector<std::pair<double, Barycentric>>& rule, int vertices, double weight, double most,
               double other, bool pairs = false) {
  for (int i = 0; i < vertices; ++i)
    for (int j = i; j < (pairs ? vertices : i + 1); ++j) {
      if (pairs && i == j) continue;
      Barycentric L(at(vertices), most);
      L[at(i)] = L[at(j)] = other;
      rule.emplace_back(weight, std::move(L));
    }
}

// Weights that add up to 1. Degree 5: Radon's 7 points of a triangle, Walkington's 14 of a tetrahedron.
std::vector<std::pair<double, Barycentric>> volume_rule(ElementKind kind) {
  std::vector<std::pair<double, Barycentric>> rule;
  if (!quadratic(kind)) {
    const auto points = quadrature_points(kind == ElementKind::tri3 ? ElementKind::tri6 : ElementKind::tet10);
    for (const Barycentric& L : points) rule.emplace_back(1.0 / static_cast<double>(points.size()), L);
  } else if (kind == ElementKind::tri6) {
    rule.emplace_back(9.0 / 40, Barycentric(3, 1.0 / 3));
    for (const double root : {std::sqrt(15.0), -std::sqrt(15.0)})
      add_orbit(rule, 3, (155 + root) / 1200, (6 + root) / 21, (9 - 2 * root) / 21);
  } else {
    for (const auto& [weight, most] :
         {std::pair{0.07349304311636194, 0.0927352503108912}, {0.1126879257180158, 0.3108859192633006}})
      add_orbit(rule, 4, weight, most, 1 - 3 * most);
    add_orbit(rule, 4, 0.04254602077708147, 0.0455037041256497, 0.4544962958743503, true);
  }
  return rule;
}

}  // namespace

double reference_jacobian(const Mesh& mesh, int element, const double* x, const double* L) {
  // vertices N = L (2 L - 1), midsides N = 4 L_i L_j
  const int dim = mesh.dimension(), vertices = dim + 1;
  const int* node = mesh.element(element);
  double d[4][3] = {};  // dx/dL_k
  for (int k = 0; k < vertices; ++k)
    for (int c = 0; c < dim; ++c) {
      const double own = x[at(node[k] * dim + c)];
      d[k][c] += quadratic(mesh.kind) ? (4 * L[k] - 1) * own : own;
    }
  for (int e = 0; quadratic(mesh.kind) && e < edges_of(mesh.kind); ++e)
    for (int c = 0; c < dim; ++c) {
      const auto [i, j] = simplex_edges[at(e)];
      const double middle = x[at(node[vertices + e] * dim + c)];
      d[i][c] += 4 * L[j] * middle;
      d[j][c] += 4 * L[i] * middle;
    }
  double m[3][3] = {};
  for (int k = 0; k < dim; ++k)
    for (int c = 0; c < dim; ++c) m[c][k] = d[k + 1][c] - d[0][c];
  return determinant(m, dim);
}

std::vector<VolumePoint> volume_points(const Mesh& mesh, int element) {
  const int dim = mesh.dimension(), n = nodes_of(mesh.kind);
  std::vector<VolumePoint> points;
  for (const auto& [weight, L] : volume_rule(mesh.kind)) {
    VolumePoint point;
    point.volume = weight * reference_jacobian(mesh, element, mesh.X.data(), L.data()) / (dim == 2 ? 2 : 6);
    point.N = shape_functions(mesh.kind, L);
    point.L = L;
    for (int a = 0; a < n; ++a)
      for (int c = 0; c < dim; ++c) point.X[at(c)] += point.N[at(a)] * mesh.X[at(mesh.element(element)[a] * dim + c)];
    points.push_back(std::move(point));
  }
  return points;
}

double mean_over_element(const Mesh& mesh, int element, const std::function<double(const double* X)>& f) {
  double sum = 0, volume = 0;
  for (const VolumePoint& point : volume_points(mesh, element)) {
    sum += point.volume * f(point.X.data());
    volume += point.volume;
  }
  return sum / volume;
}

}  // namespace livens
