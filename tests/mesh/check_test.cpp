#include "mesh/files/check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mesh/core/select.hpp"
#include "mesh/core/shape.hpp"
#include "mesh_files.hpp"

namespace livens {
namespace {

class MeshCheck : public MeshFiles {
 protected:
  static Mesh box(ElementKind kind = ElementKind::tet4) {
    BoxSpec spec;
    spec.cells = {2, 2, 1};
    spec.kind = kind;
    return box_mesh(spec);
  }
  std::string check(Mesh& mesh, const MeshRepair& repair = {}) {
    notes_ = {};
    try {
      check_mesh(mesh, "part.msh", repair, notes_);
    } catch (const MeshError& error) {
      return error.what();
    }
    return "good";
  }
  static int* element(Mesh& mesh, int e) { return &mesh.connectivity[at(e * nodes_of(mesh.kind))]; }
};

TEST_F(MeshCheck, GoodMeshesStayAsTheyAre) {
  for (const ElementKind kind : {ElementKind::tet4, ElementKind::tet10}) {
    Mesh mesh = box(kind);
    const Mesh before = mesh;
    EXPECT_EQ(check(mesh), "good");
    EXPECT_EQ(mesh.X, before.X);
    EXPECT_EQ(mesh.connectivity, before.connectivity);
    EXPECT_TRUE(notes_.repairs.empty());
  }
}

TEST_F(MeshCheck, TheWordsAreThoseOfTheManual) {
  // A file of 20 112 tetrahedra, 14 of them inverted.
  std::string file = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n80448\n";
  std::string cells = "$Elements\n20112\n";
  for (int e = 0; e < 20112; ++e) {
    const int a = 4 * e;
    const double x = 0.01 * e;
    for (const auto& [k, dx, dy, dz] :
         {std::tuple{1, 0., 0., 0.}, {2, 0.002, 0., 0.}, {3, 0., 0.002, 0.}, {4, 0., 0., 0.0048}})
      file += std::to_string(a + k) + " " + digits(x + dx) + " " + digits(dy) + " " + digits(dz) + "\n";
    const bool inverted = e >= 917 && e < 931;
    cells += std::to_string(e + 1) + " 4 0 " + std::to_string(a + 1) + " " + std::to_string(a + (inverted ? 3 : 2)) +
             " " + std::to_string(a + (inverted ? 2 : 3)) + " " + std::to_string(a + 4) + "\n";
  }
  file += "$EndNodes\n" + cells + "$EndElements\n";
  EXPECT_EQ(refusal(file),
            "part.msh:81374: tetrahedron 918 is inverted (volume -3.2e-09 m^3), and 13 more of 20 112: see "
            "part.faults.vtu. Left-handed file? mesh.repair = [\"flip\"]. Otherwise mesh it again.");
  ASSERT_TRUE(std::filesystem::exists("part.faults.vtu"));
  MeshNotes faulty;
  MeshFileOptions flip;
  flip.repair.flip = true;
  EXPECT_EQ(read_mesh("part.faults.vtu", flip, faulty).elements(), 14);
  EXPECT_FALSE(std::filesystem::exists("part.faults.vtu.part"));
  EXPECT_EQ(read(file, "part.msh", flip).elements(), 20112);
  EXPECT_EQ(notes_.repairs, std::vector<std::string>{"part.msh: flipped 14 inverted tetrahedra"});
}

TEST_F(MeshCheck, FlipsElementsOfEveryKind) {
  for (const ElementKind kind : {ElementKind::tri3, ElementKind::tri6, ElementKind::tet4, ElementKind::tet10}) {
    Mesh mesh;
    if (dimension_of(kind) == 3) {
      mesh = box(kind);
    } else {
      RectangleSpec spec;
      spec.cells = {2, 2};
      spec.kind = kind;
      mesh = rectangle_mesh(spec);
    }
    const std::size_t dim = at(mesh.dimension());
    for (std::size_t i = 0; i < mesh.X.size(); i += dim) mesh.X[i] = -mesh.X[i];  // a left-handed file
    EXPECT_NE(check(mesh), "good");
    MeshRepair repair;
    repair.flip = true;
    EXPECT_EQ(check(mesh, repair), "good") << to_string(kind);
    EXPECT_EQ(notes_.repairs.size(), 1u);
    Mesh again = mesh;
    EXPECT_EQ(check(again), "good");
    // Midsides still lie in the middle of their edges.
    for (int e = 0; e < mesh.elements() && quadratic(kind); ++e)
      for (int k = 0; k < edges_of(kind); ++k)
        for (std::size_t c = 0; c < dim; ++c)
          EXPECT_EQ(2 * mesh.X[at(mesh.element(e)[vertices_of(kind) + k]) * dim + c],
                    mesh.X[at(mesh.element(e)[simplex_edges[at(k)][0]]) * dim + c] +
                        mesh.X[at(mesh.element(e)[simplex_edges[at(k)][1]]) * dim + c]);
  }
}

TEST_F(MeshCheck, FlippingDoesNotHideATangle) {
  Mesh mesh = box();
  // The inner edge's node is pulled out of the body: some of its elements turn over.
  const int a = select_nearest(mesh, {0.5, 0.5, 0})[0];
  mesh.X[at(3 * a)] = 2;
  MeshRepair repair;
  repair.flip = true;
  const std::string text = check(mesh, repair);
  EXPECT_NE(text.find("both lie on the same side of their common face"), std::string::npos) << text;
  EXPECT_NE(text.find("Mesh it again."), std::string::npos);
}

TEST_F(MeshCheck, DegenerateElements) {
  Mesh mesh = box();
  mesh.X.insert(mesh.X.end(), {0.25, 0, 0});
  mesh.connectivity.insert(mesh.connectivity.end(), {0, 1, mesh.nodes() - 1, 2});
  mesh.region.push_back(0);
  mesh.connectivity.insert(mesh.connectivity.end(), {0, 1, 1, 3});
  mesh.region.push_back(0);
  EXPECT_EQ(check(mesh),
            "part.msh: tetrahedron 25 is degenerate (volume 0 m^3, longest edge 1 m), and 1 more of 26: see "
            "part.faults.vtu. mesh.repair = [\"drop_degenerate\"] leaves such elements out.");
  MeshRepair repair;
  repair.drop_degenerate = true;
  EXPECT_EQ(check(mesh, repair), "good");
  EXPECT_EQ(mesh.elements(), 24);
  EXPECT_EQ(mesh.nodes(), 18);  // the node that only the flat one had goes with it
  EXPECT_EQ(notes_.repairs, std::vector<std::string>{"part.msh: left out 2 degenerate tetrahedra"});

  Mesh twice = box();
  element(twice, 3)[2] = element(twice, 3)[1];
  EXPECT_EQ(check(twice).substr(0, 66), "part.msh: tetrahedron 4 is degenerate (it holds node 5 twice): see");
}

TEST_F(MeshCheck, ThinElementsAboveTheThresholdAreGood) {
  for (const double height : {1e-7, 1e-10}) {
    Mesh mesh;
    mesh.regions = {"all"};
    mesh.X = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, height};
    mesh.connectivity = {0, 1, 2, 3};
    mesh.region = {0};
    EXPECT_EQ(shape_of(mesh, 0).degenerate(), height < 1e-8) << height;
  }
}

TEST_F(MeshCheck, CurvedElementsMayNotFold) {
  Mesh mesh = box(ElementKind::tet10);
  EXPECT_EQ(check(mesh), "good");
  const std::size_t midside = at(mesh.element(0)[4]) * 3;
  const int a = mesh.element(0)[0], b = mesh.element(0)[1];
  // Beyond a quarter of the edge the determinant vanishes at its end.
  for (const double part : {0.2, 0.3}) {
    Mesh bent = mesh;
    for (std::size_t c = 0; c < 3; ++c) bent.X[midside + c] += part * (bent.X[at(3 * b) + c] - bent.X[at(3 * a) + c]);
    const std::string text = check(bent);
    if (part < 0.25) {
      EXPECT_EQ(text, "good");
      continue;
    }
    EXPECT_EQ(text.substr(0, 70), "part.msh: tetrahedron 1 folds over (Jacobian determinant -0.05 m^3 at ");
    EXPECT_NE(text.find("Its midsides lie too far off: mesh it again, finer or with straight elements."),
              std::string::npos)
        << text;
  }
}

TEST_F(MeshCheck, DuplicateElementsAndNodes) {
  Mesh mesh = box();
  mesh.connectivity.insert(mesh.connectivity.end(),
                           {mesh.element(7)[1], mesh.element(7)[2], mesh.element(7)[0], mesh.element(7)[3]});
  mesh.region.push_back(0);
  Mesh twins = mesh;
  EXPECT_EQ(
      check(mesh),
      "part.msh: tetrahedron 25 has the nodes of tetrahedron 8: see part.faults.vtu. mesh.repair = [\"weld\"] keeps "
      "one of each.");
  MeshRepair repair;
  repair.weld = true;
  EXPECT_EQ(check(twins, repair), "good");
  EXPECT_EQ(twins.elements(), 24);
  EXPECT_EQ(notes_.repairs, std::vector<std::string>{"part.msh: left out 1 tetrahedron with the nodes of another"});

  // Two boxes side by side, each with nodes of its own.
  BoxSpec spec;
  Mesh left = box_mesh(spec);
  spec.corner = {1 + 1e-13, 0, 0};
  const Mesh right = box_mesh(spec);
  left.groups["side"] = {9 - 1};
  left.X.insert(left.X.end(), right.X.begin(), right.X.end());
  for (const int a : right.connectivity) left.connectivity.push_back(a + 8);
  left.region.resize(12, 0);
  Mesh joined = left;
  EXPECT_EQ(check(left),
            "part.msh: node 9 lies on node 2, and 3 more of 16. The body would come apart there. mesh.repair "
            "= [\"weld\"] joins such nodes, [\"keep_double\"] leaves them: a crack.");
  Mesh cracked = joined;
  MeshRepair keep;
  keep.keep_double = true;
  EXPECT_EQ(check(cracked, keep), "good");
  EXPECT_EQ(cracked.nodes(), 16);
  EXPECT_EQ(check(joined, repair), "good");
  EXPECT_EQ(joined.nodes(), 12);
  EXPECT_EQ(joined.groups.at("side"), std::vector<int>{1});
  EXPECT_EQ(boundary_facets(joined).count(), 20);
  EXPECT_EQ(notes_.repairs, std::vector<std::string>{"part.msh: joined 4 nodes with another at the same place"});
}

TEST_F(MeshCheck, UnusedNodes) {
  Mesh mesh = box();
  mesh.X.insert(mesh.X.begin(), {9, 9, 9});
  for (int& a : mesh.connectivity) ++a;
  mesh.groups = {{"stray", {0}}, {"both", {0, 1}}};
  EXPECT_EQ(check(mesh),
            "part.msh: node 1 belongs to no element. mesh.repair = [\"drop_unused\"] leaves such nodes out.");
  MeshRepair repair;
  repair.drop_unused = true;
  EXPECT_EQ(check(mesh, repair), "good");
  EXPECT_EQ(mesh.nodes(), 18);
  EXPECT_EQ(mesh.node_tag(0), 2);
  EXPECT_EQ(mesh.groups.size(), 1u);
  EXPECT_EQ(mesh.groups.at("both"), std::vector<int>{0});
}

TEST_F(MeshCheck, PositionsMustBeFinite) {
  Mesh mesh = box();
  mesh.X[7] = std::numeric_limits<double>::quiet_NaN();
  mesh.X[10] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(check(mesh), "part.msh: node 3 is at no finite position (1, nan, 0), and 1 more of 18. Mesh it again.");
  mesh.X[7] = 1e200;
  mesh.X[10] = 0;
  EXPECT_EQ(check(mesh), "part.msh: node 3 is out of any range (1, 1e+200, 0). Mesh it again.");
}

TEST_F(MeshCheck, SeveralFaultsAreToldTogether) {
  Mesh mesh = box();
  mesh.X.insert(mesh.X.end(), {9, 9, 9});
  std::swap(element(mesh, 2)[0], element(mesh, 2)[1]);
  const std::string text = check(mesh);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
  EXPECT_NE(text.find("is inverted"), std::string::npos);
  EXPECT_NE(text.find("node 19 belongs to no element"), std::string::npos);
}

TEST_F(MeshCheck, WithoutAPlaceForTheFaultsTheyAreToldAllTheSame) {
  Mesh mesh = box();
  std::swap(element(mesh, 2)[0], element(mesh, 2)[1]);
  std::filesystem::create_directories("part.faults.vtu/taken");
  EXPECT_EQ(
      check(mesh),
      "part.msh: tetrahedron 3 is inverted (volume -0.042 m^3). Left-handed file? mesh.repair = [\"flip\"]. Otherwise "
      "mesh it again.");
}

TEST(Order, BringsNeighboursTogetherAndKeepsTheMesh) {
  BoxSpec spec;
  spec.cells = {12, 3, 3};
  spec.size = {4, 1, 1};
  Mesh mesh = box_mesh(spec);
  // Nodes shuffled, by a step that shares no factor with their number.
  std::vector<double> X(mesh.X.size());
  const int n = mesh.nodes();
  const auto moved = [n](int a) { return a * 61 % n; };
  for (int a = 0; a < n; ++a)
    for (int c = 0; c < 3; ++c) X[at(3 * moved(a) + c)] = mesh.X[at(3 * a + c)];
  mesh.X = X;
  for (int& a : mesh.connectivity) a = moved(a);
  mesh.groups = {{"x_min", select_plane(mesh, {0, 0, 0}, {1, 0, 0}, 1e-9)}};
  const auto bandwidth = [](const Mesh& m) {
    int band = 0;
    for (int e = 0; e < m.elements(); ++e)
      for (int k = 0; k < 4; ++k) band = std::max(band, std::abs(m.element(e)[k] - m.element(e)[0]));
    return band;
  };
  Mesh ordered = mesh;
  order_for_locality(ordered);
  EXPECT_GT(bandwidth(mesh), 150);
  EXPECT_LT(bandwidth(ordered), 50);
  // Along the curve the band is wide, but most neighbours are close.
  Mesh along_curve = mesh;
  order_for_locality(along_curve, 1);
  EXPECT_GT(bandwidth(along_curve), 50);
  const auto mean_distance = [](const Mesh& m) {
    double sum = 0;
    for (int e = 0; e < m.elements(); ++e)
      for (int k = 1; k < 4; ++k) sum += std::abs(m.element(e)[k] - m.element(e)[0]);
    return sum / (3 * m.elements());
  };
  EXPECT_LT(mean_distance(along_curve), 0.35 * mean_distance(mesh));
  for (const Mesh* m : {&ordered, &along_curve}) {
    for (int a = 0; a < n; ++a)
      for (int c = 0; c < 3; ++c)
        EXPECT_EQ(m->X[at(3 * a + c)], mesh.X[at(3 * static_cast<int>(m->node_tag(a) - 1) + c)]);
    for (int e = 0; e < mesh.elements(); ++e) EXPECT_EQ(signed_volume(*m, e), signed_volume(mesh, e));
    EXPECT_EQ(m->groups.at("x_min"), select_plane(*m, {0, 0, 0}, {1, 0, 0}, 1e-9));
  }
}

}  // namespace
}  // namespace livens
