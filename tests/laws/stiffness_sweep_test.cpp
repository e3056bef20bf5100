// Implicit steps from gel to steel, from micrometres to kilometres, far from the origin, with every kind of solve: by
// default rounding never fails a step, and the verdict is kept.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/judged.hpp"

namespace livens {
namespace {

using namespace testing;

// A cantilever under a load that is switched on within ten steps. Its step is a few periods of the shortest waves.
std::string cantilever(const std::string& integrator, double young, double size, double offset,
                       const std::string& solver, const std::string& element = "tet4") {
  const double density = 1000, step = 2 * size / 10 / std::sqrt(young / density);
  return fmt::format(
      "time = {{ end = {0:.17g} }}\nintegrator = {{ {1}, step = {2:.17g} }}\nsolver = {{ {3} }}\n"
      "[[material]]\nname = 'm'\nkind = 'st_venant_kirchhoff'\nyoung = {4:.17g}\npoisson = 0.3\ndensity = {5}\n"
      "[[body]]\nname = 'bar'\nkind = 'solid'\nmaterial = 'm'\n"
      "mesh = {{ kind = 'box', size = [{6:.17g}, {7:.17g}, {7:.17g}], cells = [20, 2, 2], corner = [{8:.17g}, 0, 0], "
      "element = '{10}' }}\n"
      "[[constraint]]\nkind = 'fixed'\nselection = 'bar.x_min'\n"
      "[[force]]\nkind = 'traction'\nselection = 'bar.x_max'\ntraction = [0, 0, '-{9:.17g}*min(1, t/{2:.17g}/10)']\n",
      50 * step, integrator, step, solver, young, density, size, size / 10, offset, 5e-7 * young, element);
}

struct Case {
  const char* name;
  std::string integrator, solver;
};

void PrintTo(const Case& of, std::ostream* out) { *out << of.name; }

class Stiffness : public ::testing::TestWithParam<Case> {};

TEST_P(Stiffness, RoundingNeverFailsAStep) {
  for (const double young : {1e2, 1e7, 2.1e11, 1e12})
    for (const double size : {1e-6, 0.1, 1e3})
      for (const double offset : {0.0, 1e3}) {
        const std::string what =
            fmt::format("E {:.1g} Pa, {:.1g} m, {:.1g} m from the origin", young, size, offset * size);
        const JudgedRun run = judged_run(
            parse_scene(cantilever(GetParam().integrator, young, size, offset * size, GetParam().solver), "scene"));
        EXPECT_EQ(run.failure, "") << what;
        EXPECT_FALSE(run.broken()) << what << ::testing::PrintToString(run.judgement.broken);
      }
}

INSTANTIATE_TEST_SUITE_P(
    Implicit, Stiffness,
    ::testing::Values(Case{"HamiltonPontryagin", "kind = 'hamilton_pontryagin', alpha = 0.5", ""},
                      Case{"ByCg", "kind = 'hamilton_pontryagin', alpha = 0.5", "linear = 'cg'"},
                      Case{"Direct", "kind = 'hamilton_pontryagin', alpha = 0.5", "linear = 'direct'"},
                      Case{"DirectToATolerance", "kind = 'hamilton_pontryagin', alpha = 0.5",
                           "linear = 'direct', tolerance = 1e-8"},
                      Case{"ToATolerance", "kind = 'hamilton_pontryagin', alpha = 0.5", "tolerance = 1e-10"},
                      Case{"Root", "kind = 'hamilton_pontryagin', alpha = 0.5", "kind = 'root'"},
                      Case{"Midpoint", "kind = 'implicit_midpoint'", ""}, Case{"Newmark", "kind = 'newmark'", ""},
                      Case{"EnergyMomentum", "kind = 'energy_momentum'", ""},
                      Case{"ImplicitEuler", "kind = 'implicit_euler'", ""}),
    [](const auto& made) { return std::string(made.param.name); });

TEST(Stiffness, OfQuadraticElements) {
  for (const char* integrator : {"kind = 'hamilton_pontryagin', alpha = 0.5", "kind = 'energy_momentum'"})
    for (const double young : {1e2, 2.1e11}) {
      const JudgedRun run = judged_run(parse_scene(cantilever(integrator, young, 0.1, 0, "", "tet10"), "scene"));
      EXPECT_EQ(run.failure, "") << integrator;
      EXPECT_FALSE(run.broken()) << integrator << ::testing::PrintToString(run.judgement.broken);
    }
}

}  // namespace
}  // namespace livens
