// Laws of elements and materials: gradient and Hessian against automatic differentiation of independently written
// energies and against differences, over many random deformations; frame indifference where claimed; rest is
// stress-free; the packs agree with scalar arithmetic to a few ulp; bits do not depend on threads.
#include <cmath>
#include <functional>
#include <map>
#include <random>

#include <Eigen/Dense>
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <livens/jet.hpp>
#include <livens/scene.hpp>

#include "materials/material.hpp"
#include "math/expression.hpp"
#include "math/sparse_pattern.hpp"
#include "mesh/core/mesh_tools.hpp"

namespace livens {
namespace {

using Jet = Jet2<9>;
constexpr double lambda = 3.7e5, mu = 1.3e5;

// The seven energies once more, as functions of F alone.
template <class S>
struct Invariants {
  S i1 = 0, i2 = 0, j = 0;
  explicit Invariants(const std::array<S, 9>& F) {
    S C[3][3];
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < 3; ++k) {
        C[i][k] = 0;
        for (std::size_t m = 0; m < 3; ++m) C[i][k] = C[i][k] + F[3 * m + i] * F[3 * m + k];
      }
    S square = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      i1 = i1 + C[i][i];
      for (std::size_t k = 0; k < 3; ++k) square = square + C[i][k] * C[k][i];
    }
    i2 = 0.5 * (i1 * i1 - square);
    j = F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) + F[2] * (F[3] * F[7] - F[4] * F[6]);
  }
};

template <class S>
S reference_energy(const std::string& kind, const std::array<S, 9>& F) {
  const Invariants<S> v(F);
  const double bulk = lambda + 2 * mu / 3;
  if (kind == "neo_hookean" || kind == "expression")
    return mu / 2 * (v.i1 - 3.0 - 2.0 * log(v.j)) + lambda / 2 * log(v.j) * log(v.j);
  if (kind == "isochoric_neo_hookean")
    return mu / 2 * (pow(v.j, -2.0 / 3) * v.i1 - 3.0) + bulk / 2 * log(v.j) * log(v.j);
  if (kind == "mooney_rivlin")
    return 0.8 * mu / 2 * (pow(v.j, -2.0 / 3) * v.i1 - 3.0) + 0.2 * mu / 2 * (pow(v.j, -4.0 / 3) * v.i2 - 3.0) +
           bulk / 2 * log(v.j) * log(v.j);
  if (kind == "stable_neo_hookean") {
    const double m = 4 * mu / 3, l = lambda + 5 * mu / 6, a = 1 + 0.75 * m / l;
    return m / 2 * (v.i1 - 3.0) + l / 2 * (v.j - a) * (v.j - a) - m / 2 * log(v.i1 + 1.0) -
           (l / 2 * (1 - a) * (1 - a) - m / 2 * std::log(4.0));
  }
  S trace = 0, square = 0;
  const bool linear = kind == "linear";
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      S e = linear ? F[3 * i + k] + F[3 * k + i] : S(0.0);
      if (!linear)
        for (std::size_t m = 0; m < 3; ++m) e = e + F[3 * m + i] * F[3 * m + k];
      e = 0.5 * (e - (i == k ? (linear ? 2.0 : 1.0) : 0.0));
      if (i == k) trace = trace + e;
      square = square + e * e;
    }
  return lambda / 2 * trace * trace + mu * square;
}

MaterialConstants constants() {
  static Settings settings;
  const std::vector<std::string> names = {"I1", "I2", "J"};
  const std::map<std::string, double, std::less<>> parameters = {{"mu", mu}, {"la", lambda}};
  const std::string text = "mu/2*(I1 - 3 - 2*log(J)) + la/2*log(J)^2";
  settings.functions["energy"] = {std::make_shared<const Expression>(Expression::parse(text, names, parameters))};
  settings.values["c01_share"] = 0.2;
  MaterialConstants result;
  result.moduli = {lambda, mu};
  result.settings = &settings;
  return result;
}

// A few elements with bent edges, at some distance from the origin.
std::shared_ptr<Mesh> small_mesh(ElementKind kind) {
  Mesh mesh = dimension_of(kind) == 3 ? box_mesh({{1, 0.7, 0.9}, {2, 1, -3}, {1, 1, 2}, {1, 1, 1}, 6, kind})
                                      : rectangle_mesh({{1, 0.7}, {2, 1}, {2, 2}, {1, 1}, kind});
  std::mt19937 engine(7);
  std::uniform_real_distribution<double> noise(-0.02, 0.02);
  for (double& x : mesh.X) x += noise(engine);
  return std::make_shared<Mesh>(std::move(mesh));
}

