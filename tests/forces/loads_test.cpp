// Dead loads: resultants, moments, derivatives, and the power of loads that change.
#include <algorithm>
#include <cmath>

#include <livens/livens.hpp>

#include "support/derivatives.hpp"

namespace livens {
namespace {

struct Resultant {
  double force[3] = {0, 0, 0}, moment[3] = {0, 0, 0};  // about the origin
};

Scene block(const std::string& rest, const std::string& element = "tet4") {
  return parse_scene(
      "time = { end = 1 }\nintegrator = { kind = 'stormer_verlet', step = 0.001 }\n"
      "[[material]]\nname = 'rubber'\nkind = 'neo_hookean'\nyoung = 1e5\npoisson = 0.3\ndensity = 1000\n"
      "[[body]]\nname = 'block'\nkind = 'solid'\nmaterial = 'rubber'\nmesh = { kind = 'box', size = [2, 1, 0.5], "
      "cells = [4, 3, 2], element = '" +
      element + "' }\n" + rest);
}

Scene plate(const std::string& rest, const std::string& element) {
  return parse_scene(
      "time = { end = 1 }\nintegrator = { kind = 'stormer_verlet', step = 0.001 }\n"
      "[[material]]\nname = 'rubber'\nkind = 'neo_hookean'\nyoung = 1e5\npoisson = 0.3\ndensity = 1000\n"
      "[[body]]\nname = 'plate'\nkind = 'solid'\nmaterial = 'rubber'\nthickness = 0.1\nmesh = { kind = 'rectangle', "
      "size = [2, 1], cells = [4, 3], element = '" +
      element + "' }\n" + rest);
}

// The load is the last term; its forces at time t.
Resultant resultant_of(const Model& model, double t) {
  const Body& body = model.bodies()[0];
  std::vector<double> g(model.size(), 0.0);
  model.parts().terms.back()->add_gradient(t, body.reference, -1, g);
  Resultant sum;
  for (int a = 0; a < body.nodes; ++a) {
    double x[3] = {0, 0, 0}, f[3] = {0, 0, 0};
    for (int c = 0; c < body.dimension; ++c) {
      x[c] = body.reference[a * body.dimension + c];
      f[c] = g[a * body.dimension + c];
      sum.force[c] += f[c];
    }
    for (int c = 0; c < 3; ++c) sum.moment[c] += x[(c + 1) % 3] * f[(c + 2) % 3] - x[(c + 2) % 3] * f[(c + 1) % 3];
  }
  return sum;
}

constexpr double exact = 1e-12;

TEST(Loads, TractionGivesAreaTimesTraction) {
  for (const char* element : {"tet4", "tet10"}) {
    const Model model = make_model(block(
        "[[force]]\nkind = 'traction'\nselection = 'block.x_max'\ntraction = [3, '1 + 2*Y*Z', '4*t']\n", element));
    const Resultant sum = resultant_of(model, 0.5);
    EXPECT_NEAR(sum.force[0], 3 * 0.5, exact);
    // The integral of 1 + 2 Y Z over 1 x 0.5: quadratic, so that the rule is exact on every facet.
    EXPECT_NEAR(sum.force[1], 0.5 + 2 * 0.5 * 0.125, exact);
    EXPECT_NEAR(sum.force[2], 2 * 0.5, exact);
    EXPECT_NEAR(sum.moment[1], 0.25 * sum.force[0] - 2 * sum.force[2], exact);
  }
  for (const char* element : {"tri3", "tri6"}) {
    const Model model =
        make_model(plate("[[force]]\nkind = 'traction'\nselection = 'plate.x_max'\ntraction = ['Y^2', 1]\n", element));
    EXPECT_NEAR(resultant_of(model, 0).force[0], 0.1 / 3, exact);
    EXPECT_NEAR(resultant_of(model, 0).force[1], 0.1, exact);
  }
}

TEST(Loads, ResultantAndMomentAreAsAsked) {
  const Model model = make_model(block(
      "[[force]]\nkind = 'load'\nselection = 'block.x_max'\ntotal_force = [1, '2*t', 0]\ntorque = [5, '-7*t', 3]\n"));
  const Resultant sum = resultant_of(model, 2);
  const double expected[3] = {1, 4, 0}, centroid[3] = {2, 0.5, 0.25}, torque[3] = {5, -14, 3};
  for (int c = 0; c < 3; ++c) {
    EXPECT_NEAR(sum.force[c], expected[c], exact);
    const int a = (c + 1) % 3, b = (c + 2) % 3;
    EXPECT_NEAR(sum.moment[c], torque[c] + centroid[a] * expected[b] - centroid[b] * expected[a], 10 * exact);
  }
  const Model flat = make_model(plate("[[force]]\nkind = 'load'\nselection = 'plate.all'\ntorque = 2\n", "tri6"));
  EXPECT_NEAR(resultant_of(flat, 0).moment[2], 2, exact);
  EXPECT_NEAR(resultant_of(flat, 0).force[0], 0, exact);
}

TEST(Loads, DerivativesMatchDifferences) {
  const Model model =
      make_model(block("[[force]]\nkind = 'load'\nselection = 'block.all'\ntotal_force = [100, 200, '300*sin(t)']\n"));
  const EnergyTerm& load = *model.parts().terms.back();
  std::vector<double> q = model.bodies()[0].reference;
  EXPECT_EQ(load.energy(0.3, q), 0);  // in the reference shape
  const auto offset = testing::random_vector(q.size(), 0.1, 1);
  for (std::size_t i = 0; i < q.size(); ++i) q[i] += offset[i];
  testing::expect_consistent(load, q);
  const double h = 1e-6, rate = (load.energy(0.3 + h, q) - load.energy(0.3 - h, q)) / (2 * h);
  EXPECT_GT(std::abs(rate), 1e-3);
  EXPECT_NEAR(load.time_derivative(0.3, q), rate, 1e-7);
}

// Weight is the same for every mass matrix.
TEST(Loads, GravityOfConsistentAndLumpedMass) {
  for (const char* element : {"tet4", "tet10"})
    for (const char* mass : {"lumped", "consistent"}) {
      Scene scene = block("[[force]]\nkind = 'gravity'\nacceleration = [0, 0, -10]\n", element);
      scene.set("body.block.mass_matrix", mass);
      const Model model = make_model(scene);
      EXPECT_NEAR(model.bodies()[0].mass, 1000, 1e-9);
      EXPECT_NEAR(resultant_of(model, 0).force[2], -10000, 1e-8) << element << " " << mass;
      EXPECT_NEAR(resultant_of(model, 0).moment[0], -10000 * 0.5, 1e-8) << element << " " << mass;
    }
}

// --- curved faces ----------------------------------------------------------------------------------------------------

// The forces of a unit traction along `axis` on all nodes of `group`: their sum is the area.
Resultant traction_on(Mesh mesh, std::vector<int> group, std::vector<LoadFunction> traction) {
  Assembly assembly;
  add(assembly, neo_hookean({.young = 1e5, .poisson = 0.3, .density = 1000}), "rubber");
  std::sort(group.begin(), group.end());
  mesh.groups["loaded"] = std::move(group);
  Solid solid{std::move(mesh), "rubber"};
  if (solid.mesh.dimension() == 2) solid.thickness = 0.1;
  add(assembly, std::move(solid), "body");
  add(assembly, Traction{.selection = "body.loaded", .traction = std::move(traction)}, "traction");
  return resultant_of(assembly.model(), 0);
}

// A tetrahedron whose face z = 0 has its hypotenuse bent outwards into a parabola of sagitta s: the area grows by
// 2/3 s times the chord, and the first moment about z = 0, x = 0 by that of the parabolic segment.
TEST(Loads, TractionOnAPlaneFaceWithACurvedEdge) {
  const double s = 0.11, chord = std::sqrt(2.0), n = 1 / chord;
  std::vector<double> X = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  for (const auto& [i, j] : {std::pair{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}})
    for (int c = 0; c < 3; ++c) X.push_back(0.5 * (X[3 * i + c] + X[3 * j + c]));
  X[3 * 5] += s * n;
  X[3 * 5 + 1] += s * n;
  const Mesh mesh = mesh_from_arrays(ElementKind::tet10, X, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  const std::vector<int> face = {0, 1, 2, 4, 5, 6};
  const double segment = 2.0 / 3 * s * chord, area = 0.5 + segment;
  // The centroid of a parabolic segment is 2/5 of its sagitta above the chord.
  const double moment = 0.5 / 3 + segment * (0.5 + 0.4 * s * n);
  const Resultant steady = traction_on(mesh, face, {0, 0, 1});
  EXPECT_NEAR(steady.force[2], area, 1e-14);
  EXPECT_NEAR(steady.moment[0], moment, 1e-14);
  EXPECT_NEAR(steady.moment[1], -moment, 1e-14);
  const Resultant varied = traction_on(mesh, face, {0, 0, "X"});  // X^1 is the integrand of that moment
  EXPECT_NEAR(varied.force[2], moment, 1e-14);
}

// An edge bent into y = 4 s x (1 - x) has the length of a parabola.
TEST(Loads, TractionOnACurvedEdge) {
  const double s = -0.2;
  const std::vector<double> X = {0, 0, 1, 0, 0, 1, 0.5, s, 0.5, 0.5, 0, 0.5};
  const Mesh mesh = mesh_from_arrays(ElementKind::tri6, X, {0, 1, 2, 3, 4, 5});
  const double slope = 4 * std::abs(s), length = 0.5 * std::sqrt(1 + slope * slope) + std::asinh(slope) / (2 * slope);
  const double rule = 2e-5;  // five points on a bend of half a radian
  EXPECT_NEAR(traction_on(mesh, {0, 1, 3}, {0, 1}).force[1], 0.1 * length, 0.1 * length * rule);
  EXPECT_GT(length, 1.09);
  EXPECT_NEAR(traction_on(mesh, {1, 2, 4}, {0, 1}).force[1], 0.1 * std::sqrt(2.0), exact);  // straight
}

// A quarter of a tube: the error of the loaded area falls with the fourth power of the size of its facets.
TEST(Loads, TractionOnABoreHasItsArea) {
  double before = 0;
  for (const int cells : {2, 4, 8}) {
    Mesh mesh =
        box_mesh({.size = {1, M_PI / 2, 1}, .corner = {1, 0, 0}, .cells = {1, cells, 1}, .kind = ElementKind::tet10});
    const std::vector<int> bore = mesh.groups.at("x_min");
    for (std::size_t a = 0; a + 2 < mesh.X.size(); a += 3) {
      const double r = mesh.X[a], angle = mesh.X[a + 1];
      mesh.X[a] = r * std::cos(angle);
      mesh.X[a + 1] = r * std::sin(angle);
    }
    const double error = std::abs(traction_on(mesh, bore, {0, 0, 1}).force[2] / (M_PI / 2) - 1);
    EXPECT_LT(error, 0.006 / std::pow(cells / 2, 4));
    if (before > 0) {
      EXPECT_NEAR(std::log2(before / error), 4, 0.3);
    }
    before = error;
  }
}

}  // namespace
}  // namespace livens
