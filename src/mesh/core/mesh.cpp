#include <algorithm>
#include <cmath>
#include <limits>

#include <livens/mesh.hpp>

#include "mesh/core/shape.hpp"
#include "mesh/core/topology.hpp"

namespace livens {

std::string to_string(ElementKind kind) {
  switch (kind) {
    case ElementKind::tri3: return "tri3";
    case ElementKind::tri6: return "tri6";
    case ElementKind::tet4: return "tet4";
    case ElementKind::tet10: return "tet10";
  }
  return "";
}

ElementKind kind_named(const std::string& name) {
  for (const ElementKind kind : {ElementKind::tri3, ElementKind::tri6, ElementKind::tet4})
    if (to_string(kind) == name) return kind;
  return ElementKind::tet10;
}

double diameter(const Mesh& mesh) {
  const std::size_t dim = at(mesh.dimension());
  if (mesh.X.empty()) return 0;
  double sum = 0;
  for (std::size_t c = 0; c < dim; ++c) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t i = c; i < mesh.X.size(); i += dim) {
      low = std::min(low, mesh.X[i]);
      high = std::max(high, mesh.X[i]);
    }
    sum += (high - low) * (high - low);
  }
  return std::sqrt(sum);
}

// det(X1 - X0, ...) / dim!
double signed_volume(const Mesh& mesh, int element) {
  const int* node = mesh.element(element);
  if (mesh.dimension() == 2) {
    const double* X0 = &mesh.X[2 * at(node[0])];
    const double* X1 = &mesh.X[2 * at(node[1])];
    const double* X2 = &mesh.X[2 * at(node[2])];
    return ((X1[0] - X0[0]) * (X2[1] - X0[1]) - (X1[1] - X0[1]) * (X2[0] - X0[0])) / 2;
  }
  std::array<std::array<double, 3>, 3> d;
  const double* X0 = &mesh.X[3 * at(node[0])];
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t c = 0; c < 3; ++c) d[k][c] = mesh.X[3 * at(node[k + 1]) + c] - X0[c];
  return (d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) - d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) +
          d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0])) /
         6;
}

}  // namespace livens
