// Quadrature over whole elements of the reference shape, for fields that do not involve the material.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include <livens/mesh.hpp>

namespace livens {

// det(dx/d(L_1 ... L_dim)) at the barycentric point L of an element with nodes at x (nodes x dimension).
double reference_jacobian(const Mesh& mesh, int element, const double* x, const double* L);

// Degree 2 on linear elements, 5 on quadratic ones.
struct VolumePoint {
  double volume = 0;      // that it represents, m^3; in 2D an area
  std::vector<double> N;  // shape functions of the element's nodes
  std::vector<double> L;  // barycentric coordinates
  std::array<double, 3> X{};
};
std::vector<VolumePoint> volume_points(const Mesh& mesh, int element);

// Mean of a function of X over an element.
double mean_over_element(const Mesh& mesh, int element, const std::function<double(const double* X)>& f);

}  // namespace livens