SolidPart part_of(std::shared_ptr<Mesh> mesh, int first = 0) {
  SolidPart part{"body", mesh, first, {}, 0.8};
  for (int e = 0; e < mesh->elements(); ++e) part.elements.push_back(e);
  return part;
}

Eigen::MatrixXd dense_hessian(const EnergyTerm& term, ConstVector q, int block, bool convex = false) {
  PatternSink pattern_sink;
  term.add_hessian(0, q, 1, pattern_sink);
  const SparsePattern pattern = pattern_sink.make_pattern(static_cast<int>(q.size()), block);
  const std::vector<int> slots = pattern_sink.slots(pattern, 0, pattern_sink.mark());
  std::vector<double> values(pattern.nonzeros(), 0.0);
  SlotSink sink(slots, values);
  convex ? term.add_convex_hessian(0, q, 1, sink) : term.add_hessian(0, q, 1, sink);
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(pattern.n, pattern.n);
  for (int c = 0; c < pattern.n; ++c)
    for (int k = pattern.column_start[c]; k < pattern.column_start[static_cast<std::size_t>(c) + 1]; ++k)
      dense(pattern.row[k], c) = values[k];
  return dense;
}

std::vector<double> deformed(const Mesh& mesh, std::mt19937& engine, double amount) {
  std::normal_distribution<double> normal(0, amount);
  const int D = mesh.dimension();
  Eigen::MatrixXd A = Eigen::MatrixXd::Identity(D, D);
  for (int i = 0; i < D * D; ++i) A(i) += 2 * normal(engine);
  std::vector<double> q(mesh.X.size());
  for (int a = 0; a < mesh.nodes(); ++a)
    for (int i = 0; i < D; ++i) {
      double x = 0.1 * normal(engine);
      for (int j = 0; j < D; ++j) x += A(i, j) * mesh.X[a * D + j];
      q[a * D + i] = x;
    }
  return q;
}

class Material : public testing::TestWithParam<std::string> {
 protected:
  const MaterialRecord& record() const {
    for (const auto& r : material_records())
      if (r.name == GetParam()) return r;
    throw std::logic_error("no record");
  }
};

// One tetrahedron with the unit reference: its energy and derivatives are those of w(F) itself. 1000 deformations.
TEST_P(Material, DerivativesAreThoseOfAutomaticDifferentiation) {
  auto mesh = std::make_shared<Mesh>();
  mesh->kind = ElementKind::tet4;
  mesh->X = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  mesh->connectivity = {0, 1, 2, 3};
  const auto block = record().make(constants(), part_of(mesh));
  std::mt19937 engine(3);
  std::normal_distribution<double> normal(0, record().survives_inversion ? 0.5 : 0.25);
  int used = 0, inverted = 0;
  double worst_energy = 0, worst_gradient = 0, worst_hessian = 0;
  while (used < 1000) {
    std::array<Jet, 9> F;
    std::vector<double> q(12, 0.3);  // x_a = x_0 + F e_a
    for (std::size_t i = 0; i < 9; ++i) {
      const double value = (i % 4 == 0 ? 1.0 : 0.0) + normal(engine);
      F[i] = Jet::variable(value, i);
      q[3 * (i % 3 + 1) + i / 3] += value;
    }
    const double j = Invariants<Jet>(F).j.value;
    if (j < 0.1 && !(j < -0.1 && record().survives_inversion)) continue;
    inverted += j < 0;
    ++used;
    const Jet w = reference_energy(GetParam(), F);
    const double V = 1.0 / 6;
    std::vector<double> g(12, 0.0);
    const double energy = block->add_gradient_and_energy(0, q, 1, g);
    EXPECT_NEAR(energy, block->energy(0, q), 1e-14 * (std::abs(energy) + V * mu));
    const Eigen::MatrixXd H = dense_hessian(*block, q, 3);
    double scale_g = 0, scale_h = 0;
    for (std::size_t i = 0; i < 9; ++i) scale_g = std::max(scale_g, std::abs(w.gradient[i]));
    for (std::size_t i = 0; i < 9; ++i)
      for (std::size_t k = 0; k < 9; ++k) scale_h = std::max(scale_h, std::abs(w.hessian(i, k)));
    worst_energy = std::max(worst_energy, std::abs(energy - V * w.value) / (V * (std::abs(w.value) + mu)));
    for (std::size_t i = 0; i < 9; ++i) {
      const std::size_t row = 3 * (i % 3 + 1) + i / 3;
      worst_gradient = std::max(worst_gradient, std::abs(g[row] - V * w.gradient[i]) / (V * (scale_g + mu)));
      for (std::size_t k = 0; k < 9; ++k) {
        const std::size_t column = 3 * (k % 3 + 1) + k / 3;
        worst_hessian =
            std::max(worst_hessian, std::abs(H(static_cast<int>(row), static_cast<int>(column)) - V * w.hessian(i, k)) /
                                        (V * scale_h));
      }
    }
    double sum = 0;
    for (std::size_t c = 0; c < 3; ++c) sum = std::max(sum, std::abs(g[c] + g[3 + c] + g[6 + c] + g[9 + c]));
    EXPECT_LE(sum, 1e-15 * (scale_g + mu));
    EXPECT_LE((H - H.transpose()).cwiseAbs().maxCoeff(), 1e-14 * scale_h);
    EXPECT_LE(H.rowwise().sum().cwiseAbs().maxCoeff(), 20 * scale_h);  // guarded below by block sums
    const Eigen::MatrixXd block_sum = H.middleCols(0, 3) + H.middleCols(3, 3) + H.middleCols(6, 3) + H.middleCols(9, 3);
    EXPECT_LE(block_sum.cwiseAbs().maxCoeff(), 1e-13 * scale_h);
  }
  // A few ulp, times the condition of invariants of strongly deformed shapes.
  EXPECT_LE(worst_energy, 2e-14);
  EXPECT_LE(worst_gradient, 2e-13);
  EXPECT_LE(worst_hessian, 2e-12);
  EXPECT_EQ(inverted > 0, record().survives_inversion);
}

