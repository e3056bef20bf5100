#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include <livens/meshes.hpp>

#include "mesh/core/select.hpp"
#include "mesh/core/shape.hpp"
#include "mesh/core/topology.hpp"

namespace livens {
namespace {

constexpr double rounding = 1e-13;  // a sum of a few hundred volumes

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

// Every facet of at most two elements, seen from opposite sides; the boundary closed with the area of the body.
void expect_conforming(const Mesh& mesh) {
  const FacetPairs pairs = pair_facets(mesh);
  EXPECT_TRUE(pairs.equal.empty());
  EXPECT_TRUE(pairs.crowded.empty());
  std::map<std::set<int>, int> count;
  for (int e = 0; e < mesh.elements(); ++e)
    for (int f = 0; f < facets_of(mesh.kind); ++f) {
      std::set<int> key;
      for (int k = 0; k < mesh.dimension(); ++k) key.insert(mesh.element(e)[facet_nodes(mesh.kind, f)[k]]);
      ++count[key];
    }
  std::size_t single = 0;
  for (const auto& [key, n] : count) {
    EXPECT_LE(n, 2);
    single += n == 1 ? 1 : 0;
  }
  EXPECT_EQ(single, pairs.single.size());
}

// Sum over the boundary of X . n dA / dim is the volume, for outward normals only.
double volume_by_boundary(const Mesh& mesh) {
  const Facets facets = boundary_facets(mesh);
  double sum = 0;
  for (int f = 0; f < facets.count(); ++f) {
    const int* node = &facets.nodes[at(f * facets.nodes_each)];
    const auto X = [&](int k, int c) { return mesh.X[at(node[k] * mesh.dimension() + c)]; };
    if (mesh.dimension() == 2) {
      sum += (X(0, 0) * X(1, 1) - X(0, 1) * X(1, 0)) / 2;
      continue;
    }
    sum += (X(0, 0) * (X(1, 1) * X(2, 2) - X(1, 2) * X(2, 1)) - X(0, 1) * (X(1, 0) * X(2, 2) - X(1, 2) * X(2, 0)) +
            X(0, 2) * (X(1, 0) * X(2, 1) - X(1, 1) * X(2, 0))) /
           6;
  }
  return sum;
}

TEST(Box, FillsItsVolumeConformingly) {
  for (const int tets : {5, 6}) {
    BoxSpec spec;
    spec.size = {3, 2, 1};
    spec.corner = {-1, 5, 0.5};
    spec.cells = {4, 3, 2};
    spec.grading = {4, 1, 0.5};
    spec.tets_per_cell = tets;
    const Mesh mesh = box_mesh(spec);
    EXPECT_EQ(mesh.elements(), 24 * tets);
    EXPECT_EQ(mesh.nodes(), 5 * 4 * 3);
    EXPECT_GT(least_volume(mesh), 0);
    EXPECT_NEAR(total_volume(mesh), 6, 6 * rounding);
    EXPECT_NEAR(volume_by_boundary(mesh), 6, 100 * rounding);
    EXPECT_EQ(boundary_facets(mesh).count(), 2 * 2 * (4 * 3 + 3 * 2 + 4 * 2));
    expect_conforming(mesh);
    EXPECT_EQ(mesh.regions, std::vector<std::string>{"all"});
    EXPECT_EQ(mesh.region.size(), at(mesh.elements()));
  }
}

TEST(Box, NamesItsFaces) {
  BoxSpec spec;
  spec.cells = {2, 3, 4};
  const Mesh mesh = box_mesh(spec);
  ASSERT_EQ(mesh.groups.size(), 6u);
  EXPECT_EQ(mesh.groups.at("x_min").size(), 20u);
  EXPECT_EQ(mesh.groups.at("y_max").size(), 15u);
  EXPECT_EQ(mesh.groups.at("z_max").size(), 12u);
  for (const int a : mesh.groups.at("x_min")) EXPECT_EQ(mesh.X[at(3 * a)], 0);
  for (const int a : mesh.groups.at("z_max")) EXPECT_EQ(mesh.X[at(3 * a + 2)], 1);
  for (const auto& [name, nodes] : mesh.groups) EXPECT_TRUE(std::is_sorted(nodes.begin(), nodes.end())) << name;
}

TEST(Box, GradesByTheRatioOfLastToFirst) {
  BoxSpec spec;
  spec.size = {2, 1, 1};
  spec.cells = {5, 1, 1};
  spec.grading = {8, 1, 1};
  const Mesh mesh = box_mesh(spec);
  std::vector<double> h(5);
  for (std::size_t i = 0; i < 5; ++i) h[i] = mesh.X[3 * (i + 1)] - mesh.X[3 * i];
  EXPECT_NEAR(h[4] / h[0], 8, 1e-12);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_NEAR(h[i + 1] / h[i], h[1] / h[0], 1e-12);
  EXPECT_EQ(mesh.X[15], 2);
}

TEST(Box, RefusesWhatMakesNoBox) {
  const auto refusal = [](auto change) {
    BoxSpec spec;
    change(spec);
    try {
      box_mesh(spec);
    } catch (const MeshError& error) {
      return std::string(error.what());
    }
    return std::string("made");
  };
  EXPECT_EQ(refusal([](BoxSpec&) {}), "made");
  EXPECT_EQ(refusal([](BoxSpec& s) { s.cells[1] = 0; }), "box, axis y: at least one cell is needed");
  EXPECT_EQ(refusal([](BoxSpec& s) { s.size[2] = -1; }), "box, axis z: the size must be a positive number");
  EXPECT_EQ(refusal([](BoxSpec& s) { s.size[0] = NAN; }), "box, axis x: the size must be a positive number");
  EXPECT_EQ(refusal([](BoxSpec& s) { s.grading[0] = 0; }),
            "box, axis x: the grading (last cell over first) must lie between 1e-6 and 1e6");
  EXPECT_EQ(refusal([](BoxSpec& s) { s.tets_per_cell = 4; }), "box: a cell has 5 or 6 tetrahedra");
  EXPECT_EQ(refusal([](BoxSpec& s) { s.kind = ElementKind::tri3; }), "box: its elements are tet4 or tet10, not tri3");
  EXPECT_EQ(refusal([](BoxSpec& s) {
              s.cells = {2000, 2000, 2000};
            }),
            "box: a solid of 4.8e+04 million tet4 elements has more nodes than can be numbered. Take fewer cells");
  EXPECT_EQ(refusal([](BoxSpec& s) { s.corner[0] = 1e30; }),
            "box, axis x: the cells are smaller than the rounding of their positions");
}

TEST(Rectangle, FillsItsAreaConformingly) {
  RectangleSpec spec;
  spec.size = {3, 2};
  spec.corner = {-1, 5};
  spec.cells = {4, 3};
  spec.grading = {0.2, 3};
  const Mesh mesh = rectangle_mesh(spec);
  EXPECT_EQ(mesh.elements(), 24);
  EXPECT_EQ(mesh.nodes(), 20);
  EXPECT_GT(least_volume(mesh), 0);
  EXPECT_NEAR(total_volume(mesh), 6, 6 * rounding);
  EXPECT_NEAR(volume_by_boundary(mesh), 6, 100 * rounding);
  EXPECT_EQ(boundary_facets(mesh).count(), 14);
  EXPECT_EQ(mesh.groups.at("y_min").size(), 5u);
  EXPECT_EQ(mesh.groups.at("x_max").size(), 4u);
  expect_conforming(mesh);
}

void expect_midsides(const Mesh& mesh) {
  const std::size_t dim = at(mesh.dimension());
  for (int e = 0; e < mesh.elements(); ++e)
    for (int k = 0; k < edges_of(mesh.kind); ++k) {
      const int* node = mesh.element(e);
      const auto& ends = simplex_edges[at(k)];
      for (std::size_t c = 0; c < dim; ++c)
        EXPECT_EQ(mesh.X[at(node[vertices_of(mesh.kind) + k]) * dim + c],
                  (mesh.X[at(node[ends[0]]) * dim + c] + mesh.X[at(node[ends[1]]) * dim + c]) / 2);
    }
}

TEST(Quadratic, PutsNodesInTheMiddleOfEdges) {
  for (const int tets : {5, 6}) {
    BoxSpec box;
    box.cells = {3, 2, 2};
    box.tets_per_cell = tets;
    box.kind = ElementKind::tet10;
    const Mesh mesh = box_mesh(box);
    expect_midsides(mesh);
    EXPECT_NEAR(total_volume(mesh), 1, rounding * 10);
    // V - E + F - T = 1 for a ball; nodes = V + E.
    const int faces = (4 * mesh.elements() + boundary_facets(mesh).count()) / 2;
    const int vertices = 4 * 3 * 3;
    EXPECT_EQ(mesh.nodes(), vertices + vertices + faces - mesh.elements() - 1);
    // A face of m x n cells and two triangles each has (2m + 1)(2n + 1) quadratic nodes.
    EXPECT_EQ(mesh.groups.at("x_min").size(), 25u);
    EXPECT_EQ(mesh.groups.at("z_max").size(), 35u);
    for (const int a : mesh.groups.at("x_min")) EXPECT_EQ(mesh.X[at(3 * a)], 0);
  }
  RectangleSpec rectangle;
  rectangle.cells = {3, 2};
  rectangle.kind = ElementKind::tri6;
  const Mesh mesh = rectangle_mesh(rectangle);
  expect_midsides(mesh);
  EXPECT_EQ(mesh.nodes(), 7 * 5);
  EXPECT_EQ(mesh.groups.at("x_min").size(), 5u);
  EXPECT_EQ(mesh.groups.at("y_max").size(), 7u);
}

TEST(Quadratic, GroupsGetMidsidesOnTheBoundaryOrInWholeElements) {
  BoxSpec spec;
  spec.cells = {1, 1, 1};
  Mesh mesh = box_mesh(spec);
  mesh.groups = {{"both_ends", {0, 7}}, {"element", {}}};
  mesh.groups["element"].assign(mesh.element(0), mesh.element(0) + 4);
  std::sort(mesh.groups["element"].begin(), mesh.groups["element"].end());
  const Mesh fine = to_quadratic(mesh);
  EXPECT_EQ(fine.groups.at("both_ends").size(), 2u);  // the diagonal of the cube runs inside
  EXPECT_EQ(fine.groups.at("element").size(), 10u);
}

TEST(Facets, OfQuadraticElementsHoldTheirMidsides) {
  BoxSpec box;
  box.cells = {2, 1, 1};
  box.kind = ElementKind::tet10;
  RectangleSpec rectangle;
  rectangle.cells = {2, 3};
  rectangle.kind = ElementKind::tri6;
  for (const Mesh& mesh : {box_mesh(box), rectangle_mesh(rectangle)}) {
    const Facets facets = boundary_facets(mesh);
    const int dim = mesh.dimension(), edges = dim == 2 ? 1 : 3;
    ASSERT_EQ(facets.nodes_each, dim == 2 ? 3 : 6);
    for (int f = 0; f < facets.count(); ++f) {
      const int* node = &facets.nodes[at(f * facets.nodes_each)];
      for (int k = 0; k < edges; ++k)
        for (int c = 0; c < dim; ++c)
          EXPECT_EQ(2 * mesh.X[at(node[dim + k] * dim + c)],
                    mesh.X[at(node[k] * dim + c)] + mesh.X[at(node[(k + 1) % dim] * dim + c)]);
    }
    EXPECT_NEAR(volume_by_boundary(mesh), 1, 1e-14);
  }
}

TEST(Select, ByShapes) {
  BoxSpec spec;
  spec.cells = {4, 4, 4};
  const Mesh mesh = box_mesh(spec);
  EXPECT_EQ(select_box(mesh, {0, 0, 0}, {0.5, 0.25, 0}, 1e-9).size(), 3u * 2u);
  EXPECT_EQ(select_box(mesh, {0.01, 0, 0}, {0.5, 0.25, 0}, 1e-9).size(), 2u * 2u);
  EXPECT_EQ(select_plane(mesh, {1, 0.3, 0.7}, {-2, 0, 0}, 1e-9), mesh.groups.at("x_max"));
  EXPECT_EQ(select_plane(mesh, {0, 0, 0}, {1, -1, 0}, 1e-9).size(), 25u);
  EXPECT_TRUE(select_plane(mesh, {0.1, 0, 0}, {1, 0, 0}, 1e-9).empty());
  EXPECT_THROW(select_plane(mesh, {0, 0, 0}, {0, 0, 0}, 1), MeshError);
  EXPECT_EQ(select_sphere(mesh, {0.5, 0.5, 0.5}, 0.25, 1e-9).size(), 7u);
  EXPECT_EQ(select_sphere(mesh, {0.5, 0.5, 0.5}, 0.25, -1e-9).size(), 1u);
  EXPECT_EQ(select_nearest(mesh, {0.27, 0.02, 9}), std::vector<int>{4 * 25 + 1});
  EXPECT_EQ(select_boundary(mesh).size(), 125u - 27u);
}

TEST(Select, InThePlane) {
  RectangleSpec spec;
  spec.cells = {2, 2};
  spec.kind = ElementKind::tri6;
  const Mesh mesh = rectangle_mesh(spec);
  EXPECT_EQ(select_boundary(mesh).size(), 16u);
  EXPECT_EQ(select_box(mesh, {0, 0, 7}, {1, 0, 8}, 0).size(), 5u);
  EXPECT_EQ(select_nearest(mesh, {0, 1, 0}).size(), 1u);
}

TEST(Mesh, KnowsItsNamesAndSize) {
  EXPECT_EQ(to_string(ElementKind::tri6) + to_string(ElementKind::tet4), "tri6tet4");
  BoxSpec spec;
  spec.size = {2, 3, 6};
  EXPECT_DOUBLE_EQ(diameter(box_mesh(spec)), 7);
}

}  // namespace
}  // namespace livens
