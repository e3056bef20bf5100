// What every material promises, measured over the records: gradient and Hessian are differences of the energy, rest is
// stress-free, rotations cost nothing where claimed, the convex stand-in is convex, small strains have the moduli asked
// for.
#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include "mesh/core/shape.hpp"
#include "support/solids.hpp"

namespace livens {
namespace {

using namespace testing;
using Numbers = std::vector<double>;
constexpr double lambda = example_moduli.lambda, mu = example_moduli.mu;

class MaterialLaws : public ::testing::TestWithParam<std::string> {
 protected:
  const MaterialRecord& record() const { return record_of(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(Records, MaterialLaws, ::testing::ValuesIn(material_names()),
                         [](const auto& one) { return one.param; });

Numbers gradient(const SolidBlock& block, const Numbers& q) {
  Numbers g(q.size(), 0.0);
  block.add_gradient(0, q, 1, g);
  return g;
}

// Central differences by coordinate i.
void expect_differences(const SolidBlock& block, const Numbers& q, std::size_t i, const Numbers& g, const Numbers& H) {
  constexpr double step = 1e-5;
  constexpr double by_differences = 1e-6;  // step^2 over edges of 0.3 squared, and rounding 1e-16 / step
  Numbers plus = q, minus = q;
  plus[i] += step;
  minus[i] -= step;
  EXPECT_NEAR((block.energy(0, plus) - block.energy(0, minus)) / (2 * step), g[i], by_differences * largest(g));
  const Numbers above = gradient(block, plus), below = gradient(block, minus);
  for (std::size_t k = 0; k < q.size(); ++k)
    EXPECT_NEAR((above[k] - below[k]) / (2 * step), H[q.size() * k + i], by_differences * largest(H));
}

TEST_P(MaterialLaws, GradientAndHessianAreDifferencesOfTheEnergyForEveryElement) {
  std::mt19937 engine(11);
  for (const ElementKind kind : element_kinds) {
    SCOPED_TRACE(to_string(kind));
    const auto mesh = small_mesh(kind);
    const auto block = example_block(record(), part_of(mesh));
    for (int trial = 0; trial < 4; ++trial) {
      const Numbers q = deformed(*mesh, engine, 0.05), g = gradient(*block, q),
                    H = dense_hessian(*block, q, mesh->dimension());
      EXPECT_GT(largest(g), 1e-3 * mu);
      for (std::size_t i = 0; i < q.size(); i += 3) expect_differences(*block, q, i, g, H);
    }
  }
}

TEST_P(MaterialLaws, RestIsStressFree) {
  const auto mesh = small_mesh(ElementKind::tet10);
  const auto block = example_block(record(), part_of(mesh));
  Numbers g(mesh->X.size(), 0.0);
  EXPECT_NEAR(block->add_gradient_and_energy(0, mesh->X, 1, g), 0, 1e-12 * mu);
  EXPECT_LE(largest(g), 1e-13 * mu);
}

TEST_P(MaterialLaws, RotationsCostNothingWhereClaimed) {
  const auto mesh = small_mesh(ElementKind::tet10);
  const auto block = example_block(record(), part_of(mesh));
  std::mt19937 engine(5);
  const Numbers q = deformed(*mesh, engine, 0.05);
  const Eigen::Matrix3d R{{2.0 / 3, -1.0 / 3, 2.0 / 3}, {2.0 / 3, 2.0 / 3, -1.0 / 3}, {-1.0 / 3, 2.0 / 3, 2.0 / 3}};
  const auto turned = [&](const Numbers& x) {
    Numbers y(x.size());
    for (std::size_t a = 0; a < x.size(); a += 3)
      Eigen::Map<Eigen::Vector3d>(y.data() + a) = R * Eigen::Map<const Eigen::Vector3d>(x.data() + a);
    return y;
  };
  const double energy = block->energy(0, q), energy_turned = block->energy(0, turned(q));
  if (!record().frame_indifferent) {  // the detector fires
    EXPECT_GT(std::abs(energy_turned - energy), 0.1 * energy);
    return;
  }
  EXPECT_NEAR(energy_turned, energy, 1e-12 * energy);
  const Numbers g = gradient(*block, turned(q));
  Numbers difference = turned(gradient(*block, q));
  for (std::size_t i = 0; i < g.size(); ++i) difference[i] -= g[i];
  EXPECT_LE(largest(difference), 1e-12 * largest(g));
}

Eigen::VectorXd eigenvalues(const Numbers& H, std::size_t n) {
  const Eigen::Map<const Eigen::MatrixXd> matrix(H.data(), static_cast<long>(n), static_cast<long>(n));
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(matrix, Eigen::EigenvaluesOnly).eigenvalues();
}

TEST_P(MaterialLaws, TheConvexStandInIsPositive) {
  const auto mesh = small_mesh(ElementKind::tet4);
  const auto block = example_block(record(), part_of(mesh));
  std::mt19937 engine(9);
  int indefinite = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const Numbers q = deformed(*mesh, engine, trial < 20 ? 0.05 : 0.15);
    Numbers j(mesh->elements());
    block->volume_ratio(q, j);
    if (*std::min_element(j.begin(), j.end()) < 0.05) continue;
    const Eigen::VectorXd exact = eigenvalues(dense_hessian(*block, q, 3), q.size());
    const Eigen::VectorXd convex = eigenvalues(dense_hessian(*block, q, 3, Hessian::convex), q.size());
    indefinite += exact.minCoeff() < -1e-9 * exact.maxCoeff();
    EXPECT_GE(convex.minCoeff(), -1e-10 * convex.maxCoeff());
  }
  // No frame-indifferent energy is convex in F; a linear one is.
  EXPECT_EQ(indefinite > 0, record().frame_indifferent) << "was the stand-in needed?";
}

TEST_P(MaterialLaws, SmallStrainModuliAreTheOnesAskedFor) {
  const auto mesh = small_mesh(ElementKind::tet4);
  const auto block = example_block(record(), part_of(mesh));
  double volume = 0;
  for (int e = 0; e < mesh->elements(); ++e) volume += signed_volume(*mesh, e);
  const auto density_of = [&](const Eigen::Matrix3d& H) {
    Numbers q = mesh->X;
    for (std::size_t a = 0; a < q.size(); a += 3) {
      Eigen::Map<Eigen::Vector3d> x(q.data() + a);
      x += H * Eigen::Vector3d(x);
    }
    return block->energy(0, q) / volume;
  };
  const double e = 1e-4;
  Eigen::Matrix3d shear = Eigen::Matrix3d::Zero();
  shear(0, 1) = shear(1, 0) = e;
  EXPECT_NEAR(density_of(shear) / (2 * e * e), mu, 1e-3 * mu);
  EXPECT_NEAR(density_of(e * Eigen::Matrix3d::Identity()) / (4.5 * e * e), lambda + 2 * mu / 3, 2e-3 * (lambda + mu));
}

TEST_P(MaterialLaws, InvertedElementsHaveNoEnergyUnlessItSaysSo) {
  const auto mesh = small_mesh(ElementKind::tet4);
  Numbers q = mesh->X;
  for (std::size_t i = 0; i < q.size(); i += 3) q[i] = -q[i];  // mirrored
  const auto block = example_block(record(), part_of(mesh));
  EXPECT_EQ(std::isfinite(block->energy(0, q)), record().survives_inversion);
  EXPECT_EQ(block->survives_inversion(), record().survives_inversion);
}

// Cauchy's stress against the forces of the nodes: the virial sum x (x) f = V J sigma of a part that is deformed
// evenly.
TEST_P(MaterialLaws, TheStressIsTheVirialOfTheForces) {
  Mesh box = box_mesh({{1, 1, 1}, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}, 6, ElementKind::tet4});
  const auto mesh = std::make_shared<const Mesh>(std::move(box));
  const auto block = example_block(record(), part_of(mesh));
  const Eigen::Matrix3d F{{1.1, 0.2, 0}, {-0.1, 0.9, 0.1}, {0, 0.05, 1.05}};
  Numbers q(mesh->X.size());
  for (std::size_t a = 0; a < q.size(); a += 3)
    Eigen::Map<Eigen::Vector3d>(q.data() + a) = F * Eigen::Map<const Eigen::Vector3d>(mesh->X.data() + a);
  const Numbers g = gradient(*block, q);
  Eigen::Matrix3d virial = Eigen::Matrix3d::Zero();
  const bool small = block->at_fixed_displacement();  // stress per reference volume, on the reference
  const Numbers& x = small ? mesh->X : q;
  for (std::size_t a = 0; a < q.size(); a += 3)
    virial += Eigen::Map<const Eigen::Vector3d>(g.data() + a) * Eigen::Map<const Eigen::RowVector3d>(x.data() + a);
  virial /= small ? 1 : F.determinant();
  Numbers stress(6 * mesh->elements()), density(mesh->elements());
  block->fields(q, stress, density);
  const double expected[6] = {virial(0, 0), virial(1, 1), virial(2, 2), virial(0, 1), virial(1, 2), virial(2, 0)};
  for (std::size_t i = 0; i < stress.size(); ++i) EXPECT_NEAR(stress[i], expected[i % 6], 1e-12 * mu) << i;
  for (const double w : density) EXPECT_NEAR(w, block->energy(0, q), 1e-12 * mu);
}

}  // namespace
}  // namespace livens
