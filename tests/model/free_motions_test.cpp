// Rigid motions that nothing resists, and statics that they leave without an equilibrium.
#include "model/free_motions.hpp"

#include <gtest/gtest.h>

#include <livens/livens.hpp>

namespace livens {
namespace {

const std::string head = "time = { end = 1 }\nintegrator = { kind = 'static', load_steps = 2 }\n";
const std::string gravity = "[[force]]\nkind = 'gravity'\nacceleration = [0, 0, -9.81]\n";

std::string material(const std::string& kind) {
  return "[[material]]\nname = 'm'\nkind = '" + kind + "'\nyoung = 1e5\npoisson = 0.3\ndensity = 1000\n";
}
std::string box(const std::string& name, const std::string& corner = "[0, 0, 0]") {
  return "[[body]]\nname = '" + name +
         "'\nkind = 'solid'\nmaterial = 'm'\nmesh = { kind = 'box', size = [1, 0.3, 0.3], cells = [2, 1, 1], corner "
         "= " +
         corner + " }\n";
}

std::string refusal(const std::string& text) try {
  check_scene(parse_scene(text));
  return "";
} catch (const SceneError& error) {
  return error.what();
}

TEST(FreeMotions, ABodyThatNothingHoldsHasNoEquilibriumUnderGravity) {
  const std::string text = refusal(head + material("neo_hookean") + box("b") + gravity);
  EXPECT_NE(text.find("there is no equilibrium: nothing holds body 'b' against translation along x, y, z and rotation "
                      "about x, y, z, and the loads push there with 882.9 N"),
            std::string::npos)
      << text;  // 90 kg * 9.81 m/s^2
}

TEST(FreeMotions, LoadsThatBalanceAreAllowed) {
  const std::string pull =
      "[[force]]\nkind = 'traction'\nname = 'r'\nselection = 'b.x_max'\ntraction = [100, 0, 0]\n"
      "[[force]]\nkind = 'traction'\nname = 'l'\nselection = 'b.x_min'\ntraction = [-100, 0, 0]\n";
  EXPECT_EQ(refusal(head + material("neo_hookean") + box("b") + pull), "");
}

TEST(FreeMotions, APlaneBodyMayStillSlide) {
  const std::string plane =
      "[[body]]\nname = 'p'\nkind = 'solid'\nmaterial = 'm'\nmesh = { kind = 'rectangle', size = [1, 1], cells = [2, "
      "2] "
      "}\n[[constraint]]\nkind = 'prescribed'\nselection = 'p.y_min'\ndisplacement = ['free', 0]\n";
  const std::string side = "[[force]]\nkind = 'traction'\nselection = 'p.x_max'\ntraction = [100, 0]\n";
  const std::string down = "[[force]]\nkind = 'traction'\nselection = 'p.y_max'\ntraction = [0, -100]\n";
  const std::string text = refusal(head + material("neo_hookean") + plane + side);
  EXPECT_NE(text.find("nothing holds body 'p' against translation along x, and the loads push there with 100 N"),
            std::string::npos)
      << text;
  EXPECT_EQ(refusal(head + material("neo_hookean") + plane + down), "");
}

TEST(FreeMotions, LoadsThatGrowWithTimeCountToo) {
  const std::string pull = "[[force]]\nkind = 'traction'\nselection = 'b.x_max'\ntraction = ['100*t', 0, 0]\n";
  EXPECT_NE(refusal(head + material("neo_hookean") + box("b") + pull).find("push there with 9 N"), std::string::npos);
}

TEST(FreeMotions, OfSeveralBodiesTheFreeOneIsNamed) {
  const std::string held = "[[constraint]]\nkind = 'fixed'\nselection = 'a.x_min'\n";
  const std::string text = refusal(head + material("neo_hookean") + box("a") + box("b", "[2, 0, 0]") + held + gravity);
  EXPECT_EQ(text.find("'a'"), std::string::npos) << text;
  EXPECT_NE(text.find("nothing holds body 'b' against"), std::string::npos) << text;
}

// Pinned at one corner it may turn. Rubber then hangs, which is an equilibrium; linear elasticity turns for ever.
TEST(FreeMotions, RotationsOfLinearElasticityHaveNoEnd) {
  const std::string corner =
      "[[selection]]\nname = 'pin'\nkind = 'box'\nbody = 'b'\nmin = [-0.01, -0.01, -0.01]\nmax = [0.01, 0.01, 0.01]\n"
      "[[constraint]]\nkind = 'fixed'\nselection = 'pin'\n";
  EXPECT_EQ(refusal(head + material("neo_hookean") + box("b") + corner + gravity), "");
  const std::string text = refusal(head + material("linear") + box("b") + corner + gravity);
  EXPECT_NE(text.find("nothing holds body 'b' against rotation about x, y, z"), std::string::npos) << text;
}

TEST(InvertedStart, IsRefusedForEveryMaterialWithPlaceAndRatio) {
  for (const std::string kind : {"neo_hookean", "stable_neo_hookean", "linear"}) {
    const std::string scene = "time = { end = 0.1 }\nintegrator = { kind = 'stormer_verlet', step = 0.001 }\n" +
                              material(kind) + box("b") + "initial.position = ['-X', 'Y', 'Z']\n";
    const std::string text = refusal(scene);
    EXPECT_NE(
        text.find("body.b.initial.position: 12 of 12 elements begin flat or inside out, the worst is tetrahedron"),
        std::string::npos)
        << text;
    EXPECT_NE(text.find("with the volume ratio -1"), std::string::npos) << text;
    EXPECT_EQ(text.find("has no energy there") != std::string::npos, kind == "neo_hookean") << text;
    EXPECT_NE(refusal(scene.substr(0, scene.find("initial")) + "initial.position = ['X', 'Y', '0*Z']\n")
                  .find("with the volume ratio 0"),
              std::string::npos);
    EXPECT_EQ(refusal(scene.substr(0, scene.find("initial")) + "initial.position = ['-X', '-Y', 'Z']\n"), "")
        << "half a turn";
  }
}

// A cube pressed together by a third: a constant displacement grows in load steps, as one written with t does.
TEST(Statics, ConstantDisplacementsGrowWithTheLoadFactor) {
  const auto pressed = [](const std::string& u) {
    const Scene scene = parse_scene(
        "time = { end = 1 }\nintegrator = { kind = 'static', load_steps = 5 }\n" + material("neo_hookean") +
        "[[body]]\nname = 'b'\nkind = 'solid'\nmaterial = 'm'\nmesh = { kind = 'box', size = [1, 1, 1], cells = [4, 4, "
        "4] "
        "}\n[[constraint]]\nname = 'floor'\nkind = 'fixed'\nselection = 'b.z_min'\n"
        "[[constraint]]\nname = 'press'\nkind = 'prescribed'\nselection = 'b.z_max'\ndisplacement = [0, 0, " +
        u + "]\n");
    livens::Setup setup = make_setup(scene);
    State state = setup.start;
    EXPECT_EQ(state.q, setup.model->bodies()[0].reference) << "nothing has moved at the start";
    EXPECT_TRUE(setup.integrator->advance(*setup.model, state, 1).converged);
    return setup.model->potential(1, state.q);
  };
  const double constant = pressed("-0.3"), written = pressed("'-0.3*t'");
  EXPECT_GT(constant, 1000);  // J
  EXPECT_NEAR(constant, written, 1e-9 * written);
}

}  // namespace
}  // namespace livens
