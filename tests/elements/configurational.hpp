// Meshes, deformations and sums for tests of configurational forces.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "support/solids.hpp"

namespace livens::testing {

using Numbers = std::vector<double>;
constexpr double thickness = 0.8;
// Sums of some hundred terms.
constexpr double rounding = 1e-12;

inline Mesh straight_mesh(ElementKind kind, int cells) {
  return dimension_of(kind) == 3
             ? box_mesh({{1, 0.7, 0.9}, {0.3, -0.2, 0.1}, {cells, cells, cells}, {1, 1, 1}, 6, kind})
             : rectangle_mesh({{1, 0.7}, {0.3, -0.2}, {cells, cells}, {1, 1}, kind});
}

// A few elements with bent edges.
inline Mesh bent_mesh(ElementKind kind) {
  Mesh mesh = straight_mesh(kind, dimension_of(kind) == 3 ? 1 : 2);
  std::mt19937 engine(7);
  std::uniform_real_distribution<double> noise(-0.03, 0.03);
  for (double& x : mesh.X) x += noise(engine);
  return mesh;
}

// x = A X + c, and noise.
inline Numbers deformed(const Mesh& mesh, const Eigen::MatrixXd& A, double noise) {
  std::mt19937 engine(5);
  std::normal_distribution<double> normal(0, 1);
  const int D = mesh.dimension();
  Numbers q(mesh.X.size());
  for (int a = 0; a < mesh.nodes(); ++a)
    for (int i = 0; i < D; ++i) {
      double x = 0.4 + noise * normal(engine);
      for (int j = 0; j < D; ++j) x += A(i, j) * mesh.X[a * D + j];
      q[a * D + i] = x;
    }
  return q;
}

// Neither symmetric nor near the identity.
inline Eigen::MatrixXd stretch(int D) {
  const Eigen::Matrix3d A{{1.25, 0.2, -0.1}, {-0.1, 0.9, 0.15}, {0.05, -0.2, 1.1}};
  return A.topLeftCorner(D, D);
}

inline Numbers difference(const Numbers& a, const Numbers& b) {
  Numbers result = a;
  for (std::size_t i = 0; i < a.size(); ++i) result[i] -= b[i];
  return result;
}

inline Numbers forces(const SolidBlock& block, const Numbers& q) {
  Numbers G(q.size(), 0.0);
  block.add_configurational(q, 1, G);
  return G;
}

inline Numbers gradient(const SolidBlock& block, const Numbers& q) {
  Numbers g(q.size(), 0.0);
  block.add_gradient(0, q, 1, g);
  return g;
}

inline double dot(const Numbers& a, const Numbers& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// Largest component of sum_a x_a x f_a.
inline double moment(const Numbers& x, const Numbers& f, std::size_t D) {
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  for (std::size_t a = 0; a < x.size(); a += D) {
    Eigen::Vector3d at = Eigen::Vector3d::Zero(), force = Eigen::Vector3d::Zero();
    for (std::size_t i = 0; i < D; ++i) {
      at(static_cast<int>(i)) = x[a + i];
      force(static_cast<int>(i)) = f[a + i];
    }
    sum += at.cross(force);
  }
  return sum.cwiseAbs().maxCoeff();
}

}  // namespace livens::testing
