#include <algorithm>
#include <cmath>

#include <Eigen/LU>

#include "elements/straight_kernels.hpp"
#include "mesh/core/topology.hpp"

namespace livens {
namespace {

// M loses accuracy with the square of the ratio of sides: beyond this elements go with F and P.
constexpr double slender = 1e5;

// Whether all midsides lie in the middle.
bool straight(const Mesh& mesh, const int* nodes) {
  for (int k = 0; k < 6; ++k)
    for (int c = 0; c < 3; ++c) {
      const auto X = [&](int a) { return mesh.X[nodes[a] * 3 + c]; };
      const double one = X(simplex_edges[k][0]), other = X(simplex_edges[k][1]);
      if (std::abs(X(4 + k) - 0.5 * (one + other)) > 1e-12 * (std::abs(one) + std::abs(other))) return false;
    }
  return true;
}

// The metric of an element with these vertices; false if it does not fit.
bool fill_metric(const Mesh& mesh, const int* vertices, double points, double* out) {
  Eigen::Matrix3d edges;
  for (int i = 0; i < 3; ++i)
    for (int c = 0; c < 3; ++c) edges(c, i) = mesh.X[vertices[i + 1] * 3 + c] - mesh.X[vertices[0] * 3 + c];
  const double det = edges.determinant();
  const Eigen::Matrix3d G = edges.inverse(), M = (std::abs(det) / (6 * points)) * (G * G.transpose());
  const double seven[7] = {M(0, 0), M(0, 1), M(0, 2), M(1, 1), M(1, 2), M(2, 2), 1 / det};
  std::copy(seven, seven + 7, out);
  return edges.squaredNorm() * G.squaredNorm() <= slender;
}

}  // namespace

std::optional<StraightShape> straight_shape(const SolidPart& part, const ElementLayout& layout) {
  const Mesh& mesh = *part.mesh;
  if (dimension_of(mesh.kind) != 3) return std::nullopt;
  const int N = nodes_of(mesh.kind);
  const double points = quadratic(mesh.kind) ? 4 : 1;
  StraightShape shape;
  shape.metric.reserve(layout.element.size() / 4 * StraightShape::each);
  if (quadratic(mesh.kind)) shape.local.resize(layout.local.size());
  for (const ElementChunk& chunk : layout.chunks)
    for (int p = 0; p < chunk.packs; ++p) {
      const int pack = chunk.first_pack + p, last = chunk.elements - 1;
      Pack packs[StraightShape::each];
      for (int lane = 0; lane < 4; ++lane) {
        // Padding is a copy of the last element.
        int k = layout.element[4 * pack + lane];
        if (k < 0) k = layout.element[4 * (chunk.first_pack + last % chunk.packs) + last / chunk.packs];
        const int* element = mesh.element(part.elements[k]);
        int order[10];  // of the nodes in the layout
        for (int a = 0; a < N; ++a) order[a] = a;
        std::sort(order, order + N, [&](int one, int other) { return element[one] < element[other]; });
        int vertices[4];
        for (int a = 0; a < 4; ++a) vertices[a] = element[quadratic(mesh.kind) ? a : order[a]];
        double numbers[StraightShape::each];
        if (!fill_metric(mesh, vertices, points, numbers)) return std::nullopt;
        for (int i = 0; i < StraightShape::each; ++i) packs[i][lane] = numbers[i];
        if (!quadratic(mesh.kind)) continue;
        if (!straight(mesh, element)) return std::nullopt;
        const int first = pack * 4 * N + lane;
        for (int a = 0; a < N; ++a) shape.local[first + 4 * order[a]] = layout.local[first + 4 * a];
      }
      shape.metric.insert(shape.metric.end(), packs, packs + StraightShape::each);
    }
  return shape;
}

}  // namespace livens
