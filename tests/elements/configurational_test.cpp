// Configurational forces G = dW/dX of the nodes [L04 5], for every material and kind of element: against differences of
// the energy over moved reference nodes, against what follows from symmetries, on patches.
#include "elements/configurational.hpp"

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "mesh/core/select.hpp"

namespace livens {
namespace {

using namespace testing;

class Configurational : public ::testing::TestWithParam<std::string> {
 protected:
  std::shared_ptr<SolidBlock> block(const Mesh& mesh) const {
    return example_block(record_of(GetParam()), part_of(std::make_shared<const Mesh>(mesh)));
  }
  // Whether the energy is one of grad u, so that u is held when the reference moves.
  bool linear() const { return block(straight_mesh(ElementKind::tri3, 1))->at_fixed_displacement(); }
  // What is held when the reference moves: x, or u = x - X.
  Numbers held(const Mesh& mesh, const Numbers& q) const { return linear() ? difference(q, mesh.X) : q; }

  // dW/dX by central differences.
  Numbers differences(const Mesh& mesh, const Numbers& q, bool hold_u) const {
    constexpr double step = 1e-5;
    Numbers result(q.size());
    for (std::size_t i = 0; i < q.size(); ++i) {
      double energy[2];
      for (int side = 0; side < 2; ++side) {
        const double by = side == 0 ? -step : step;
        Mesh moved = mesh;
        moved.X[i] += by;
        Numbers x = q;
        if (hold_u) x[i] += by;
        energy[side] = block(moved)->energy(0, x);
      }
      result[i] = (energy[1] - energy[0]) / (2 * step);
    }
    return result;
  }
};

// Truncation (1e-5)^2 / (smallest edge of the order 0.1)^2 and rounding 1e-16/1e-5 both stay below this.
constexpr double by_differences = 1e-7;

TEST_P(Configurational, IsTheDerivativeOfTheEnergyByTheReference) {
  for (const ElementKind kind : element_kinds) {
    const Mesh mesh = bent_mesh(kind);
    const Numbers q = deformed(mesh, stretch(mesh.dimension()), 0.01), G = forces(*block(mesh), q);
    const double scale = largest(G);
    EXPECT_GT(scale, 1e-3 * example_moduli.mu);
    const Numbers at_fixed_x = differences(mesh, q, false), at_fixed_u = differences(mesh, q, true);
    EXPECT_LE(largest(difference(G, linear() ? at_fixed_u : at_fixed_x)), by_differences * scale) << to_string(kind);
    // The other one is another force; they differ by the gradient.
    EXPECT_GT(largest(difference(G, linear() ? at_fixed_x : at_fixed_u)), 0.1 * scale) << to_string(kind);
    EXPECT_LE(largest(difference(difference(at_fixed_u, at_fixed_x), gradient(*block(mesh), q))),
              3 * by_differences * scale)
        << to_string(kind);
  }
}

// Per element and kind of symmetry, with z = x, or u for linear elasticity, and g = dW/dx:
//   W(X + c, z) = W(X, z)       sum G = 0
//   W(RX, Rz) = W(X, z)         sum X x G + z x g = 0; isotropy and frame indifference: each alone
//   W(sX, sz) = s^D W(X, z)     sum X.G + z.g = D W
TEST_P(Configurational, FollowsFromTheSymmetriesOfTheEnergy) {
  for (const ElementKind kind : element_kinds) {
    const Mesh mesh = bent_mesh(kind);
    const auto solid = block(mesh);
    const auto D = static_cast<std::size_t>(mesh.dimension());
    const Numbers q = deformed(mesh, stretch(mesh.dimension()), 0.01), G = forces(*solid, q), g = gradient(*solid, q),
                  z = held(mesh, q);
    const double scale = largest(G) + largest(g);
    for (std::size_t c = 0; c < D; ++c) {
      double sum = 0;
      for (std::size_t i = c; i < G.size(); i += D) sum += G[i];
      EXPECT_NEAR(sum, 0, rounding * scale) << to_string(kind);
    }
    const double energy = solid->energy(0, q);
    EXPECT_NEAR(dot(mesh.X, G) + dot(z, g), static_cast<double>(D) * energy, rounding * energy) << to_string(kind);
    // moment() is a maximum of absolute values: one list of pairs has the sum of both.
    Numbers places = mesh.X, all = G;
    places.insert(places.end(), z.begin(), z.end());
    all.insert(all.end(), g.begin(), g.end());
    EXPECT_NEAR(moment(places, all, D), 0, rounding * scale) << to_string(kind);
    if (linear())
      EXPECT_GT(moment(mesh.X, G, D), 1e-3 * scale) << to_string(kind);
    else
      EXPECT_NEAR(moment(mesh.X, G, D), 0, rounding * scale) << to_string(kind);
  }
}

// sum_K V (w I - H'P) b_a from the fields of linear elements, P = J sigma F^-T; `sign` of w.
Numbers from_fields(const SolidBlock& block, const Mesh& mesh, const Numbers& q, bool linear, double sign) {
  const int D = mesh.dimension();
  const auto count = static_cast<std::size_t>(mesh.elements());
  Numbers stress(6 * count), density(count), G(q.size(), 0.0);
  block.fields(q, stress, density);
  for (int e = 0; e < mesh.elements(); ++e) {
    const auto at = [&](int a, int i) { return static_cast<std::size_t>(mesh.element(e)[a] * D + i); };
    Eigen::MatrixXd X(D, D), x(D, D), sigma(D, D);
    const double* s = stress.data() + 6 * static_cast<std::size_t>(e);
    constexpr int voigt[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) {
        X(i, j) = mesh.X[at(j + 1, i)] - mesh.X[at(0, i)];
        x(i, j) = q[at(j + 1, i)] - q[at(0, i)];
        sigma(i, j) = s[voigt[i][j]];
      }
    const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(D, D), b = X.inverse(), F = x * b;  // rows of b: nodes 1 ...
    const double V = X.determinant() * (D == 2 ? thickness / 2 : 1.0 / 6);
    const Eigen::MatrixXd P = linear ? sigma : Eigen::MatrixXd(F.determinant() * sigma * F.transpose().inverse());
    const Eigen::MatrixXd H = linear ? Eigen::MatrixXd(F - I) : F;
    const Eigen::MatrixXd f = V * (sign * density[e] * I - H.transpose() * P) * b.transpose();
    for (int i = 0; i < D; ++i)
      for (int a = 0; a < D; ++a) {
        G[at(a + 1, i)] += f(i, a);
        G[at(0, i)] -= f(i, a);
      }
  }
  return G;
}

TEST_P(Configurational, IsTheForceOfEshelbysStress) {
  for (const ElementKind kind : {ElementKind::tri3, ElementKind::tet4}) {
    const Mesh mesh = bent_mesh(kind);
    const auto solid = block(mesh);
    const Numbers q = deformed(mesh, stretch(mesh.dimension()), 0.01), G = forces(*solid, q);
    const Numbers right = from_fields(*solid, mesh, q, linear(), 1), wrong = from_fields(*solid, mesh, q, linear(), -1);
    EXPECT_LE(largest(difference(G, right)), rounding * largest(G)) << to_string(kind);
    // The wrong sign of w: seen here, by differences and by the sum X.G + z.g.
    EXPECT_GT(largest(difference(G, wrong)), 0.01 * largest(G)) << to_string(kind);
    const Numbers truth = differences(mesh, q, linear());
    EXPECT_GT(largest(difference(wrong, truth)), 1e4 * by_differences * largest(truth)) << to_string(kind);
    const double energy = solid->energy(0, q), D = mesh.dimension();
    EXPECT_GT(std::abs(dot(mesh.X, wrong) + dot(held(mesh, q), gradient(*solid, q)) - D * energy), 0.1 * energy);
  }
}

// Where F is the same everywhere, so is the stress, and nodes inside have sum V b_a = 0 as far as the quadrature is
// exact: V b_a = cof(dX/dr) dN_a/dr is of degree 0 in linear elements, 1 in straight quadratic ones, 2 in bent
// triangles and 3 in bent tetrahedra, for which the rule of degree 2 leaves a rest.
TEST_P(Configurational, VanishesInsideAPatch) {
  for (const ElementKind kind : element_kinds)
    for (const bool bent : {false, true}) {
      if (bent && !quadratic(kind)) continue;
      const int D = dimension_of(kind);
      Mesh mesh = straight_mesh(D == 3 ? ElementKind::tet4 : ElementKind::tri3, 3);
      std::mt19937 engine(3);
      std::uniform_real_distribution<double> noise(-0.03, 0.03);
      const auto distort = [&] {
        const std::vector<int> boundary = select_boundary(mesh);
        for (int a = 0; a < mesh.nodes(); ++a)
          if (!std::binary_search(boundary.begin(), boundary.end(), a))
            for (int i = 0; i < D; ++i) mesh.X[a * D + i] += noise(engine);
      };
      distort();
      if (quadratic(kind)) mesh = to_quadratic(mesh);
      if (bent) distort();
      const Numbers G = forces(*block(mesh), deformed(mesh, stretch(D), 0));
      const std::vector<int> boundary = select_boundary(mesh);
      double inside = 0;
      for (int a = 0; a < mesh.nodes(); ++a)
        if (!std::binary_search(boundary.begin(), boundary.end(), a))
          for (int i = 0; i < D; ++i) inside = std::max(inside, std::abs(G[a * D + i]));
      EXPECT_LT(static_cast<int>(boundary.size()), mesh.nodes());
      EXPECT_GT(largest(G), 1e-3 * example_moduli.mu);  // of the boundary
      if (bent && D == 3)
        EXPECT_GT(inside, 1e-6 * largest(G));
      else
        EXPECT_LE(inside, rounding * largest(G)) << to_string(kind) << " bent " << bent;
      // Not so where F changes.
      const Numbers uneven = forces(*block(mesh), deformed(mesh, stretch(D), 0.005));
      double detected = 0;
      for (int a = 0; a < mesh.nodes(); ++a)
        if (!std::binary_search(boundary.begin(), boundary.end(), a))
          detected = std::max(detected, std::abs(uneven[a * D]));
      EXPECT_GT(detected, 1e-3 * largest(G)) << to_string(kind);
    }
}

INSTANTIATE_TEST_SUITE_P(Records, Configurational, ::testing::ValuesIn(material_names()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace livens
