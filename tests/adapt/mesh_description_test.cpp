// What livens mesh says of meshes whose numbers are known.
#include "adapt/mesh_description.hpp"

#include <filesystem>
#include <numeric>

#include <gtest/gtest.h>

#include "support/scratch.hpp"

namespace livens {
namespace {

TEST(MeshDescription, OfABox) {
  BoxSpec spec;
  spec.size = {2, 1, 0.5};
  spec.cells = {4, 2, 1};
  const Mesh mesh = box_mesh(spec);
  const MeshDescription about = describe(mesh);
  EXPECT_EQ(about.pieces, 1);
  EXPECT_NEAR(about.content, 1, 1e-14);
  EXPECT_EQ(about.high[0] - about.low[0], 2);
  ASSERT_EQ(about.regions.size(), 1u);
  EXPECT_EQ(about.regions[0].first, mesh.elements());
  EXPECT_EQ(std::accumulate(about.histogram.begin(), about.histogram.end(), 0), mesh.elements());
  // Cubes of 1/2 into six: the altitudes are 1/2 and, over the diagonal of a face, 1/2 / sqrt(2).
  EXPECT_NEAR(about.shortest_altitude, 0.5 / std::sqrt(2.0), 1e-14);
  EXPECT_GE(about.median, about.lowest);
}

TEST(MeshDescription, OfTwoPiecesInTwoRegions) {
  Mesh mesh = mesh_from_arrays(ElementKind::tri3, {0, 0, 1, 0, 0, 1, 5, 0, 9, 0, 5, 3}, {0, 1, 2, 3, 4, 5});
  mesh.regions = {"small", "large"};
  mesh.region = {0, 1};
  const MeshDescription about = describe(mesh);
  EXPECT_EQ(about.pieces, 2);
  EXPECT_NEAR(about.regions[0].second, 0.5, 1e-15);
  EXPECT_NEAR(about.regions[1].second, 6, 1e-14);
  EXPECT_NEAR(about.shortest_altitude, std::sqrt(0.5), 1e-15);
  const auto lines = described(mesh, {});
  EXPECT_NE(lines.front().find("2 tri3, 6 nodes"), std::string::npos) << lines.front();
}

TEST(MeshDescription, OfSurfaces) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(testing::scratch());  // what is not closed is written beside
  Surface tetrahedron{{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2}};
  const auto whole = described(tetrahedron, "t.obj", {});
  EXPECT_NE(whole.back().find("yes, around 0.166667 m^3"), std::string::npos) << whole.back();
  tetrahedron.triangles.resize(9);
  const auto open = described(tetrahedron, "t.obj", {});
  EXPECT_NE(open.back().find("closed    no: "), std::string::npos) << open.back();
  std::filesystem::current_path(before);
}

}  // namespace
}  // namespace livens
