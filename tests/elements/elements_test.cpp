// Blocks of elements: bits do not depend on threads, damping of the rate of strain, parts of a block.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Geometry>
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include "mesh/core/edit.hpp"
#include "mesh/core/shape.hpp"
#include "support/solids.hpp"

namespace livens {
namespace {

using namespace testing;
constexpr double mu = example_moduli.mu;

TEST(Elements, BitsDoNotDependOnThreads) {
  const auto mesh =
      std::make_shared<Mesh>(box_mesh({{1, 1, 1}, {0, 0, 0}, {9, 9, 9}, {1, 1, 1}, 6, ElementKind::tet4}));
  std::mt19937 engine(2);
  const std::vector<double> q = deformed(*mesh, engine, 0.004);
  const auto block = example_block(*material_records().begin(), part_of(mesh));
  const auto damping = block->make_damping("d", 0.01, DampingForm::exact);
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

// Straight tetrahedra go by their metric, which has its own energy and gradient: the mean energies of elements come
// from F. Nodes in any order: edges then come with either orientation.
TEST(Elements, StraightTetrahedraHaveTheForcesOfF) {
  std::mt19937 engine(5);
  for (const ElementKind kind : {ElementKind::tet4, ElementKind::tet10})
    for (const double thickness : {1.0, 1e-4}) {  // the second is too slender for its metric
      Mesh mesh = box_mesh({{1, 1, thickness}, {0, 0, 0}, {3, 2, 3}, {1, 1, 1}, 6, kind});
      std::vector<int> number(mesh.nodes());
      std::iota(number.begin(), number.end(), 0);
      std::shuffle(number.begin(), number.end(), engine);
      renumber_nodes(mesh, number, mesh.nodes());
      const auto straight = std::make_shared<Mesh>(mesh);
      std::vector<double> q = deformed(mesh, engine, 0.05);
      for (int a = 0; a < mesh.nodes(); ++a)
        for (int c = 0; c < 3; ++c) q[3 * a + c] = mesh.X[3 * a + c] + thickness * (q[3 * a + c] - mesh.X[3 * a + c]);
      const auto block = example_block(record_of("neo_hookean"), part_of(straight));
      std::vector<double> g(q.size(), 0.0), both(q.size(), 0.0), stress(6 * mesh.elements()), density(mesh.elements());
      block->add_gradient(0, q, 1, g);
      const double energy = block->add_gradient_and_energy(0, q, 1, both);
      block->fields(q, stress, density);
      double sum = 0;
      for (int e = 0; e < mesh.elements(); ++e) sum += density[e] * signed_volume(mesh, e);
      EXPECT_NEAR(energy, sum, 1e-12 * sum);
      EXPECT_NEAR(block->energy(0, q), energy, 1e-14 * energy);
      EXPECT_EQ(g, both);
      const double step = 1e-6 * thickness;
      for (std::size_t i = 0; i < q.size(); i += 7) {
        const double x = q[i];
        q[i] = x + step;
        const double up = block->energy(0, q);
        q[i] = x - step;
        const double slope = (up - block->energy(0, q)) / (2 * step);
        q[i] = x;
        EXPECT_NEAR(g[i], slope, 1e-7 * largest(g)) << to_string(kind) << ' ' << thickness;
      }
    }
}

// f = -time K(q) v: no force for rigid motions, no torque, dissipates; Jacobian by v against differences.
TEST(Elements, StrainDampingIsMomentumExactAndDissipates) {
  std::mt19937 engine(4);
  for (const ElementKind kind : element_kinds) {
    const auto mesh = small_mesh(kind);
    const std::size_t D = static_cast<std::size_t>(mesh->dimension()), n = mesh->X.size();
    const auto block = example_block(*material_records().begin(), part_of(mesh));
    const auto damping = block->make_damping("d", 0.01, DampingForm::exact);
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
  const auto block = example_block(*material_records().begin(), part_of(mesh));
  std::vector<bool> marked(q.size(), false);
  for (const int a : mesh->groups.at("x_min")) marked[3 * a] = true;
  const auto some = block->restricted(marked);
  std::vector<double> all(q.size(), 0.0), few(q.size(), 0.0);
  block->add_gradient(0, q, 1, all);
  some->add_gradient(0, q, 1, few);
  EXPECT_LT(some->energy(0, q), 0.5 * block->energy(0, q));
  for (std::size_t i = 0; i < q.size(); ++i) EXPECT_NEAR(marked[i] ? few[i] : all[i], all[i], 1e-12 * mu);
}

// A body that is turned and hardly strained: stresses cancel in the material, and their rounding must not turn it.
TEST(Elements, TurnedAndHardlyStrainedBodiesHaveForcesWithoutAMoment) {
  constexpr double size = 7, strain = 1e-7;
  for (const ElementKind kind : {ElementKind::tet4, ElementKind::tet10}) {
    BoxSpec spec;
    spec.size = {size, 2, 2};
    spec.cells = {4, 1, 1};
    spec.kind = kind;
    const auto mesh = std::make_shared<Mesh>(box_mesh(spec));
    const auto block = testing::example_block(testing::record_of("neo_hookean"), testing::part_of(mesh));
    std::vector<double> q = mesh->X, g(q.size(), 0.0);
    for (std::size_t a = 0; a < q.size(); a += 3) {
      const double x = mesh->X[a], y = mesh->X[a + 1] * (1 + strain * x);
      q[a] = 0.8 * x - 0.6 * y;
      q[a + 1] = 0.6 * x + 0.8 * y;
    }
    block->add_gradient(0, q, 1, g);
    Eigen::Vector3d moment = Eigen::Vector3d::Zero();
    double forces = 0;
    for (std::size_t a = 0; a < q.size(); a += 3) {
      const Eigen::Vector3d x(q[a], q[a + 1], q[a + 2]), f(g[a], g[a + 1], g[a + 2]);
      moment += x.cross(f);
      forces += f.cwiseAbs().sum();
    }
    // The guard: it is strained. Rounding of the modulus times area times length would be 1e-16 * 1.3e5 * 4 * 7 =
    // 4e-10.
    EXPECT_GT(forces, 1e-3) << to_string(kind);
    EXPECT_LT(moment.norm(), 1e-15 * forces * size) << to_string(kind);
  }
}

}  // namespace
}  // namespace livens
