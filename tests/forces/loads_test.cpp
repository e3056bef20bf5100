// Dead loads: resultants, moments, derivatives, and the power of loads that change.
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

}  // namespace
}  // namespace livens
