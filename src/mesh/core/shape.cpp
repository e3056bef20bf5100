#include "mesh/core/shape.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <livens/mesh.hpp>

#include "mesh/core/topology.hpp"

namespace livens {
namespace {

using Barycentric = std::array<double, 4>;
using Frame = std::array<std::array<double, 3>, 4>;

struct SamplePoint {
  Barycentric lambda{};
  int node = -1;
};

// Nodes of the element, its centre and the points of the rule of second degree.
std::vector<SamplePoint> sample_points(int dim) {
  const int vertices = dim + 1;
  std::vector<SamplePoint> points;
  for (int a = 0; a < vertices; ++a) {
    SamplePoint vertex;
    vertex.lambda[at(a)] = 1;
    vertex.node = a;
    points.push_back(vertex);
  }
  for (int k = 0; k < (dim == 2 ? 3 : 6); ++k) {
    SamplePoint midside;
    for (const int end : simplex_edges[at(k)]) midside.lambda[at(end)] = 0.5;
    midside.node = vertices + k;
    points.push_back(midside);
  }
  const double far = dim == 2 ? 2.0 / 3 : 0.5854101966249685, near = (1 - far) / dim;
  for (int a = 0; a < vertices; ++a) {
    SamplePoint inner;
    for (int b = 0; b < vertices; ++b) inner.lambda[at(b)] = a == b ? far : near;
    points.push_back(inner);
  }
  SamplePoint centre;
  for (int b = 0; b < vertices; ++b) centre.lambda[at(b)] = 1.0 / vertices;
  points.push_back(centre);
  return points;
}

double determinant(const Frame& g, int dim) {
  std::array<std::array<double, 3>, 3> d{};
  for (std::size_t k = 0; k < at(dim); ++k)
    for (std::size_t c = 0; c < at(dim); ++c) d[k][c] = g[k + 1][c] - g[0][c];
  if (dim == 2) return d[0][0] * d[1][1] - d[0][1] * d[1][0];
  return d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) - d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) +
         d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
}

// X = sum_a l_a (2 l_a - 1) X_a + sum_ab 4 l_a l_b X_ab, so dX/dl_a = (4 l_a - 1) X_a + sum_b 4 l_b X_ab, and
// J = (dX/dl_k - dX/dl_0).
double jacobian(const Mesh& mesh, const int* node, const Barycentric& lambda) {
  const std::size_t dim = at(mesh.dimension());
  const int vertices = vertices_of(mesh.kind);
  Frame g{};
  for (int a = 0; a < vertices; ++a)
    for (std::size_t c = 0; c < dim; ++c) g[at(a)][c] = (4 * lambda[at(a)] - 1) * mesh.X[at(node[a]) * dim + c];
  for (int k = 0; k < edges_of(mesh.kind); ++k) {
    const double* X = &mesh.X[at(node[vertices + k]) * dim];
    const std::size_t a = at(simplex_edges[at(k)][0]), b = at(simplex_edges[at(k)][1]);
    for (std::size_t c = 0; c < dim; ++c) {
      g[a][c] += 4 * lambda[b] * X[c];
      g[b][c] += 4 * lambda[a] * X[c];
    }
  }
  return determinant(g, mesh.dimension());
}

}  // namespace

bool ElementShape::degenerate() const {
  const double L = longest_edge;
  return repeated >= 0 || std::abs(volume) <= degenerate_volume * (dimension == 2 ? L * L : L * L * L);
}

ElementShape shape_of(const Mesh& mesh, int element) {
  static const std::array<std::vector<SamplePoint>, 2> points{sample_points(2), sample_points(3)};
  const int dim = mesh.dimension(), vertices = vertices_of(mesh.kind), nodes = nodes_of(mesh.kind);
  const std::size_t stride = at(dim);
  const int* node = mesh.element(element);
  ElementShape shape;
  shape.dimension = dim;
  for (int a = 0; a < nodes; ++a)
    for (int b = 0; b < a; ++b)
      if (node[a] == node[b]) shape.repeated = node[a];

  double bend = 0;  // largest square distance of a midside from the middle of its edge
  for (int k = 0; k < edges_of(mesh.kind); ++k) {
    const double* Xa = &mesh.X[at(node[simplex_edges[at(k)][0]]) * stride];
    const double* Xb = &mesh.X[at(node[simplex_edges[at(k)][1]]) * stride];
    const double* Xm = quadratic(mesh.kind) ? &mesh.X[at(node[vertices + k]) * stride] : nullptr;
    double length = 0, off = 0;
    for (std::size_t c = 0; c < stride; ++c) {
      length += (Xb[c] - Xa[c]) * (Xb[c] - Xa[c]);
      if (Xm) off += (Xm[c] - (Xa[c] + Xb[c]) / 2) * (Xm[c] - (Xa[c] + Xb[c]) / 2);
    }
    shape.longest_edge = std::max(shape.longest_edge, length);
    bend = std::max(bend, off);
  }
  shape.longest_edge = std::sqrt(shape.longest_edge);
  shape.volume = signed_volume(mesh, element);
  shape.least_jacobian = shape.volume * (dim == 2 ? 2 : 6);
  // Midsides that are off by d change a column of J by 8 d at most and det J by 24 d L^2 and terms of higher order:
  // as long as that is a fraction of the volume nothing can fold.
  const double L = shape.longest_edge;
  if (!quadratic(mesh.kind) || 100 * std::sqrt(bend) * (dim == 2 ? L : L * L) < shape.least_jacobian) return shape;
  for (const SamplePoint& point : points[at(dim - 2)]) {
    const double det = jacobian(mesh, node, point.lambda);
    if (!(det < shape.least_jacobian)) continue;
    shape.least_jacobian = det;
    shape.least_at = point.node;
  }
  return shape;
}

}  // namespace livens
