// What `livens check` advises for scenes with contact: waves are as fast as the material says, whatever the mesh is.
#include "run/contact_advice.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "diagnostics/stiffness.hpp"

namespace livens {
namespace {

std::string block_on_a_floor(const std::string& mesh, const std::string& integrator, const std::string& more = "") {
  return R"(time = { end = 1 }
[[material]]
name = "rubber"
kind = "neo_hookean"
young = 1e5
poisson = 0.3
density = 1000
[[body]]
name = "block"
kind = "solid"
material = "rubber"
mesh = )" +
         mesh +
         R"(
initial = { velocity = [0, 0, -2] }
[[contact]]
name = "floor"
kind = "plane"
rule = "barrier"
point = [0, 0, -0.02]
normal = [0, 0, 1]
distance = 0.01
pressure = 1e4
)" + more +
         "[integrator]\n" + integrator;
}

const std::string cube = "{ kind = \"box\", size = [0.1, 0.2, 0.2], cells = [2, 4, 4] }";
const std::string implicit = "kind = \"energy_momentum\"\nstep = ";

struct Advised {
  explicit Advised(const std::string& text, double sweeps = 0) : setup(make_setup(parse_scene(text, "advice"))) {
    omega = *omega_max(*setup.model, setup.start);
    found = contact_advice(setup.plan, *setup.model, setup.start, omega, sweeps);
  }
  bool says(const std::string& words) const {
    for (const auto* list : {&found.facts, &found.advice})
      for (const std::string& text : *list)
        if (text.find(words) != std::string::npos) return true;
    return false;
  }
  livens::Setup setup;
  double omega = 0;
  ContactAdvice found;
};

// c^2 = E (1 - nu) / (rho (1 + nu) (1 - 2 nu))
const double wave = std::sqrt(1e5 * 0.7 / (1000 * 1.3 * 0.4));

TEST(ContactAdvice, WavesAreAsFastAsTheMaterialOnEveryMesh) {
  constexpr double rounding = 1e-12;
  for (const std::string& mesh : {cube, std::string("{ kind = \"box\", size = [0.1, 0.2, 0.2], cells = [4, 4, 1] }"),
                                  std::string("{ kind = \"box\", size = [0.1, 0.2, 0.2], cells = [1, 1, 1], element = "
                                              "\"tet10\" }")}) {
    const Advised on(block_on_a_floor(mesh, implicit + "0.001"));
    EXPECT_NEAR(crossing_time(*on.setup.model, on.setup.start) / (0.1 / wave), 1, rounding) << mesh;
  }
}

TEST(ContactAdvice, ImplicitStepsTakeAWaveThroughABodyInEight) {
  const double longest = 0.1 / wave / 8;
  const Advised fits(block_on_a_floor(cube, implicit + std::to_string(0.9 * longest)));
  EXPECT_TRUE(fits.says("'floor' acts below 0.01 m"));
  EXPECT_TRUE(fits.says("suit contact")) << fits.found.advice.front();
  const Advised coarse(block_on_a_floor(cube, implicit + std::to_string(1.1 * longest)));
  EXPECT_FALSE(coarse.says("suit contact"));
  EXPECT_TRUE(coarse.says("take a wave through a body in 8"));
  const Advised lossy(block_on_a_floor(cube, "kind = \"implicit_euler\"\nstep = 0.0005"));
  EXPECT_TRUE(lossy.says("integrator.kind=energy_momentum"));
}

// 2e-3 of the speed of a fall through the diagonal, or of the largest one at the start; what is given is taken.
TEST(ContactAdvice, TellsTheStickSpeed) {
  const std::string gravity = "[[force]]\nkind = \"gravity\"\nacceleration = [0, 0, -9.81]\n";
  EXPECT_FALSE(Advised(block_on_a_floor(cube, implicit + "0.001")).says("sticks"));
  EXPECT_TRUE(Advised(block_on_a_floor(cube, implicit + "0.001", "friction = 0.5\n")).says("less than 0.004 m/s"));
  // sqrt(2 9.81 0.3) = 2.43
  EXPECT_TRUE(
      Advised(block_on_a_floor(cube, implicit + "0.001", "friction = 0.5\n" + gravity)).says("less than 0.0049 m/s"));
  EXPECT_TRUE(Advised(block_on_a_floor(cube, implicit + "0.001", "friction = 0.5\nstick_speed = 0.03\n" + gravity))
                  .says("less than 0.03 m/s"));
}

