
#include <algorithm>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include <livens/meshes.hpp>

#include "mesh/core/shape.hpp"
#include "mesh/core/topology.hpp"

namespace livens {
namespace {

double total_volume(const Mesh& mesh) {
  double sum = 0;
  for (int e = 0; e < mesh.elements(); ++e) sum += signed_volume(mesh, e);
  return sum;
}

double least_volume(const Mesh& mesh) {
  double least = 1e300;
  for (int e = 0; e < mesh.elements(); ++e) least = std::min(least, signed_volume(mesh, e));
  return least;
}

Mesh box(int nx = 3, int ny = 2, int nz = 2) {
  BoxSpec spec;
  spec.size = {3, 2, 1};
  spec.cells = {nx, ny, nz};
  spec.grading = {4, 1, 1};
  return box_mesh(spec);
}

Mesh rectangle() {
  RectangleSpec spec;
  spec.size = {2, 1};
  spec.cells = {4, 3};
  return rectangle_mesh(spec);
}

const MeshFunction X = [](std::span<const double> x) { return x[0]; };
const MeshFunction Y = [](std::span<const double> x) { return x[1]; };
const MeshFunction Z = [](std::span<const double> x) { return x[2]; };

template <class Action>
std::string refusal(const Action& action) {
  try {
    action();
  } catch (const MeshError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Refine, KeepsVolumeFacesAndConformity) {
  for (const Mesh& coarse : {box(), rectangle()}) {
    const Mesh fine = refined(coarse);
    const bool plane = coarse.dimension() == 2;
    EXPECT_EQ(fine.elements(), (plane ? 4 : 8) * coarse.elements());
    EXPECT_EQ(fine.kind, coarse.kind);
    EXPECT_EQ(fine.region.size(), at(fine.elements()));
    EXPECT_NEAR(total_volume(fine), total_volume(coarse), 1e-12);
    EXPECT_GT(least_volume(fine), 0);
    const FacetPairs pairs = pair_facets(fine);
    EXPECT_TRUE(pairs.equal.empty());
    EXPECT_TRUE(pairs.crowded.empty());
    EXPECT_EQ(boundary_facets(fine).count(), (plane ? 2 : 4) * boundary_facets(coarse).count());
    for (const auto& [name, nodes] : fine.groups) {
      const std::size_t axis = at(name[0] - 'x');
      const double place = coarse.X[at(coarse.groups.at(name)[0] * coarse.dimension()) + axis];
      int there = 0;
      for (int a = 0; a < fine.nodes(); ++a) there += fine.X[at(a * fine.dimension()) + axis] == place ? 1 : 0;
      EXPECT_EQ(static_cast<int>(nodes.size()), there) << name;
    }
  }
}

// Every node of the coarse mesh is one of the fine mesh, and so on: refined twice has 16 (64) times the elements.
TEST(Refine, IsNested) {
  const Mesh coarse = box(1, 1, 1), fine = refined(refined(coarse));
  EXPECT_EQ(fine.elements(), 64 * coarse.elements());
  for (std::size_t i = 0; i < coarse.X.size(); ++i) EXPECT_EQ(fine.X[i], coarse.X[i]);
  EXPECT_NE(refusal([] { refined(to_quadratic(rectangle())); }), "accepted");
}

TEST(Jitter, MovesNodesWithinTheirEdgesAndFaces) {
  const double part = 0.5;
  Mesh grid = box(6, 4, 4), moved = grid;
  jitter_nodes(moved, part, 7);
  EXPECT_NEAR(total_volume(moved), total_volume(grid), 1e-12);
  for (int e = 0; e < grid.elements(); ++e) EXPECT_GE(signed_volume(moved, e), 0.0999 * signed_volume(grid, e));
  const double height = 1.0 / 4;
  double largest = 0;
  for (int a = 0; a < grid.nodes(); ++a) {
    const double by = std::abs(moved.X[at(3 * a + 2)] - grid.X[at(3 * a + 2)]);
    largest = std::max(largest, by);
    EXPECT_LE(by, part * height);
  }
  EXPECT_GT(largest, 0.3 * height);  // it did move
  for (const auto& [name, nodes] : grid.groups)
    for (const int a : nodes) {
      const std::size_t i = at(3 * a + (name[0] - 'x'));
      EXPECT_EQ(moved.X[i], grid.X[i]) << name;
    }
  const int on_top = grid.groups.at("z_max")[8];
  EXPECT_NE(moved.X[at(3 * on_top)], grid.X[at(3 * on_top)]);

  Mesh again = grid, other = grid;
  jitter_nodes(again, part, 7);
  jitter_nodes(other, part, 8);
  EXPECT_EQ(again.X, moved.X);
  EXPECT_NE(other.X, moved.X);
}

TEST(Jitter, OfMoreThanHalfTheCellsWouldFoldWithoutHalving) {
  Mesh grid = box(6, 4, 4), folded = grid;
  jitter_nodes(grid, 0.5, 3);
  int at_the_limit = 0;  // elements that only the halving kept
  for (int e = 0; e < grid.elements(); ++e)
    at_the_limit += signed_volume(grid, e) < 0.2 * signed_volume(folded, e) ? 1 : 0;
  EXPECT_GT(at_the_limit, 0);
}

TEST(Shape, MapsTheGrid) {
  Mesh mesh = box();
  map_nodes(mesh, {X, Y, [](std::span<const double> x) { return x[2] * (1 + x[0]); }});
  EXPECT_NEAR(total_volume(mesh), 3 * 2 * 2.5, 1e-12);  // a wedge: straight elements are exact
}

TEST(Shape, RefusesWhatTurnsElementsInsideOut) {
  const auto text = [](const MeshFunction& third) {
    return refusal([&] {
      Mesh mesh = box();
      map_nodes(mesh, {X, Y, third});
    });
  };
  EXPECT_EQ(text(Z), "accepted");
  const std::string mirrored = text([](std::span<const double> x) { return -x[2]; });
  EXPECT_NE(mirrored.find("72 of 72 elements"), std::string::npos) << mirrored;
  EXPECT_NE(mirrored.find("Change the sign"), std::string::npos) << mirrored;
  const std::string flat = text([](std::span<const double> x) { return x[2] * std::max(0.0, x[0] - 1); });
  EXPECT_NE(flat.find("flat or inside out"), std::string::npos) << flat;
  EXPECT_EQ(flat.find("Change the sign"), std::string::npos) << flat;
  const std::string pole = text([](std::span<const double> x) { return 1 / x[2]; });
  EXPECT_NE(pole.find("component 3 is not finite at (0, 0, 0)"), std::string::npos) << pole;
}

TEST(Regions, TheFirstThatFitsAndAllForTheRest) {
  Mesh mesh = box(6, 1, 1);
  divide_into_regions(
      mesh, {"left", "below"},
      {[](std::span<const double> x) { return 1 - x[0]; }, [](std::span<const double> x) { return 0.5 - x[2]; }});
  ASSERT_EQ(mesh.regions, (std::vector<std::string>{"left", "below", "all"}));
  std::map<int, int> count;
  for (int e = 0; e < mesh.elements(); ++e) {
    double x = 0, z = 0;
    for (int k = 0; k < 4; ++k)
      x += mesh.X[at(3 * mesh.element(e)[k])] / 4, z += mesh.X[at(3 * mesh.element(e)[k] + 2)] / 4;
    EXPECT_EQ(mesh.region[at(e)], x < 1 ? 0 : z < 0.5 ? 1 : 2);
    ++count[mesh.region[at(e)]];
  }
  EXPECT_EQ(count.size(), 3u);
  const Mesh fine = refined(mesh);
  EXPECT_EQ(std::count(fine.region.begin(), fine.region.end(), 0), 8 * count[0]);

  Mesh whole = box();
  divide_into_regions(whole, {"everything"}, {[](std::span<const double>) { return 1.0; }});
  EXPECT_EQ(whole.regions, std::vector<std::string>{"everything"});
  const std::string none = refusal([&] { divide_into_regions(whole, {"nowhere"}, {[](auto) { return 0.0; }}); });
  EXPECT_NE(none.find("mesh.region.nowhere: is positive at the centroid of no element"), std::string::npos) << none;
}

}  // namespace
}  // namespace livens
