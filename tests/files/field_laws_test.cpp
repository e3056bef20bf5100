// Every field has the values that are known for its example. A field without an example fails.
#include <cmath>
#include <functional>
#include <map>

#include <gtest/gtest.h>

#include <livens/scene.hpp>

#include "files/fields.hpp"

namespace livens {
namespace {

// Numbers of order 1 to 100 after a few sums.
constexpr double rounding = 1e-11;

// grad u = [[0.1, 0.2], [0, 0]] in 2 m^3 of E = 1000 Pa without lateral contraction: e = [[0.1, 0.1], [0.1, 0]],
// stress E e, w = E/2 |e|^2 = 15 J/m^3. The right half is a region of its own.
const char* const sheared_box = R"(
time = { end = 0.01 }
integrator = { kind = 'asynchronous', longest_step = 1e-3 }
[[material]]
name = 'cork'
kind = 'linear'
density = 1
young = 1000
poisson = 0
[[body]]
name = 'box'
kind = 'solid'
material = 'cork'
mesh = { kind = 'box', size = [2, 1, 1], cells = [2, 1, 1], region = { right = 'X - 1' } }
initial = { position = ['1.1*X + 0.2*Y', 'Y', 'Z'], velocity = ['3*X', '4*X', '0'] }
)";

// 0.2 and 0.1 m deep in the ground and one above, k (d - s/2) with k = 100 N/m and s = 0.01 m.
const char* const sunk = R"(
time = { end = 1e-3 }
integrator = { kind = 'stormer_verlet', step = 1e-3 }
[[body]]
name = 'grains'
kind = 'particles'
mass = 1
layout = { kind = 'points', points = [[0, -0.2], [1, -0.1], [2, 1]] }
[[contact]]
name = 'ground'
kind = 'plane'
point = [0, 0]
normal = [0, 1]
stiffness = 100
onset = 0.01
)";

using Numbers = std::vector<double>;

struct Example {
  const char* scene;
  std::function<void(const Body&, const Numbers&)> expect;
  bool after_run = false;
};

