// All mistakes of a scene in one pass, and what is a note instead.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <livens/livens.hpp>

#include "math/expression.hpp"

namespace livens {
namespace {

const std::string solid =
    "time = { end = 1 }\nintegrator = { kind = 'hamilton_pontryagin', step = 0.01 }\n"
    "[[material]]\nname = 'm'\nkind = 'neo_hookean'\nyoung = 1e5\npoisson = 0.3\ndensity = 1000\n"
    "[[body]]\nname = 'b'\nkind = 'solid'\nmaterial = 'm'\nmesh = { kind = 'box', size = [1, 1, 1], cells = [1, 1, 1] "
    "}\n";

std::vector<std::string> faults_of(const std::string& text) {
  std::vector<std::string> keys;
  try {
    make_setup(parse_scene(text));
  } catch (const SceneError& error) {
    for (const SceneFault& fault : error.faults()) keys.push_back(fault.key + ": " + fault.message);
  }
  return keys;
}

TEST(OnePass, AForceAndAProbeThatAreUnknownAreReportedTogether) {
  const auto faults = faults_of(solid +
                                "[[force]]\nkind = 'pressure'\nselection = 'b.x_max'\n"
                                "[[probe]]\nname = 'p'\nrecord = ['stress', 'volumee']\n");
  ASSERT_EQ(faults.size(), 3u);
  EXPECT_TRUE(faults[0].starts_with("force.pressure.kind: unknown kind 'pressure'.")) << faults[0];
  EXPECT_TRUE(faults[1].starts_with("probe.p.record: no quantity 'stress'.")) << faults[1];
  EXPECT_TRUE(faults[2].starts_with("probe.p.record: no quantity 'volumee'. Did you mean 'volume'?")) << faults[2];
}

TEST(OnePass, AMethodThatRefusesAndAProbeOfNothingAreReportedTogether) {
  const auto faults = faults_of(
      "time = { end = 1 }\nintegrator = { kind = 'static' }\n[system]\nkind = 'lagrangian'\ncoordinates = ['x']\n"
      "lagrangian = 'x_dot^2/2*(1 + x^2) - x^2'\ninitial = { x = 1, x_dot = 0 }\n"
      "[[probe]]\nname = 'p'\nrecord = ['volume']\n");
  EXPECT_EQ(faults.size(), 2u) << (faults.empty() ? "" : faults[0]);
}

TEST(OnePass, EveryComponentOfADisplacementIsRead) {
  const auto faults = faults_of(solid +
                                "[[constraint]]\nkind = 'prescribed'\nselection = 'b.x_min'\n"
                                "displacement = ['interp(t)', 0, 'table(t)']\n");
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_TRUE(
      faults[0].starts_with("constraint.prescribed.displacement: in 'interp(t)': unknown function 'interp'; there "
                            "are sin, cos, tan,"))
      << faults[0];
  EXPECT_NE(faults[1].find("'table'"), std::string::npos);
}

TEST(OnePass, AQuestionEndsItsSentence) {
  const auto faults = faults_of(solid +
                                "[[constraint]]\nkind = 'prescribed'\nselection = 'b.x_min'\n"
                                "displacement = ['sim(t)', 0, 0]\n");
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_TRUE(faults[0].ends_with("did you mean 'sin'?")) << faults[0];
}

TEST(OnePass, ParametersThatNothingUsesAreANote) {
  const livens::Setup setup = make_setup(parse_scene(solid + "[parameters]\np0 = 3\n"));
  EXPECT_EQ(setup.model->parts().notes, std::vector<std::string>{"scene:15:1: parameters.p0: nothing uses it"});
}

TEST(OnePass, ConstraintsOfASystemAreNotOfferedAPenalty) {
  const auto faults = faults_of(
      "time = { end = 1 }\nintegrator = { kind = 'symplectic_energy_momentum', step = 0.01 }\n[system]\nkind = "
      "'lagrangian'\n"
      "coordinates = ['x', 'y']\nkinetic = 'x_dot^2/2 + y_dot^2/2'\npotential = 'y'\nconstraints = ['x^2 + y^2 - 1']\n"
      "initial = { x = 1, x_dot = 0, y = 0, y_dot = 0 }\n");
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].find("penalty"), std::string::npos) << faults[0];
}

TEST(LoadScene, RefusesPipesAndDevicesAtOnce) {
  const auto refusal = [](const std::string& path) {
    try {
      load_scene(path);
    } catch (const SceneError& error) {
      return std::string(error.what());
    }
    return std::string("read");
  };
  EXPECT_NE(refusal("/dev/zero").find("is a pipe or a device, not a file"), std::string::npos);
  const std::string pipe = "livens_pipe_" + std::to_string(::getpid());
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_NE(refusal(pipe).find("is a pipe or a device, not a file"), std::string::npos);
  ::unlink(pipe.c_str());
}

TEST(Words, OfExpressionsAreAllUnderstood) {
  const std::vector<std::string> variables = {"x", "y", "a", "b"};
  for (const ExpressionWord& word : expression_words())
    EXPECT_NO_THROW(Expression::parse(word.form, variables, {})) << word.form;
}

TEST(MooneyRivlin, MayHaveOneNegativeConstant) {
  const auto scene = [](const std::string& constants) {
    std::string text = solid;
    text.replace(text.find("neo_hookean"), 11, "mooney_rivlin");
    text.replace(text.find("young = 1e5\npoisson = 0.3"), 25, constants);
    return text;
  };
  EXPECT_TRUE(faults_of(scene("c10 = 1e5\nc01 = -2e4\nbulk = 1e6")).empty());
  const auto faults = faults_of(scene("c10 = 1e4\nc01 = -2e4\nbulk = 1e6"));
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_NE(faults[0].find("shear modulus -20000 Pa"), std::string::npos) << faults[0];
  EXPECT_NE(faults[0].find("The shear modulus is 2 (c10 + c01)."), std::string::npos) << faults[0];
}

}  // namespace
}  // namespace livens
