#include "elements/element_finder.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/LU>

#include "mesh/core/topology.hpp"

namespace livens {
namespace {

constexpr double inside = 1e-9;         // of barycentric coordinates: a place on a facet belongs to both sides
constexpr double bulge = 0.1;           // by which curved sides may reach beyond the box of the nodes, of its size
constexpr int most_iterations = 20;     // of Newton's method for bent elements
constexpr double elements_a_cell = 2;   // of the grid, on average
constexpr double close_enough = 1e-14;  // changes of barycentric coordinates

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 3, 3>;
using Column = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 3, 1>;

// N_a and dN_a/dL_k: vertices N = L (2 L - 1), midsides N = 4 L_i L_j; linear elements N = L.
struct Shapes {
  std::array<double, 10> N{};
  std::array<std::array<double, 4>, 10> dN{};
};

Shapes shapes_at(ElementKind kind, const double* L) {
  Shapes shapes;
  const int vertices = vertices_of(kind);
  for (std::size_t k = 0; k < at(vertices); ++k) {
    shapes.N[k] = quadratic(kind) ? L[k] * (2 * L[k] - 1) : L[k];
    shapes.dN[k][k] = quadratic(kind) ? 4 * L[k] - 1 : 1;
  }
  for (int e = 0; quadratic(kind) && e < edges_of(kind); ++e) {
    const auto [i, j] = simplex_edges[at(e)];
    const std::size_t a = at(vertices + e);
    shapes.N[a] = 4 * L[i] * L[j];
    shapes.dN[a][at(i)] = 4 * L[j];
    shapes.dN[a][at(j)] = 4 * L[i];
  }
  return shapes;
}

// X and dX/d(L_1 ... L_dim), L_0 = 1 - their sum.
void map_at(const Mesh& mesh, int element, const Shapes& shapes, Column& X, Matrix& J) {
  const int dim = mesh.dimension();
  X = Column::Zero(dim);
  J = Matrix::Zero(dim, dim);
  const int* node = mesh.element(element);
  for (int a = 0; a < nodes_of(mesh.kind); ++a)
    for (int c = 0; c < dim; ++c) {
      const double x = mesh.X[at(node[a] * dim + c)];
      X(c) += shapes.N[at(a)] * x;
      for (int k = 0; k < dim; ++k) J(c, k) += (shapes.dN[at(a)][at(k + 1)] - shapes.dN[at(a)][0]) * x;
    }
}

}  // namespace

ElementPoint element_point(const Mesh& mesh, int element, const double* L) {
  const int dim = mesh.dimension();
  const Shapes shapes = shapes_at(mesh.kind, L);
  Column X;
  Matrix J;
  map_at(mesh, element, shapes, X, J);
  const Matrix inverse = J.inverse();
  ElementPoint point;
  point.nodes = nodes_of(mesh.kind);
  point.jacobian = J.determinant();
  point.N = shapes.N;
  for (int c = 0; c < dim; ++c) point.X[at(c)] = X(c);
  for (std::size_t a = 0; a < at(point.nodes); ++a)
    for (int c = 0; c < dim; ++c)
      for (int k = 0; k < dim; ++k)
        point.grad_N[a][at(c)] += (shapes.dN[a][at(k + 1)] - shapes.dN[a][0]) * inverse(k, c);
  return point;
}

ElementFinder::ElementFinder(const Mesh& mesh) : mesh_(mesh) {
  const std::size_t dim = at(mesh.dimension());
  std::array<double, 3> high{};
  for (std::size_t c = 0; c < dim; ++c) low_[c] = high[c] = mesh.X[c];
  for (std::size_t i = 0; i < mesh.X.size(); ++i) {
    low_[i % dim] = std::min(low_[i % dim], mesh.X[i]);
    high[i % dim] = std::max(high[i % dim], mesh.X[i]);
  }
  double volume = 1;
  for (std::size_t c = 0; c < dim; ++c) volume *= std::max(high[c] - low_[c], 1e-300);
  const double side = std::pow(volume * elements_a_cell / std::max(1, mesh.elements()), 1.0 / static_cast<double>(dim));
  for (std::size_t c = 0; c < dim; ++c) {
    cells_[c] = std::clamp(static_cast<int>((high[c] - low_[c]) / side), 1, 1000);
    width_[c] = std::max((high[c] - low_[c]) / cells_[c], 1e-300);
  }
  // The cells of the box around each element, counted and then filled.
  start_.assign(at(cells_[0]) * at(cells_[1]) * at(cells_[2]) + 1, 0);
  const auto over_cells = [&](const auto& body) {
    for (int e = 0; e < mesh.elements(); ++e) {
      std::array<int, 3> first{0, 0, 0}, last{0, 0, 0};
      for (std::size_t c = 0; c < dim; ++c) {
        double least = INFINITY, most = -INFINITY;
        for (int a = 0; a < nodes_of(mesh.kind); ++a) {
          const double x = mesh.X[at(mesh.element(e)[a]) * dim + c];
          least = std::min(least, x), most = std::max(most, x);
        }
        const double more = quadratic(mesh.kind) ? bulge * (most - least) : inside * (most - least);
        first[c] = std::clamp(static_cast<int>((least - more - low_[c]) / width_[c]), 0, cells_[c] - 1);
        last[c] = std::clamp(static_cast<int>((most + more - low_[c]) / width_[c]), 0, cells_[c] - 1);
      }
      for (int k = first[2]; k <= last[2]; ++k)
        for (int j = first[1]; j <= last[1]; ++j)
          for (int i = first[0]; i <= last[0]; ++i) body((k * cells_[1] + j) * cells_[0] + i, e);
    }
  };
  over_cells([&](int cell, int) { ++start_[at(cell) + 1]; });
  for (std::size_t k = 1; k < start_.size(); ++k) start_[k] += start_[k - 1];
  elements_.resize(at(start_.back()));
  std::vector<int> next(start_.begin(), start_.end() - 1);
  over_cells([&](int cell, int element) { elements_[at(next[at(cell)]++)] = element; });
}

int ElementFinder::cell(const double* X) const {
  std::array<int, 3> at_cell{0, 0, 0};
  for (std::size_t c = 0; c < at(mesh_.dimension()); ++c)
    at_cell[c] = static_cast<int>(std::clamp((X[c] - low_[c]) / width_[c], 0.0, cells_[c] - 1.0));
  return (at_cell[2] * cells_[1] + at_cell[1]) * cells_[0] + at_cell[0];
}

// Newton's method on X(L) = X from the centroid: one step where the element is straight.
void ElementFinder::try_element(int element, const double* X, Place& best) const {
  const int dim = mesh_.dimension();
  std::array<double, 4> L{};
  for (int k = 0; k <= dim; ++k) L[at(k)] = 1.0 / (dim + 1);
  Column here;
  Matrix J;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    map_at(mesh_, element, shapes_at(mesh_.kind, L.data()), here, J);
    for (int c = 0; c < dim; ++c) here(c) = X[c] - here(c);
    const Column change = J.inverse() * here;
    if (!change.allFinite()) return;
    for (int k = 0; k < dim; ++k) L[at(k + 1)] += change(k), L[0] -= change(k);
    if (change.cwiseAbs().maxCoeff() < close_enough) break;
  }
  const double outside = -*std::min_element(L.begin(), L.begin() + dim + 1);
  if (best.element < 0 || outside < best.outside) best = {element, L, outside};
}

ElementFinder::Place ElementFinder::find(const double* X) const {
  Place best;
  const std::size_t here = at(cell(X));
  for (int k = start_[here]; k < start_[here + 1]; ++k) {
    try_element(elements_[at(k)], X, best);
    if (best.element >= 0 && best.outside < inside) return best;
  }
  for (int e = 0; e < mesh_.elements(); ++e) try_element(e, X, best);
  return best;
}

}  // namespace livens
