// Stencils one at a time are the terms they come from: sums of energies, gradients and damping, for every material and
// kind of element, straight and curved.
#include <random>

#include <gtest/gtest.h>

#include <livens/solid_block.hpp>

#include "published/solids.hpp"
#include "support/solids.hpp"

namespace livens {
namespace {

std::shared_ptr<const Mesh> mesh_of(ElementKind kind, bool curved) {
  Mesh mesh;
  if (dimension_of(kind) == 2) {
    RectangleSpec spec;
    spec.cells = {3, 2};
    spec.kind = kind;
    mesh = rectangle_mesh(spec);
  } else {
    BoxSpec spec;
    spec.cells = {2, 2, 1};
    spec.kind = kind;
    mesh = box_mesh(spec);
  }
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-0.02, 0.02);
  if (curved)
    for (double& x : mesh.X) x += uniform(random);
  return std::make_shared<const Mesh>(std::move(mesh));
}

// Sums over stencils of the energy and the gradient at q.
double sum_of_stencils(const Stencils& stencils, int dimension, ConstVector q, Vector gradient) {
  double energy = 0;
  for (int k = 0; k < stencils.count(); ++k) {
    alignas(32) double x[40] = {}, g[40];
    const auto nodes = stencils.nodes(k);
    for (std::size_t a = 0; a < nodes.size(); ++a)
      for (int c = 0; c < dimension; ++c) x[4 * a + c] = q[nodes[a] + c];
    for (std::size_t a = 0; a < nodes.size(); ++a) x[4 * a + 3] = 0.7;  // the time that nodes carry there
    energy += stencils.evaluate(k, x, g);
    for (std::size_t a = 0; a < nodes.size(); ++a) {
      for (int c = 0; c < dimension; ++c) gradient[nodes[a] + c] += g[4 * a + c];
      for (std::size_t c = static_cast<std::size_t>(dimension); c < 4; ++c) EXPECT_EQ(g[4 * a + c], 0);
    }
  }
  return energy;
}

TEST(Stencils, SumUpToTheirTerm) {
  for (const ElementKind kind : {ElementKind::tri3, ElementKind::tri6, ElementKind::tet4, ElementKind::tet10})
    for (const bool curved : {false, true})
      for (const std::string& material : testing::material_names()) {
        const auto mesh = mesh_of(kind, curved);
        const auto block_of_all = testing::example_block(testing::record_of(material), testing::part_of(mesh));
        const EnergyTerm& term = *block_of_all;
        std::vector<double> q = mesh->X;
        std::mt19937 random(11);
        std::uniform_real_distribution<double> uniform(-0.04, 0.04);
        for (double& x : q) x = 1.1 * x + uniform(random);
        std::vector<double> block(q.size(), 0.0), single(q.size(), 0.0);
        const double energy = term.add_gradient_and_energy(0, q, 1, block);
        const double sum = sum_of_stencils(*term.stencils(), mesh->dimension(), q, single);
        double largest = 0;
        for (const double g : block) largest = std::max(largest, std::abs(g));
        EXPECT_NEAR(sum, energy, 1e-12 * std::abs(energy)) << material << " " << to_string(kind) << curved;
        for (std::size_t i = 0; i < q.size(); ++i)
          ASSERT_NEAR(single[i], block[i], 2e-13 * largest) << material << " " << to_string(kind) << curved;
      }
}

TEST(Stencils, DampingSumsUpToItsForce) {
  for (const ElementKind kind : {ElementKind::tri3, ElementKind::tri6, ElementKind::tet4, ElementKind::tet10}) {
    const auto mesh = mesh_of(kind, true);
    ModelParts parts = solid_parts(mesh, "neo_hookean", moduli_of(1e6, 0.3));
    const SolidBlock& block = *parts.terms.front()->elements();
    const auto force = block.make_damping("damping", 0.01, DampingForm::exact);
    const auto damping = force->stencils();
    const auto stencils = block.stencils();
    ASSERT_TRUE(damping->belongs_to(*stencils));
    EXPECT_EQ(damping->time(), 0.01);
    std::vector<double> v(mesh->X.size()), sum(v.size(), 0.0), whole(v.size(), 0.0);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = std::sin(3.0 * static_cast<double>(i));
    force->add_force(0, mesh->X, v, 1, whole);
    const auto dim = static_cast<std::size_t>(mesh->dimension());
    for (int k = 0; k < stencils->count(); ++k) {
      alignas(32) double x[40] = {}, moved[40] = {}, g[40] = {};
      const auto nodes = stencils->nodes(k);
      for (std::size_t a = 0; a < nodes.size(); ++a)
        for (std::size_t c = 0; c < dim; ++c) {
          x[4 * a + c] = mesh->X[nodes[a] + c];
          moved[4 * a + c] = v[nodes[a] + c];
        }
      damping->add_impulse(k, x, moved, g);
      for (std::size_t a = 0; a < nodes.size(); ++a)
        for (std::size_t c = 0; c < dim; ++c) sum[nodes[a] + c] -= g[4 * a + c];
    }
    double largest = 0;
    for (const double f : whole) largest = std::max(largest, std::abs(f));
    for (std::size_t i = 0; i < v.size(); ++i) ASSERT_NEAR(sum[i], whole[i], 1e-12 * largest) << to_string(kind);
  }
}

}  // namespace
}  // namespace livens
