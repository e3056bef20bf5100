// The verdict over a run with its negative control.
#include "run/verdict.hpp"

#include "support/judged.hpp"

namespace livens {
namespace {

using namespace testing;

Judgement judged(const std::string& integrator, EnergyClaim claim, const std::string& end, int seed = 1) {
  Scene scene = parse_scene(lattice_text(integrator, end), "scene");
  scene.set("body.lattice.initial.seed", std::to_string(seed));
  Spoilers spoilers;
  spoilers.claims = [&](Claims& claims) {
    claims.energy = claim;
    claims.angular_momentum = Keeps::exact;
  };
  return judged_run(scene, spoilers).judgement;
}

TEST(Verdict, OfASymplecticMethodIsKept) {
  const Judgement judgement = judged("kind = 'stormer_verlet', step = 0.05", EnergyClaim::bounded, "100");
  EXPECT_EQ(judgement.verdict, "kept") << ::testing::PrintToString(judgement.findings);
}

TEST(Verdict, OfFalseClaimsIsBroken) {
  const Judgement judgement = judged("kind = 'explicit_euler', step = 0.02", EnergyClaim::bounded, "20");
  EXPECT_EQ(judgement.verdict, "broken");
  ASSERT_EQ(judgement.findings.size(), 3u);
  EXPECT_NE(judgement.findings[0].find("broken"), std::string::npos) << judgement.findings[0];  // energy
  EXPECT_NE(judgement.findings[1].find("kept"), std::string::npos) << judgement.findings[1];    // linear momentum
  EXPECT_NE(judgement.findings[2].find("broken"), std::string::npos) << judgement.findings[2];  // angular momentum
}

// Most of the loss lies in the first half, so that the late slope is small against the band of the whole run.
TEST(Verdict, OfALossThatSlowsDownIsBroken) {
  const Judgement judgement = judged("kind = 'rk4', step = 0.5", EnergyClaim::bounded, "1000");
  EXPECT_NE(judgement.findings[0].find("broken"), std::string::npos) << judgement.findings[0];
  const Judgement damped = judged("kind = 'implicit_euler', step = 0.05", EnergyClaim::bounded, "100");
  EXPECT_NE(damped.findings[0].find("broken"), std::string::npos) << damped.findings[0];
}

// Chaotic lattices exchange energy between their modes slowly; that must not look like a drift.
TEST(Verdict, OfSymplecticMethodsIsKeptForManyStarts) {
  int runs = 0;
  for (const char* method : {"stormer_verlet", "symplectic_euler_b", "implicit_midpoint"})
    for (int seed = 1; seed <= 12; ++seed, ++runs) {
      const Judgement judgement =
          judged("kind = '" + std::string(method) + "', step = 0.1", EnergyClaim::bounded, "150", seed);
      EXPECT_EQ(judgement.verdict, "kept") << method << " " << seed << ": " << judgement.findings[0];
    }
  EXPECT_EQ(runs, 36);
}

TEST(Verdict, OfAnExactEnergyThatIsNotIsBroken) {
  EXPECT_EQ(judged("kind = 'stormer_verlet', step = 0.05", EnergyClaim::exact, "10").verdict, "broken");
}

// A body at rest whose energy is what rounding leaves of it: its error is told in J, for no per cent of 1e-28 J means
// anything, and neither does one of a run that explodes.
TEST(Verdict, OfABodyAtRestTellsItsErrorInJoules) {
  const auto told = [](const std::string& step, const std::string& velocity) {
    const Scene scene = parse_scene(
        "time = { end = 1 }\nintegrator = { kind = 'stormer_verlet', step = " + step +
            " }\n[[body]]\nname = 'a'\nkind = 'particles'\nmass = 1\nlayout = { kind = 'points', points = [[0, 0, "
            "1.1], [0.3, "
            "0.7, 1.3]] }\ninitial = { velocities = [[0, 0, " +
            velocity + "], [0, 0, 0]] }\n[[force]]\nkind = 'spring'\nbody = 'a'\npairs = [[0, 1]]\nstiffness = 1000\n",
        "scene");
    return judged_run(scene).judgement;
  };
  for (const auto& [step, velocity] : {std::pair{"0.001", "1e-14"}, {"0.001", "0"}, {"0.2", "0.1"}}) {
    const Judgement judgement = told(step, velocity);
    EXPECT_NE(judgement.short_form.find(" J (rounding: "), std::string::npos) << judgement.short_form;
    EXPECT_EQ(judgement.short_form.find('%'), std::string::npos) << judgement.short_form;
    EXPECT_NE(judgement.findings.front().find("could move"), std::string::npos) << judgement.findings.front();
  }
  EXPECT_NE(told("0.001", "0.1").short_form.find('%'), std::string::npos) << told("0.001", "0.1").short_form;
}

}  // namespace
}  // namespace livens
