// Blocks of elements: bits do not depend on threads, damping of the rate of strain, parts of a block.
#include <cmath>

#include <gtest/gtest.h>
#include <tbb/global_control.h>

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

}  // namespace
}  // namespace livens
