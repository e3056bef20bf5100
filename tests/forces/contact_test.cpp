// Contact by penalty: derivatives, the onset, areas, and what is refused.
#include "forces/contact.hpp"

#include <cmath>

#include <livens/livens.hpp>

#include "support/derivatives.hpp"

namespace livens {
namespace {

using testing::DenseSink;
using testing::random_vector;

Obstacle tilted_plane() {
  Obstacle plane;
  plane.name = "floor";
  plane.normal[0] = 0.6;
  plane.normal[2] = 0.8;
  return plane;
}

Obstacle ball() {
  Obstacle sphere;
  sphere.name = "ball";
  sphere.kind = Obstacle::Kind::sphere;
  sphere.point[0] = 0.1;
  sphere.radius = 1.5;
  return sphere;
}

// Nodes around the surface: some outside, some in the onset, some deep inside.
ContactTerm scattered(const Obstacle& obstacle, int dimension, double onset) {
  std::vector<ContactNode> nodes;
  for (int a = 0; a < 8; ++a) nodes.push_back({a * dimension, 2.0 + 0.1 * a, onset});
  return ContactTerm(obstacle, dimension, nodes);
}

TEST(Contact, DerivativesMatchDifferences) {
  for (const double onset : {0.05, 1.0}) {
    testing::expect_consistent(scattered(tilted_plane(), 3, onset), random_vector(24, 0.7, 1));
    testing::expect_consistent(scattered(ball(), 3, onset), random_vector(24, 0.9, 2));
    testing::expect_consistent(scattered(ball(), 2, onset), random_vector(16, 1.2, 3));
  }
}

TEST(Contact, StandInIsPositiveSemidefiniteWhereTheHessianIsNot) {
  const ContactTerm term = scattered(ball(), 3, 0.05);
  const std::vector<double> q = random_vector(24, 0.5, 4);
  DenseSink exact(24), convex(24);
  term.add_hessian(0, q, 1, exact);
  term.add_convex_hessian(0, q, 1, convex);
  // Tangent to the sphere the exact one is negative, the stand-in zero.
  double least_exact = 0, least_convex = 0;
  for (std::size_t a = 0; a < 8; ++a) {
    const double r[3] = {q[3 * a] - 0.1, q[3 * a + 1], q[3 * a + 2]};
    const double t[3] = {-r[1], r[0], 0};
    double on_exact = 0, on_convex = 0;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        on_exact += t[i] * t[j] * exact(3 * a + i, 3 * a + j);
        on_convex += t[i] * t[j] * convex(3 * a + i, 3 * a + j);
      }
    least_exact = std::min(least_exact, on_exact);
    least_convex = std::min(least_convex, on_convex);
  }
  EXPECT_LT(least_exact, -0.1);
  EXPECT_GT(least_convex, -1e-12);
}

TEST(Contact, DepthAndForce) {
  Obstacle floor;
  floor.name = "floor";
  const ContactTerm term(floor, 3, {{0, 100.0, 0.01}, {3, 100.0, 0.01}});
  const std::vector<double> q = {0, 0, -0.1, 5, 5, 0.2};
  EXPECT_DOUBLE_EQ(term.largest_depth(q), 0.1);
  const auto force = term.total_force(q);
  EXPECT_NEAR(force[2], 100 * (0.1 - 0.005), 1e-12);  // beyond the onset: depth less half of it
  EXPECT_EQ(force[0], 0);
  EXPECT_EQ(term.total_force(std::vector<double>{0, 0, 1, 0, 0, 1})[2], 0);
}

Scene cube_on(const std::string& contact, const std::string& element = "tet4") {
  return parse_scene(
      "time = { end = 1 }\nintegrator = { kind = 'stormer_verlet', step = 0.001 }\n"
      "[[material]]\nname = 'jelly'\nkind = 'neo_hookean'\nyoung = 1e5\npoisson = 0.3\ndensity = 1000\n"
      "[[body]]\nname = 'cube'\nkind = 'solid'\nmaterial = 'jelly'\nmesh = { kind = 'box', size = [1, 1, 1], cells = "
      "[4, 4, 4], element = '" +
      element + "' }\n" + contact);
}

const ContactTerm& contact_of(const Model& model) {
  for (const auto& term : model.parts().terms)
    if (!term->obstacles().empty()) return static_cast<const ContactTerm&>(*term);
  throw std::logic_error("no contact");
}

// The stiffness of all nodes together is pressure per depth times the surface, whatever the elements.
TEST(Contact, StiffnessIsPressurePerDepthTimesArea) {
  for (const char* element : {"tet4", "tet10"}) {
    const Model model =
        make_model(cube_on("[[contact]]\nname = 'floor'\nkind = 'plane'\npoint = [0, 0, 0]\nnormal = [0, 0, 2]\n"
                           "relative_stiffness = 3\n",
                           element));
    const ContactTerm& contact = contact_of(model);
    // Facets of the box have edges a, a and sqrt(2) a.
    const double a = 0.25, edge = (2 + std::sqrt(2.0)) / 3 * a;
    double sum = 0;
    for (const ContactNode& node : contact.nodes()) {
      EXPECT_GT(node.stiffness, 0);
      EXPECT_NEAR(node.onset, 0.02 * edge, 1e-15);
      sum += node.stiffness;
    }
    EXPECT_NEAR(sum, 3 * 1e5 / edge * 6, 1e-6 * sum);
    EXPECT_EQ(contact.obstacles()[0].normal[2], 1);
  }
}

TEST(Contact, ParticlesNeedAStiffness) {
  const std::string particles =
      "time = { end = 1 }\nintegrator = { kind = 'stormer_verlet', step = 0.001 }\n[[body]]\nname = 'dust'\nkind = "
      "'particles'\nmass = 1\nlayout = { kind = 'points', points = [[0, 0, 1], [1, 0, 1]] }\n[[contact]]\nkind = "
      "'plane'\npoint = [0, 0, 0]\nnormal = [0, 0, 1]\n";
  EXPECT_THROW(make_model(parse_scene(particles)), SceneError);
  const Model model = make_model(parse_scene(particles + "stiffness = 1000\nonset = 0.001\n"));
  EXPECT_EQ(contact_of(model).nodes().size(), 2u);
}

}  // namespace
}  // namespace livens