TEST_P(Material, GradientAndHessianAreDifferencesOfTheEnergyForEveryElement) {
  std::mt19937 engine(11);
  for (const ElementKind kind : {ElementKind::tri3, ElementKind::tri6, ElementKind::tet4, ElementKind::tet10}) {
    const auto mesh = small_mesh(kind);
    const auto block = record().make(constants(), part_of(mesh));
    const int D = mesh->dimension();
    for (int trial = 0; trial < 4; ++trial) {
      const std::vector<double> q = deformed(*mesh, engine, 0.05);
      std::vector<double> g(q.size(), 0.0), gp(q.size()), gm(q.size());
      block->add_gradient(0, q, 1, g);
      const Eigen::MatrixXd H = dense_hessian(*block, q, D);
      double gs = 0;
      for (const double x : g) gs = std::max(gs, std::abs(x));
      const double hs = H.cwiseAbs().maxCoeff(), step = 1e-5;
      for (std::size_t i = 0; i < q.size(); i += 3) {
        std::vector<double> plus = q, minus = q;
        plus[i] += step;
        minus[i] -= step;
        EXPECT_NEAR((block->energy(0, plus) - block->energy(0, minus)) / (2 * step), g[i], 1e-6 * gs)
            << to_string(kind);
        std::fill(gp.begin(), gp.end(), 0.0);
        std::fill(gm.begin(), gm.end(), 0.0);
        block->add_gradient(0, plus, 1, gp);
        block->add_gradient(0, minus, 1, gm);
        for (std::size_t k = 0; k < q.size(); ++k)
          EXPECT_NEAR((gp[k] - gm[k]) / (2 * step), H(static_cast<int>(k), static_cast<int>(i)), 1e-6 * hs)
              << to_string(kind);
      }
    }
  }
}

