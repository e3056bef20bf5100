// Tetrahedra inside surfaces: conforming, positively oriented, with bounded angles, on the surface, the same for every
// number of threads.
#include <algorithm>
#include <array>
#include <map>
#include <random>

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include "mesh/fill/fill_tree.hpp"
#include "mesh/surface_shapes.hpp"
#include "mesh/tet_quality.hpp"

namespace livens {
namespace {

using namespace geometry;

// The bounds that Labelle and Shewchuk prove for their method.
constexpr double angle_min = 10.78, angle_max = 164.75;

struct Checked {
  Mesh mesh;
  MeshNotes notes;
  TetQuality quality;
  Surface skin;
  int euler = 0;  // of the skin
};

// Fills, and expects what every filling must have.
Checked fill(const Surface& surface, double edge_length) {
  Checked checked;
  checked.mesh = fill_surface(surface, edge_length, checked.notes);
  const Mesh& mesh = checked.mesh;
  checked.quality = tet_quality(mesh.X, mesh.connectivity);
  EXPECT_GT(mesh.elements(), 0);
  EXPECT_GT(checked.quality.min_tet_volume, 0);
  EXPECT_GE(checked.quality.min_dihedral, angle_min);
  EXPECT_LE(checked.quality.max_dihedral, angle_max);
  EXPECT_EQ(mesh.region.size(), mesh.elements());
  EXPECT_EQ(mesh.regions, std::vector<std::string>{"all"});

  // Each face belongs to two tetrahedra, from opposite sides, or to one.
  std::map<std::array<int, 3>, std::pair<int, std::array<int, 3>>> faces;
  std::vector<bool> used(at(mesh.nodes()), false);
  for (int e = 0; e < mesh.elements(); ++e) {
    const int* v = mesh.element(e);
    for (int c = 0; c < 4; ++c) used[at(v[c])] = true;
    for (const auto& f : {std::array{v[1], v[2], v[3]}, {v[0], v[3], v[2]}, {v[0], v[1], v[3]}, {v[0], v[2], v[1]}}) {
      std::array<int, 3> key = f;
      std::sort(key.begin(), key.end());
      auto& entry = faces[key];
      ++entry.first;
      entry.second = f;
    }
  }
  EXPECT_TRUE(std::all_of(used.begin(), used.end(), [](bool u) { return u; }));
  std::map<std::pair<int, int>, int> edges;
  std::map<int, int> number;
  for (const auto& [key, entry] : faces) {
    EXPECT_LE(entry.first, 2);
    if (entry.first != 1) continue;
    for (std::size_t c = 0; c < 3; ++c) {
      const int a = entry.second[c], b = entry.second[(c + 1) % 3];
      ++edges[{a, b}];
      const auto [where, fresh] = number.try_emplace(a, vertices(checked.skin));
      if (fresh) checked.skin.X.insert(checked.skin.X.end(), mesh.X.begin() + 3 * a, mesh.X.begin() + 3 * a + 3);
      checked.skin.triangles.push_back(where->second);
    }
  }
  // The boundary is a closed manifold: each edge once in each direction, and its faces enclose the volume.
  for (const auto& [edge, count] : edges) {
    EXPECT_EQ(count, 1);
    EXPECT_TRUE(edges.contains({edge.second, edge.first}));
  }
  EXPECT_NEAR(volume_of(checked.skin, {}), checked.quality.volume, 1e-9 * checked.quality.volume);
  checked.euler = vertices(checked.skin) - static_cast<int>(edges.size()) / 2 + triangles(checked.skin);
  return checked;
}

Surface joined(Surface a, const Surface& b, bool turn) {
  const int shift = vertices(a);
  a.X.insert(a.X.end(), b.X.begin(), b.X.end());
  for (std::size_t t = 0; t < b.triangles.size(); t += 3)
    for (const int c : {0, turn ? 2 : 1, turn ? 1 : 2}) a.triangles.push_back(b.triangles[t + at(c)] + shift);
  return a;
}

double farthest_vertex(const Surface& from, const Surface& to) {
  const TriangleTree tree(to);
  double farthest = 0;
  for (int v = 0; v < vertices(from); ++v) farthest = std::max(farthest, tree.closest(vertex(from, v)).distance);
  return farthest;
}

TEST(Fill, SphereConverges) {
  const Surface sphere = sphere_surface(1, {0.3, -0.2, 5}, 4);
  const double exact = volume_of(sphere, {0.3, -0.2, 5});
  double before = 0;
  for (const double edge : {0.4, 0.2, 0.1}) {
    const Checked checked = fill(sphere, edge);
    EXPECT_EQ(checked.euler, 2);
    EXPECT_NEAR(checked.quality.mean_edge, edge, 0.05 * edge);
    EXPECT_LT(farthest_vertex(checked.skin, sphere), 1e-12);
    EXPECT_TRUE(checked.notes.warnings.empty());
    EXPECT_TRUE(checked.notes.repairs.empty());
    const double error = std::abs(checked.quality.volume - exact);
    // Second order: half the edge, a quarter of the error
    if (before > 0) {
      EXPECT_LT(error, 0.35 * before);
    }
    before = error;
  }
  EXPECT_LT(before, 0.005 * exact);
}

TEST(Fill, TorusKeepsItsHole) {
  const Surface torus = torus_surface(1, 0.4, {0, 0, 0}, 60, 30);
  const Checked checked = fill(torus, 0.12);
  EXPECT_EQ(checked.euler, 0);
  EXPECT_LT(farthest_vertex(checked.skin, torus), 1e-12);
}

TEST(Fill, CavityStaysEmpty) {
  const Surface hollow = joined(sphere_surface(1, {0, 0, 0}, 3), sphere_surface(0.5, {0, 0, 0}, 3), true);
  const Checked checked = fill(hollow, 0.15);
  EXPECT_EQ(checked.euler, 4);
  EXPECT_NEAR(checked.quality.volume, volume_of(hollow, {}), 0.04 * volume_of(hollow, {}));
}

TEST(Fill, BoxWithFlaws) {
  Surface box = box_surface({1, 1, 1}, {0, 0, 0});
  std::swap(box.triangles[0], box.triangles[1]);
  box.triangles.insert(box.triangles.end(), {box.triangles[6], box.triangles[7], box.triangles[8]});
  MeshNotes notes;
  EXPECT_THROW(fill_surface(box, 0.2, notes), MeshError);
  close_surface(box, "box", {}, notes);
  EXPECT_EQ(notes.repairs.size(), 2u);
  const Checked checked = fill(box, 0.2);
  EXPECT_NEAR(checked.quality.volume, 1, 0.08);  // its edges are rounded
}

TEST(Fill, TurnedBoxIsRoundedAndSaysSo) {
  Surface box = box_surface({1, 1, 1}, {0, 0, 0});
  for (std::size_t v = 0; v < box.X.size(); v += 3) {
    const double x = box.X[v], y = box.X[v + 1];
    box.X[v] = 0.8 * x - 0.6 * y;
    box.X[v + 1] = 0.6 * x + 0.8 * y;
  }
  const Checked checked = fill(box, 0.1);
  ASSERT_EQ(checked.notes.warnings.size(), 1u);
  EXPECT_EQ(
      checked.notes.warnings[0].find("fill: sharp edges and corners are rounded at the size of the tetrahedra: up to"),
      0u);
  EXPECT_LT(farthest_vertex(checked.skin, box), 1e-12);
}

// Lattice points at every distance from the surface, edges that cross it more than once: the bounds hold for any shape.
TEST(Fill, AnglesStayBoundedOnRoughSurfaces) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> factor(0.85, 1.15);
  Surface rough = sphere_surface(1, {0, 0, 0}, 3);
  for (std::size_t v = 0; v < rough.X.size(); v += 3) {
    const double f = factor(random);
    for (std::size_t c = 0; c < 3; ++c) rough.X[v + c] *= f;
  }
  for (const double edge : {0.3, 0.13}) fill(rough, edge);
}

TEST(Fill, ThinPartsAreReported) {
  // A ball with a plate much thinner than the tetrahedra
  const Surface body = joined(sphere_surface(1, {0, 0, 0}, 3), box_surface({3, 1, 0.02}, {0, -0.5, 0.013}), false);
  const Checked checked = fill(body, 0.3);
  ASSERT_FALSE(checked.notes.warnings.empty());
  EXPECT_EQ(checked.notes.warnings[0].find("fill: parts thinner than the tetrahedra (edge_length = 0.3 m) are lost"),
            0u);
}

TEST(Fill, LoosePiecesAreDropped) {
  const Surface body = joined(sphere_surface(1, {0, 0, 0}, 3), sphere_surface(0.15, {1.5, 0, 0}, 1), false);
  const Checked checked = fill(body, 0.15);
  ASSERT_EQ(checked.notes.repairs.size(), 1u);
  EXPECT_EQ(checked.notes.repairs[0].find("fill: dropped 1 loose piece with "), 0u);
  EXPECT_EQ(checked.euler, 2);
}

TEST(Fill, DoesNotDependOnThreads) {
  const Surface torus = torus_surface(1, 0.3, {0, 0, 0}, 40, 20);
  Mesh meshes[2];
  for (const std::size_t threads : {1u, 2u}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    MeshNotes notes;
    meshes[threads - 1] = fill_surface(torus, 0.15, notes);
  }
  EXPECT_EQ(meshes[0].X, meshes[1].X);
  EXPECT_EQ(meshes[0].connectivity, meshes[1].connectivity);
}

std::string error_of(const Surface& surface, double edge_length) {
  MeshNotes notes;
  try {
    fill_surface(surface, edge_length, notes);
  } catch (const MeshError& error) {
    return error.what();
  }
  return "no error";
}

// A cube with a thin plate of four times its volume beside it, joined by a corner: the plate is lost.
TEST(Fill, RefusesToLoseMuchOfABody) {
  const Surface cube = box_surface({1, 1, 1}, {0, 0, 0}), plate = box_surface({20, 20, 0.01}, {1.5, 0, 0});
  const Surface both = joined(cube, plate, false);
  const std::string text = error_of(both, 0.3);
  EXPECT_TRUE(text.starts_with("fill: tetrahedra of edge_length = 0.3 m lose 8")) << text;
  EXPECT_NE(text.find("Try edge_length = 0.15, or allow it with most_lost = 0.85."), std::string::npos) << text;
  MeshNotes notes;
  EXPECT_GT(fill_surface(both, 0.3, notes, 1).elements(), 0);
  // Bodies that overlap are one: the volume counts once.
  EXPECT_EQ(error_of(joined(cube, box_surface({1, 1, 1}, {0.2, 0, 0}), false), 0.1), "no error");
}

TEST(Fill, ImpossibleRequestsAreRefused) {
  const Surface box = box_surface({1, 1, 1}, {0, 0, 0});
  EXPECT_EQ(
      error_of(box, 0.001),
      "fill: edge_length = 0.001 m would give about 8.57e+03 million tetrahedra; at most 20 million are made. Try "
      "edge_length = 0.008.");
  EXPECT_EQ(error_of(box, 1e-300),
            "fill: edge_length = 1e-300 m would give more tetrahedra than can be counted; at most 20 million are made. "
            "Try edge_length = 0.008.");
  // Much box, little body
  EXPECT_NE(error_of(joined(sphere_surface(0.01, {0, 0, 0}, 1), sphere_surface(0.01, {9, 9, 9}, 1), false), 0.01)
                .find("million points around the surface"),
            std::string::npos);
  EXPECT_EQ(
      error_of(sphere_surface(1, {0, 0, 0}, 1), 20),
      "fill: edge_length = 20 m is too long for a body of 2 x 2 x 2 m: no tetrahedron fits. Try edge_length = 0.15.");
  EXPECT_EQ(error_of(box, 0), "fill: edge_length = 0 m: must be positive.");
  EXPECT_EQ(error_of(box, -1), "fill: edge_length = -1 m: must be positive.");
  EXPECT_EQ(error_of({}, 1), "fill: the surface has no triangles.");
  Surface open = box;
  open.triangles.resize(33);
  EXPECT_EQ(error_of(open, 0.1), "fill: the surface is not closed: 3 edges without a counterpart.");
  open.triangles[0] = 99;
  EXPECT_EQ(error_of(open, 0.1), "fill: triangle 1 refers to vertex 100, but there are 8.");
}

}  // namespace
}  // namespace livens