// At steps that an explicit method could take as well, it is what costs less.
TEST(ContactAdvice, ShortImplicitStepsAreDearerThanExplicitOnes) {
  EXPECT_FALSE(Advised(block_on_a_floor(cube, implicit + "0.001")).says("stormer_verlet"));
  EXPECT_TRUE(Advised(block_on_a_floor(cube, implicit + "5e-6")).says("stormer_verlet"));
  const std::string refused =
      "\n[[body]]\nname = \"box\"\nkind = \"rigid\"\nmass = 1\nshape = { kind = \"box\", size = "
      "[0.1, 0.1, 0.1] }\ncenter = [0, 0, 1]\n[[contact]]\nname = \"both\"\nkind = "
      "\"bodies\"\npressure = 1e4\ndistance = 0.01\n";
  EXPECT_FALSE(Advised(block_on_a_floor(cube, implicit + "5e-6", refused)).says("stormer_verlet"))
      << "rigid bodies are held by constraints";
}

TEST(ContactAdvice, ExplicitStepsAreATenthOfTheLimitAndCompared) {
  const auto verlet = [](double h) { return "kind = \"stormer_verlet\"\nstep = " + std::to_string(h); };
  const double omega = Advised(block_on_a_floor(cube, implicit + "0.001")).omega;
  const Advised fits(block_on_a_floor(cube, verlet(0.19 / omega))), coarse(block_on_a_floor(cube, verlet(0.3 / omega)));
  EXPECT_TRUE(fits.says("the step suits contact"));
  EXPECT_TRUE(coarse.says("a tenth of the limit"));
  for (const Advised* one : {&fits, &coarse}) EXPECT_TRUE(one->says("energy_momentum at"));
  // Elements that are thin in one direction: many short steps for a wave that needs few long ones.
  const std::string thin = "{ kind = \"box\", size = [0.1, 0.2, 0.2], cells = [400, 1, 1] }";
  EXPECT_FALSE(fits.says("better here"));
  EXPECT_TRUE(Advised(block_on_a_floor(thin, verlet(1e-6))).says("better here"));
}

TEST(ContactAdvice, AsynchronousRunsAreAdvisedOfCourantAndTheirCost) {
  const std::string levels = "kind = \"asynchronous\"\nschedule = \"levels\"\n";
  const Advised fits(block_on_a_floor(cube, levels), 1e3), coarse(block_on_a_floor(cube, levels + "courant = 0.5\n"));
  EXPECT_TRUE(fits.says("a wave crosses the smallest body in about 0.0086 s")) << fits.found.facts.front();
  EXPECT_TRUE(fits.says("the clocks suit contact"));
  EXPECT_TRUE(fits.says("updated 1e+03 times"));
  EXPECT_TRUE(coarse.says("integrator.courant=0.1"));
  EXPECT_FALSE(coarse.says("updated")) << "nobody counted";
}

// Nothing that vibrates: impacts in their order are what bounds the step.
TEST(ContactAdvice, OfRigidBodiesIsByTheSpeedOfTheirApproach) {
  const std::string scene = R"(time = { end = 1 }
integrator = { kind = "energy_momentum", step = STEP }
[[body]]
name = "box"
kind = "rigid"
mass = 1
shape = { kind = "box", size = [0.1, 0.1, 0.1] }
center = [0, 0, 0.5]
initial = { velocity = [0, 0, -1] }
[[contact]]
name = "floor"
kind = "plane"
rule = "barrier"
point = [0, 0, 0]
normal = [0, 0, 1]
distance = 0.01
pressure = 1e4
)";
  const auto with = [&](const std::string& step) {
    std::string text = scene;
    const auto setup = make_setup(parse_scene(text.replace(text.find("STEP"), 4, step), "advice"));
    return contact_advice(setup.plan, *setup.model, setup.start, 0).advice.front();
  };
  EXPECT_NE(with("0.004").find("suit contact"), std::string::npos);
  EXPECT_NE(with("0.006").find("steps up to 0.005 s close gaps"), std::string::npos) << with("0.006");
}

TEST(ContactAdvice, IsNoneWithoutBarriers) {
  const auto setup = make_setup(parse_scene(R"(time = { end = 1 }
integrator = { kind = "stormer_verlet", step = 0.1 }
system = { kind = "lagrangian", coordinates = ["x"], kinetic = "x_dot^2/2", potential = "x^2/2", initial = { x = 1, x_dot = 0 } }
)",
                                            "advice"));
  const ContactAdvice none = contact_advice(setup.plan, *setup.model, setup.start, 1);
  EXPECT_TRUE(none.facts.empty() && none.advice.empty());
}

}  // namespace
}  // namespace livens