TEST_P(Material, RestIsStressFreeAndRotationsCostNothingWhereClaimed) {
  const auto mesh = small_mesh(ElementKind::tet10);
  const auto block = record().make(constants(), part_of(mesh));
  std::vector<double> g(mesh->X.size(), 0.0);
  EXPECT_NEAR(block->add_gradient_and_energy(0, mesh->X, 1, g), 0, 1e-12 * mu);
  for (const double x : g) EXPECT_NEAR(x, 0, 1e-13 * mu);

  std::mt19937 engine(5);
  const std::vector<double> q = deformed(*mesh, engine, 0.05);
  const Eigen::Matrix3d R = (Eigen::AngleAxisd(1.1, Eigen::Vector3d(1, 2, -1).normalized())).toRotationMatrix();
  std::vector<double> turned(q.size()), gt(q.size(), 0.0);
  std::fill(g.begin(), g.end(), 0.0);
  for (std::size_t a = 0; a < q.size(); a += 3)
    Eigen::Map<Eigen::Vector3d>(turned.data() + a) = R * Eigen::Map<const Eigen::Vector3d>(q.data() + a);
  const double energy = block->add_gradient_and_energy(0, q, 1, g);
  const double energy_turned = block->add_gradient_and_energy(0, turned, 1, gt);
  double scale = 0, difference = 0;
  for (std::size_t a = 0; a < q.size(); a += 3) {
    const Eigen::Vector3d want = R * Eigen::Map<const Eigen::Vector3d>(g.data() + a);
    scale = std::max(scale, want.norm());
    difference = std::max(difference, (want - Eigen::Map<const Eigen::Vector3d>(gt.data() + a)).norm());
  }
  if (record().frame_indifferent) {
    EXPECT_NEAR(energy_turned, energy, 1e-12 * energy);
    EXPECT_LE(difference, 1e-12 * scale);
  } else {  // the detector fires
    EXPECT_GT(std::abs(energy_turned - energy), 0.1 * energy);
  }
}

TEST_P(Material, ConvexStandInIsPositiveAndEqualAtRest) {
  const auto mesh = small_mesh(ElementKind::tet4);
  const auto block = record().make(constants(), part_of(mesh));
  std::mt19937 engine(9);
  int indefinite = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const std::vector<double> q = deformed(*mesh, engine, trial < 20 ? 0.05 : 0.15);
    std::vector<double> j(mesh->elements());
    block->volume_ratio(q, j);
    if (*std::min_element(j.begin(), j.end()) < 0.05) continue;
    const Eigen::MatrixXd exact = dense_hessian(*block, q, 3), convex = dense_hessian(*block, q, 3, true);
    const Eigen::VectorXd e = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(exact).eigenvalues();
    const Eigen::VectorXd c = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(convex).eigenvalues();
    indefinite += e.minCoeff() < -1e-9 * e.maxCoeff();
    EXPECT_GE(c.minCoeff(), -1e-10 * c.maxCoeff());
  }
  EXPECT_EQ(indefinite > 0, GetParam() != "linear") << "was the stand-in needed?";
}

TEST_P(Material, SmallStrainModuliAreTheOnesAskedFor) {
  const auto mesh = small_mesh(ElementKind::tet4);
  const auto block = record().make(constants(), part_of(mesh));
  double volume = 0;
  for (int e = 0; e < mesh->elements(); ++e) volume += signed_volume(*mesh, e);
  const auto energy_of = [&](const Eigen::Matrix3d& H) {
    std::vector<double> q = mesh->X;
    for (std::size_t a = 0; a < q.size(); a += 3) {
      Eigen::Map<Eigen::Vector3d> x(q.data() + a);
      x += H * Eigen::Vector3d(x);
    }
    return block->energy(0, q) / volume;
  };
  const double e = 1e-4;
  Eigen::Matrix3d shear = Eigen::Matrix3d::Zero();
  shear(0, 1) = shear(1, 0) = e;
  EXPECT_NEAR(energy_of(shear) / (2 * e * e), mu, 1e-3 * mu);
  EXPECT_NEAR(energy_of(e * Eigen::Matrix3d::Identity()) / (4.5 * e * e), lambda + 2 * mu / 3, 2e-3 * (lambda + mu));
}

INSTANTIATE_TEST_SUITE_P(All, Material,
                         testing::Values("neo_hookean", "isochoric_neo_hookean", "mooney_rivlin", "st_venant_kirchhoff",
                                         "stable_neo_hookean", "linear", "expression"),
                         [](const auto& one) { return one.param; });

TEST(Materials, EveryRecordIsTested) { EXPECT_EQ(material_records().size(), 7u); }

TEST(Elements, InvertedElementsHaveNoEnergyUnlessTheMaterialSaysSo) {
  const auto mesh = small_mesh(ElementKind::tet4);
  for (const auto& record : material_records()) {
    const auto block = record.make(constants(), part_of(mesh));
    std::vector<double> q = mesh->X;
    for (std::size_t i = 0; i < q.size(); i += 3) q[i] = -q[i];  // mirrored
    EXPECT_EQ(std::isfinite(block->energy(0, q)), record.survives_inversion) << record.name;
  }
}

