// Runs that fail because an expression has no finite value name it, its place and its values.
#include <gtest/gtest.h>

#include "support/scratch.hpp"

namespace livens {
namespace {

using namespace testing;

std::string failure_of(const std::string& text) {
  const RunResult result = run_text(text, scratch() / "run");
  EXPECT_EQ(result.exit_code, 3);
  std::string all;
  for (const std::string& line : result.lines) all += line + "\n";
  return all;
}

std::string oscillator(const std::string& integrator, const std::string& potential, double velocity) {
  return "time = { end = 3 }\nintegrator = { " + integrator +
         " }\n[system]\nkind = 'lagrangian'\ncoordinates = ['x']\n" + "kinetic = 'x_dot^2/2'\npotential = '" +
         potential + "'\ninitial = { x = 1, x_dot = " + std::to_string(velocity) + " }\n";
}

TEST(UndefinedExpression, OfTimeAloneStopsEveryMethod) {
  for (const std::string kind : {"stormer_verlet", "implicit_midpoint", "rk4", "hamilton_pontryagin", "newmark"}) {
    const std::string text = failure_of(oscillator("kind = '" + kind + "', step = 0.01", "x^2/2*sqrt(1-t)", 0));
    EXPECT_NE(text.find("'x^2/2*sqrt(1-t)' is not finite at x = "), std::string::npos) << kind << ": " << text;
    EXPECT_NE(text.find(": sqrt(-"), std::string::npos) << text;
    EXPECT_NE(text.find(":7:13: system.potential)"), std::string::npos) << text;
    EXPECT_EQ(text.find("  try "), std::string::npos) << "no advice about steps: " << text;
  }
}

// The run moves into x < 0, where there is no potential.
TEST(UndefinedExpression, OfPositionsStopsTheRun) {
  for (const std::string kind : {"implicit_midpoint", "stormer_verlet", "symplectic_euler_a", "rk4"}) {
    const std::string text = failure_of(oscillator("kind = '" + kind + "', step = 0.05", "-sqrt(x)", -3));
    EXPECT_NE(text.find("'-sqrt(x)' is not finite at x = "), std::string::npos) << kind << ": " << text;
    EXPECT_EQ(text.find("inverted"), std::string::npos) << text;
  }
}

TEST(UndefinedExpression, OfALoadIsNotBlamedOnElements) {
  const std::string text = failure_of(
      "time = { end = 0.3 }\nintegrator = { kind = 'hamilton_pontryagin', step = 0.01 }\n"
      "[[material]]\nname = 'm'\nkind = 'neo_hookean'\nyoung = 1e5\npoisson = 0.3\ndensity = 1000\n"
      "[[body]]\nname = 'b'\nkind = 'solid'\nmaterial = 'm'\nmesh = { kind = 'box', size = [1, 0.3, 0.3], cells = [2, "
      "1, "
      "1] }\n[[constraint]]\nkind = 'fixed'\nselection = 'b.x_min'\n"
      "[[force]]\nkind = 'traction'\nname = 'l'\nselection = 'b.x_max'\ntraction = ['sqrt(0.1-t)*1000', 0, 0]\n");
  EXPECT_NE(text.find("'sqrt(0.1-t)*1000' is not finite at t = 0.1"), std::string::npos) << text;
  EXPECT_NE(text.find("force.l.traction)"), std::string::npos) << text;
  EXPECT_EQ(text.find("inverts"), std::string::npos) << text;
}

// The negative control: a barrier that solves only look beyond is no failure.
TEST(UndefinedExpression, ABarrierThatHoldsIsNone) {
  const RunResult result =
      run_text(oscillator("kind = 'implicit_midpoint', step = 0.05", "-log(x) + x^2/2", -0.5), scratch() / "run");
  EXPECT_EQ(result.exit_code, 0);
}

}  // namespace
}  // namespace livens
