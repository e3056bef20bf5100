// Masses by Voronoi cells: of grids they are the boxes around the nodes, whatever the diagonals of the cells.
#include "bodies/voronoi_mass.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include <livens/scene.hpp>

#include "model/assembly.hpp"

namespace livens {
namespace {

Scene solid(const std::string& mesh, const std::string& matrix) {
  return parse_scene(
      "time = { end = 0.01 }\nintegrator = { kind = 'stormer_verlet', step = 1e-4 }\n[[material]]\nname = 'm'\n"
      "kind = 'neo_hookean'\nyoung = 1e5\npoisson = 0.3\ndensity = 1000\n[[body]]\nname = 'b'\nkind = 'solid'\n"
      "material = 'm'\nmass_matrix = '" +
      matrix + "'\nmesh = " + mesh + "\n");
}

// The share of a grid cell that a node has: a half for every direction in which it is at the surface.
double box_share(const Model& model, int node, const std::vector<double>& size) {
  const Body& body = model.bodies()[0];
  double share = 1;
  for (std::size_t c = 0; c < size.size(); ++c) {
    const double X = body.reference[node * size.size() + c];
    if (std::abs(X) < 1e-12 || std::abs(X - size[c]) < 1e-12) share /= 2;
  }
  return share;
}

void expect_boxes(const std::string& mesh, const std::vector<double>& size, double cell) {
  const Model model = make_model(solid(mesh, "voronoi")), lumped = make_model(solid(mesh, "lumped"));
  const Body& body = model.bodies()[0];
  double off = 0, total = 0;
  for (int a = 0; a < body.nodes; ++a) {
    const auto i = static_cast<std::size_t>(a * body.dimension);
    const double exact = 1000 * cell * box_share(model, a, size), here = model.parts().mass.diagonal[i];
    EXPECT_NEAR(here, exact, 1e-11 * exact) << mesh << " " << a;
    off = std::max(off, std::abs(lumped.parts().mass.diagonal[i] - exact) / exact);
    total += here;
  }
  EXPECT_NEAR(total, body.mass, 1e-12 * body.mass);
  EXPECT_GT(off, 0.1) << mesh << ": barycentric cells are others";
}

TEST(VoronoiMass, OfGridsIsThatOfBoxes) {
  expect_boxes("{ kind = 'rectangle', size = [0.6, 0.4], cells = [3, 2] }", {0.6, 0.4}, 0.2 * 0.2);
  expect_boxes("{ kind = 'box', size = [0.6, 0.4, 0.3], cells = [3, 2, 3] }", {0.6, 0.4, 0.3}, 0.2 * 0.2 * 0.1);
}

std::string refusal(const std::string& mesh) {
  try {
    make_model(solid(mesh, "voronoi"));
    return "accepted";
  } catch (const SceneError& error) {
    return error.what();
  }
}

TEST(VoronoiMass, IsRefusedWhereThereAreNoCells) {
  const std::string quadratic = refusal("{ kind = 'rectangle', size = [1, 1], cells = [1, 1], element = 'tri6' }");
  EXPECT_NE(quadratic.find("body.b.mass_matrix: \"voronoi\" is for tri3 and tet4"), std::string::npos) << quadratic;
}

TEST(VoronoiMass, IsRefusedWhereANodeHasNone) {
  Mesh flat;
  flat.kind = ElementKind::tri3;
  flat.X = {0, 0, 1, 0, 0.5, 0.1};
  flat.connectivity = {0, 1, 2};
  try {
    voronoi_mass(flat, {1000.0}, 1);
    FAIL() << "accepted";
  } catch (const AssemblyError& error) {
    EXPECT_NE(std::string(error.what()).find("leaves the node at (0, 0) m with -"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace livens