TEST(Elements, BitsDoNotDependOnThreads) {
  const auto mesh =
      std::make_shared<Mesh>(box_mesh({{1, 1, 1}, {0, 0, 0}, {9, 9, 9}, {1, 1, 1}, 6, ElementKind::tet4}));
  std::mt19937 engine(2);
  const std::vector<double> q = deformed(*mesh, engine, 0.004);
  const auto block = material_records().front().make(constants(), part_of(mesh));
  const auto damping = block->make_damping("d", 0.01, false);
  std::vector<std::vector<double>> seen;
  for (const std::size_t threads : {1u, 2u, 4u}) {
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    std::vector<double> g(q.size(), 0.0);
    g.push_back(block->add_gradient_and_energy(0, q, 1, Vector(g).first(q.size())));
    damping->add_force(0, q, q, 1, Vector(g).first(q.size()));
    ASSERT_TRUE(std::isfinite(g.back()));
    seen.push_back(g);
  }
  EXPECT_EQ(seen[0], seen[1]);
  EXPECT_EQ(seen[0], seen[2]);
}

// f = -time K(q) v: no force for rigid motions, no torque, dissipates; Jacobian by v against differences.
TEST(Elements, StrainDampingIsMomentumExactAndDissipates) {
  std::mt19937 engine(4);
  for (const ElementKind kind : {ElementKind::tri3, ElementKind::tri6, ElementKind::tet4, ElementKind::tet10}) {
    const auto mesh = small_mesh(kind);
    const std::size_t D = static_cast<std::size_t>(mesh->dimension()), n = mesh->X.size();
    const auto block = material_records().front().make(constants(), part_of(mesh));
    const auto damping = block->make_damping("d", 0.01, false);
    const std::vector<double> q = deformed(*mesh, engine, 0.05);
    std::normal_distribution<double> normal(0, 1);
    std::vector<double> v(n), rigid(n), f(n, 0.0), fr(n, 0.0);
    for (double& x : v) x = normal(engine);
    for (std::size_t a = 0; a < n; a += D) {
      rigid[a] = 0.3 - 0.7 * q[a + 1];
      rigid[a + 1] = 0.7 * q[a];
      if (D == 3) rigid[a + 2] = -0.2;
    }
    damping->add_force(0, q, v, 1, f);
    damping->add_force(0, q, rigid, 1, fr);
    double scale = 0, power = 0, fx = 0, torque = 0;
    for (std::size_t i = 0; i < n; ++i) {
      scale = std::max(scale, std::abs(f[i]));
      power += f[i] * v[i];
    }
    for (const double x : fr) EXPECT_NEAR(x, 0, 1e-12 * scale);
    for (std::size_t a = 0; a < n; a += D) {
      fx += f[a];
      torque += q[a] * f[a + 1] - q[a + 1] * f[a];
    }
    EXPECT_LT(power, 0);
    EXPECT_NEAR(fx, 0, 1e-12 * scale);
    EXPECT_NEAR(torque, 0, 1e-11 * scale);
    PatternSink pattern_sink;
    damping->add_jacobian(0, q, v, 1, 1, pattern_sink);
    const SparsePattern pattern = pattern_sink.make_pattern(static_cast<int>(n), static_cast<int>(D));
    const auto slots = pattern_sink.slots(pattern, 0, pattern_sink.mark());
    std::vector<double> values(pattern.nonzeros(), 0.0), kv(n);
    SlotSink sink(slots, values);
    damping->add_jacobian(0, q, v, 0, 1, sink);
    pattern.multiply(values, v, kv);
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(kv[i], f[i], 1e-11 * scale);
  }
}

TEST(Elements, APartThatTouchesMarkedNodesHasTheirForces) {
  const auto mesh =
      std::make_shared<Mesh>(box_mesh({{1, 1, 1}, {0, 0, 0}, {4, 4, 4}, {1, 1, 1}, 6, ElementKind::tet4}));
  std::mt19937 engine(6);
  const std::vector<double> q = deformed(*mesh, engine, 0.01);
  const auto block = material_records().front().make(constants(), part_of(mesh));
  std::vector<bool> marked(q.size(), false);
  for (const int a : mesh->groups.at("x_min")) marked[3 * a] = true;
  const auto some = block->restricted(marked);
  std::vector<double> all(q.size(), 0.0), few(q.size(), 0.0);
  block->add_gradient(0, q, 1, all);
  some->add_gradient(0, q, 1, few);
  EXPECT_LT(some->energy(0, q), 0.5 * block->energy(0, q));
  for (std::size_t i = 0; i < q.size(); ++i) EXPECT_NEAR(marked[i] ? few[i] : all[i], all[i], 1e-12 * mu);
}

}  // namespace
}  // namespace livens
