// What the asynchronous loops take, and how they refuse the rest.
#include "asynchronous/stencil_system.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include <gtest/gtest.h>

namespace livens {
namespace {

class RestingStencils final : public Stencils {
 public:
  using Stencils::Stencils;
  double evaluate(int, const double*, double* g) const override {
    std::fill(g, g + 4 * per_stencil(), 0.0);
    return 0;
  }
};

// A potential that vanishes, as one stencil of all nodes.
class RestingPatch final : public EnergyTerm {
 public:
  explicit RestingPatch(int nodes) : EnergyTerm("patch"), nodes_(nodes) {}
  double energy(double, ConstVector) const override { return 0; }
  void add_gradient(double, ConstVector, double, Vector) const override {}
  void add_hessian(double, ConstVector, double, MatrixSink&) const override {}
  std::shared_ptr<const Stencils> stencils() const override {
    std::vector<int> first(nodes_);
    for (int a = 0; a < nodes_; ++a) first[a] = 3 * a;
    return std::make_shared<RestingStencils>(std::move(first), nodes_);
  }

 private:
  int nodes_;
};

Model patch_of(int nodes) {
  ModelParts parts;
  Body body;
  body.name = "points";
  body.nodes = nodes;
  body.dimension = 3;
  body.mass = nodes;
  parts.bodies.push_back(body);
  parts.mass.diagonal.assign(3 * nodes, 1.0);
  parts.terms.push_back(std::make_shared<RestingPatch>(nodes));
  return Model(std::move(parts));
}

TEST(StencilSystem, TakesStencilsThatItsLoopsAreCompiledFor) {
  for (const int nodes : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    EXPECT_EQ(StencilSystem::refusal(patch_of(nodes)), "") << nodes;
}

TEST(StencilSystem, LeavesOtherStencilsToWholeTerms) {
  for (const int nodes : {11, 12})
    EXPECT_FALSE(StencilSystem::covers(patch_of(nodes), *patch_of(nodes).parts().terms.front())) << nodes;
}

// A support of many nodes is asked for the one that is wanted, if it can be.
TEST(StencilSystem, PlacesOneNodeOfASupport) {
  for (const bool one_by_one : {true, false}) {
    ModelParts parts = patch_of(4).parts();
    auto calls = std::make_shared<int>(0);
    Support support;
    for (int a = 0; a < 4; ++a) support.coordinates.push_back(3 * a + 1);
    support.motion = [calls](double t, Vector x, Vector v) {
      ++*calls;
      for (std::size_t k = 0; k < x.size(); ++k) {
        x[k] = t * static_cast<double>(k);
        v[k] = static_cast<double>(k);
      }
    };
    if (one_by_one)
      support.motion_of = [](double t, std::size_t k) {
        return std::array<double, 2>{t * static_cast<double>(k), static_cast<double>(k)};
      };
    parts.supports.push_back(support);
    const Model model(std::move(parts));
    const StencilSystem system(model);
    *calls = 0;
    Pack x{5, 6, 7, 0}, velocity{};
    ASSERT_TRUE(system.moves(2));
    system.place(2, 0.25, x, &velocity);
    EXPECT_EQ(x[0], 5);
    EXPECT_EQ(x[1], 0.5);
    EXPECT_EQ(velocity[1], 2);
    EXPECT_EQ(*calls, one_by_one ? 0 : 1);
  }
}

}  // namespace
}  // namespace livens