// The same for every element.
std::function<void(const Body&, const Numbers&)> everywhere(Numbers expected) {
  return [expected](const Body& body, const Numbers& values) {
    ASSERT_EQ(values.size(), static_cast<std::size_t>(body.mesh->elements()) * expected.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_NEAR(values[i], expected[i % expected.size()], rounding * std::max(1.0, std::abs(values[i]))) << i;
  };
}

// factor * X of each node.
std::function<void(const Body&, const Numbers&)> growing_with_x(Numbers factor) {
  return [factor](const Body& body, const Numbers& values) {
    ASSERT_EQ(values.size(), static_cast<std::size_t>(body.nodes) * factor.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_NEAR(values[i], factor[i % factor.size()] * body.reference[3 * (i / factor.size())], rounding) << i;
  };
}

void expect_displacement(const Body& body, const Numbers& u) {
  ASSERT_EQ(u.size(), body.reference.size());
  for (std::size_t i = 0; i < u.size(); i += 3) {
    EXPECT_NEAR(u[i], 0.1 * body.reference[i] + 0.2 * body.reference[i + 1], rounding);
    EXPECT_NEAR(u[i + 1], 0, rounding);
    EXPECT_NEAR(u[i + 2], 0, rounding);
  }
}

void expect_contact_force(const Body&, const Numbers& f) {
  const Numbers expected = {0, 19.5, 0, 9.5, 0, 0};
  ASSERT_EQ(f.size(), expected.size());
  for (std::size_t i = 0; i < f.size(); ++i) EXPECT_NEAR(f[i], expected[i], rounding) << i;
}

// Its lower face is at half the distance from the ground.
const char* const resting = R"(
time = { end = 0.01 }
integrator = { kind = 'energy_momentum', step = 1e-3 }
[[material]]
name = 'm'
kind = 'neo_hookean'
young = 1e6
poisson = 0.3
density = 1000
[[body]]
name = 'box'
kind = 'solid'
material = 'm'
mesh = { kind = 'box', size = [1, 1, 1], cells = [2, 2, 2], corner = [0, 0, 0.005] }
[[contact]]
name = 'ground'
kind = 'plane'
rule = 'barrier'
point = [0, 0, 0]
normal = [0, 0, 1]
distance = 0.01
pressure = 7000
)";

void expect_contact_pressure(const Body& body, const Numbers& p) {
  ASSERT_EQ(p.size(), static_cast<std::size_t>(body.nodes));
  for (std::size_t a = 0; a < p.size(); ++a)
    EXPECT_NEAR(p[a], body.reference[3 * a + 2] < 0.01 ? 7000 : 0, 7000 * rounding) << a;
}

// Of a face with the normal N: area (w N - H'P N). At x = 2: w - H_xx P_xx = 15 - 0.1 * 100, and those of the sides
// cancel; the plane in the middle has none.
void expect_configurational_force(const Body& body, const Numbers& G) {
  ASSERT_EQ(G.size(), body.reference.size());
  double sum[3] = {0, 0, 0};
  for (std::size_t i = 0; i < G.size(); i += 3) sum[std::lround(body.reference[i])] += G[i];
  EXPECT_NEAR(sum[0], -5, rounding);
  EXPECT_NEAR(sum[1], 0, rounding);
  EXPECT_NEAR(sum[2], 5, rounding);
}

void expect_regions(const Body& body, const Numbers& region) {
  ASSERT_EQ(region.size(), static_cast<std::size_t>(body.mesh->elements()));
  int right = 0;
  for (int e = 0; e < body.mesh->elements(); ++e) {
    double centre = 0;
    for (int a = 0; a < 4; ++a) centre += body.reference[3 * body.mesh->element(e)[a]] / 4;
    right += centre > 1;
    EXPECT_EQ(body.mesh->regions[std::lround(region[e])], centre > 1 ? "right" : "all") << e;
  }
  EXPECT_EQ(right, 6);
}

const std::map<std::string, Example>& examples() {
  static const std::map<std::string, Example> all = {
      {"displacement", {sheared_box, expect_displacement}},
      {"velocity", {sheared_box, growing_with_x({3, 4, 0})}},
      {"speed", {sheared_box, growing_with_x({5})}},
      {"contact_force", {sunk, expect_contact_force}},
      {"contact_pressure", {resting, expect_contact_pressure}},
      {"configurational_force", {sheared_box, expect_configurational_force}},
      {"stress", {sheared_box, everywhere({100, 0, 0, 100, 0, 0})}},
      {"von_mises", {sheared_box, everywhere({200})}},  // sqrt(100^2 + 3 * 100^2)
      {"pressure", {sheared_box, everywhere({-100.0 / 3})}},
      {"energy_density", {sheared_box, everywhere({15})}},
      {"volume_ratio", {sheared_box, everywhere({1.1})}},
      {"updates", {sheared_box, everywhere({11}), true}},  // at t = 0 and after each of 10 steps of 1e-3 s
      {"region", {sheared_box, expect_regions}},
  };
  return all;
}

class FieldLaws : public ::testing::TestWithParam<std::string> {};

TEST_P(FieldLaws, ExamplesHaveTheirValues) {
  const auto found = examples().find(GetParam());
  ASSERT_NE(found, examples().end()) << "a new field needs an example, whose values are known without it";
  const Example& example = found->second;
  const Scene scene = parse_scene(example.scene);
  const Model model = make_model(scene);
  State state = initial_state(scene, model);
  const auto integrator = make_integrator(scene, model);
  if (example.after_run) {
    EXPECT_TRUE(integrator->advance(model, state, 0.01).converged);
  }
  BodyFields at(model, model.bodies()[0], state, integrator.get());
  example.expect(model.bodies()[0], field_record(GetParam()).values(at));
}

INSTANTIATE_TEST_SUITE_P(Records, FieldLaws, ::testing::ValuesIn(field_names()),
                         [](const auto& one) { return one.param; });

TEST(FieldExamples, AreThoseOfFields) {
  for (const auto& example : examples()) EXPECT_NO_THROW(field_record(example.first)) << example.first;
}

}  // namespace
}  // namespace livens
