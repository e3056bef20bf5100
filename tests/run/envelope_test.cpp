// A cube of jelly that hits the floor in long steps: what the midpoint rule makes of it, and the method named instead.
#include "run/envelope.hpp"

#include <gtest/gtest.h>

#include "diagnostics/stiffness.hpp"
#include "support/judged.hpp"

namespace livens {
namespace {

using namespace testing;

Scene falling_cube(const std::string& method, const std::string& step) {
  return parse_scene("time = { end = 1 }\nintegrator = { kind = '" + method + "', step = " + step + " }\n" + R"(
force = [{ kind = 'gravity', acceleration = [0, 0, -9.81] }]
contact = [{ kind = 'plane', name = 'floor', point = [0, 0, 0], normal = [0, 0, 1], relative_stiffness = 3 }]
material = [{ name = 'jelly', kind = 'stable_neo_hookean', young = 2e4, poisson = 0.45, density = 1000 }]
[[body]]
name = 'cube'
kind = 'solid'
material = 'jelly'
mesh = { kind = 'box', size = [0.1, 0.1, 0.1], cells = [3, 3, 3], corner = [0, 0, 0.05] }
initial.velocity = [0.5, 0, -1]
)");
}

bool is_beyond(const Scene& scene) {
  const livens::Setup setup = make_setup(scene);
  const auto omega = omega_max(*setup.model, setup.start);
  return beyond_envelope(setup.plan, *setup.model, *setup.plan.step(0), *omega);
}

TEST(Envelope, TheMidpointRuleGainsEnergyWhereTheOtherMethodDoesNot) {
  EXPECT_TRUE(judged_run(falling_cube("hamilton_pontryagin", "0.01")).broken());
  const std::string method = exact_energy_method(make_model(falling_cube("hamilton_pontryagin", "0.01")));
  ASSERT_FALSE(method.empty());
  const JudgedRun exact = judged_run(falling_cube(method, "0.01"));
  EXPECT_EQ(exact.failure, "");
  EXPECT_EQ(exact.judgement.verdict, "kept");
}

TEST(Envelope, DependsOnStepContactDampingAndMethod) {
  EXPECT_TRUE(is_beyond(falling_cube("hamilton_pontryagin", "0.01")));
  EXPECT_TRUE(is_beyond(falling_cube("implicit_midpoint", "0.01")));
  EXPECT_FALSE(is_beyond(falling_cube("hamilton_pontryagin", "0.002")));
  EXPECT_FALSE(is_beyond(falling_cube("stormer_verlet", "0.01")));  // which has a limit, and says so
  EXPECT_FALSE(is_beyond(falling_cube("energy_momentum", "0.01")));
  EXPECT_FALSE(is_beyond(falling_cube("implicit_euler", "0.01")));
  Scene scene = falling_cube("hamilton_pontryagin", "0.01");
  scene.set("contact", "[]");
  EXPECT_FALSE(is_beyond(scene));
  scene = falling_cube("hamilton_pontryagin", "0.01");
  scene.set("force", "[{ kind = 'strain_damping', damping_time = 0.002 }]");
  EXPECT_FALSE(is_beyond(scene));
  scene.set("force", "[{ kind = 'strain_damping', damping_time = 0.0002 }]");
  EXPECT_TRUE(is_beyond(scene));
}

TEST(Envelope, NoMethodIsNamedForWhatItRefuses) {
  const Model general = lagrangian_model<1>(
      {"x"}, [](auto, const auto& q, const auto& v) { return (1.0 + q[0] * q[0]) * v[0] * v[0] / 2.0; });
  EXPECT_EQ(exact_energy_method(general), "");
}

}  // namespace
}  // namespace livens
