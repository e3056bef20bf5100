// Selections of nodes in the reference shape. In two dimensions z is 0 and boxes extend along it without end.
#include "mesh/core/select.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <livens/mesh.hpp>

#include "mesh/core/topology.hpp"

namespace livens {
namespace {

template <class Condition>
std::vector<int> nodes_where(const Mesh& mesh, const Condition& holds) {
  const std::size_t dim = at(mesh.dimension());
  std::vector<int> selected;
  for (int a = 0; a < mesh.nodes(); ++a) {
    const double* X = &mesh.X[at(a) * dim];
    if (holds(std::array<double, 3>{X[0], X[1], dim == 3 ? X[2] : 0.0})) selected.push_back(a);
  }
  return selected;
}

double distance(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

}  // namespace

std::vector<int> select_box(const Mesh& mesh, const std::array<double, 3>& min, const std::array<double, 3>& max,
                            double within) {
  const std::size_t dim = at(mesh.dimension());
  return nodes_where(mesh, [&](const std::array<double, 3>& X) {
    for (std::size_t c = 0; c < dim; ++c)
      if (X[c] < min[c] - within || X[c] > max[c] + within) return false;
    return true;
  });
}

std::vector<int> select_plane(const Mesh& mesh, const std::array<double, 3>& point, const std::array<double, 3>& normal,
                              double within) {
  const double length = std::hypot(normal[0], normal[1], normal[2]);
  if (!std::isfinite(length) || length == 0) throw MeshError("a plane needs a normal that is not zero");
  return nodes_where(mesh, [&](const std::array<double, 3>& X) {
    double height = 0;
    for (std::size_t c = 0; c < 3; ++c) height += normal[c] / length * (X[c] - point[c]);
    return std::abs(height) <= within;
  });
}

std::vector<int> select_sphere(const Mesh& mesh, const std::array<double, 3>& centre, double radius, double within) {
  return nodes_where(mesh, [&](const std::array<double, 3>& X) { return distance(X, centre) <= radius + within; });
}

std::vector<int> select_nearest(const Mesh& mesh, const std::array<double, 3>& point) {
  double least = std::numeric_limits<double>::infinity();
  std::vector<int> nearest;
  int a = 0;
  nodes_where(mesh, [&](const std::array<double, 3>& X) {
    if (const double d = distance(X, point); d < least) {
      least = d;
      nearest = {a};
    }
    ++a;
    return false;
  });
  return nearest;
}

std::vector<int> select_boundary(const Mesh& mesh) {
  std::vector<int> nodes = boundary_facets(mesh).nodes;
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

}  // namespace livens
