// What integrators say of how they solve a step, against what they do; and what they advise when they fail.
#include <cmath>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

namespace livens {
namespace {

using Kind = SolvePath::Kind;

Model oscillator() {
  return mechanical_model<2>({"x", "y"}, {1, 1.5}, [](auto, const auto& q) {
    return (q[0] * q[0] + q[1] * q[1]) / 2.0 + q[0] * q[0] * q[1] / 3.0;
  });
}

// One coordinate with a Rayleigh dissipation, 'x_dot^2' a linear force and 'x_dot^4' a cubic one.
Scene dissipative(const std::string& integrator, const std::string& dissipation, const std::string& more = "") {
  return parse_scene("time = { end = 1 }\nintegrator = { kind = " + integrator + ", step = 0.1 }\n" + more +
                     "[system]\nkind = 'lagrangian'\ncoordinates = ['x']\nkinetic = 'x_dot^2/2'\n"
                     "potential = '1 - cos(x)'\ndissipation = '" +
                     dissipation + "'\ninitial = { x = 0.7, x_dot = 0.4 }\n");
}

SolvePath path_of(const Scene& scene) {
  const Model model = make_model(scene);
  return make_integrator(scene, model)->solve_path();
}

// Explicit steps have no iterations, the others have some.
void expect_told_truly(const Scene& scene) {
  const Model model = make_model(scene);
  State state = initial_state(scene, model);
  const auto integrator = make_integrator(scene, model);
  ASSERT_TRUE(integrator->advance(model, state, 0.5).converged);
  EXPECT_EQ(integrator->solve_path().kind == Kind::explicit_step, integrator->counters().newton == 0)
      << scene.to_toml() << to_string(integrator->solve_path());
}

TEST(SolvePaths, AreToldTrulyByEveryMethod) {
  const Model model = oscillator();
  int explicit_methods = 0, others = 0;
  for (const auto& record : integrator_records())
    for (const auto& variant : record.law_variants) {
      const std::string text =
          "kind = '" + record.name + "'" + (variant.empty() ? "" : ", " + variant) + ", step = 0.1";
      State state = make_state(model, 0, {0.3, -0.2}, {0.2, 0.4});
      const auto integrator = make_integrator(text, model);
      ASSERT_TRUE(integrator->advance(model, state, 1).converged) << text;
      const bool is_explicit = integrator->solve_path().kind == Kind::explicit_step;
      EXPECT_EQ(is_explicit, integrator->counters().newton == 0) << text;
      ++(is_explicit ? explicit_methods : others);
    }
  EXPECT_GT(explicit_methods, 5);
  EXPECT_GT(others, 5);
}

TEST(SolvePaths, GiveTheirReason) {
  const Model model = oscillator();
  const auto text = [&](const std::string& integrator) {
    return to_string(make_integrator("kind = " + integrator + ", step = 0.1", model)->solve_path());
  };
  EXPECT_EQ(text("'stormer_verlet'"), "explicit: no equations are solved");
  EXPECT_EQ(text("'composition'"), "explicit: no equations are solved");
  EXPECT_EQ(text("'implicit_midpoint'"), "minimises the incremental potential (K06's Lilyan)");
  EXPECT_EQ(text("'composition', base = 'implicit_midpoint'"), "minimises the incremental potential (K06's Lilyan)");
  EXPECT_EQ(text("'newmark'"), "minimises its incremental potential");
  EXPECT_EQ(text("'galerkin'"),
            "finds a root: the inner points of a step make an action that is stationary, not least");
  SolverOptions root;
  root.kind = SolverOptions::Kind::root;
  const Settings settings = integrator_settings("kind = 'implicit_midpoint', step = 0.1");
  EXPECT_EQ(to_string(integrator_records().at("implicit_midpoint").make(settings, root, model)->solve_path()),
            "finds a root, as solver.kind asks");
}

// Constant drag keeps Verlet explicit; whatever the force is, one coordinate has an incremental potential.
TEST(SolvePaths, FollowTheForces) {
  for (const char* dissipation : {"0.6*x_dot^2/2", "0.1*x_dot^4"})
    for (const char* integrator : {"'stormer_verlet'", "'implicit_midpoint'", "'newmark', beta = 0", "'newmark'"})
      expect_told_truly(dissipative(integrator, dissipation));
  EXPECT_EQ(path_of(dissipative("'implicit_midpoint'", "0.6*x_dot^2/2")).kind, Kind::minimise);
  EXPECT_EQ(path_of(dissipative("'implicit_midpoint'", "0.1*x_dot^4")).kind, Kind::minimise);
  for (const char* integrator : {"'newmark'", "'implicit_euler'"}) {
    EXPECT_EQ(path_of(dissipative(integrator, "0.6*x_dot^2/2")).kind, Kind::minimise);
    const SolvePath cubic = path_of(dissipative(integrator, "0.1*x_dot^4"));
    EXPECT_EQ(cubic.kind, Kind::root);
    EXPECT_NE(cubic.reason.find("minimises with no forces but constant drag"), std::string::npos) << cubic.reason;
  }
}

// A soft bar that is pressed and twisted hard: at steps many times its periods the search for a root is lost.
// The minimisation finds the step, with drag as without it, and where both find it it is the same one.
Scene tumbling_bar(const std::string& integrator, double step, const std::string& solver, double drag) {
  return parse_scene(
      "time = { end = 1 }\nintegrator = { " + integrator + ", step = " + std::to_string(step) +
      " }\nsolver = { kind = '" + solver +
      "' }\n[[material]]\nname = 'm'\nkind = 'neo_hookean'\nyoung = 1e5\npoisson = 0.45\ndensity = 1000\n"
      "[[body]]\nname = 'b'\nkind = 'solid'\nmaterial = 'm'\n"
      "mesh = { kind = 'box', size = [0.6, 0.1, 0.1], cells = [6, 1, 1] }\n"
      "initial.velocity = ['-20*X', '-60*X*Z', '60*X*Y']\n"
      "[[constraint]]\nkind = 'fixed'\nselection = 'b.x_min'\n" +
      (drag > 0 ? "[[force]]\nkind = 'drag'\ndrag_coefficient = " + std::to_string(drag) + "\n" : ""));
}

TEST(SolvePaths, MinimisationsGoWhereRootsAreLost) {
  for (const char* integrator : {"kind = 'implicit_euler'", "kind = 'newmark', beta = 0.3025, gamma = 0.6"})
    for (const double drag : {0.0, 0.05}) {
      const auto end = [&](const char* solver, double step, int steps) {
        const Scene scene = tumbling_bar(integrator, step, solver, drag);
        const Model model = make_model(scene);
        State state = initial_state(scene, model);
        const StepReport report = make_integrator(scene, model)->advance(model, state, steps * step);
        return report.converged ? state.q : std::vector<double>{};
      };
      EXPECT_EQ(end("root", 0.1, 10), std::vector<double>{}) << integrator << ", drag " << drag;
      EXPECT_NE(end("minimise", 0.1, 10), std::vector<double>{}) << integrator << ", drag " << drag;
      const auto root = end("root", 1e-3, 5), least = end("minimise", 1e-3, 5);
      ASSERT_EQ(root.size(), least.size());
      double off = 0;
      for (std::size_t i = 0; i < root.size(); ++i) off = std::max(off, std::abs(root[i] - least[i]));
      EXPECT_FALSE(root.empty());
      EXPECT_LT(off, 1e-12) << integrator << ", drag " << drag;
    }
}

TEST(SolvePaths, MinimiseIsRefusedWhereThereIsNothingToMinimise) {
  const std::string minimise = "solver = { kind = 'minimise' }\n";
  EXPECT_EQ(path_of(dissipative("'implicit_midpoint'", "0.6*x_dot^2/2", minimise)).kind, Kind::minimise);
  try {
    path_of(dissipative("'newmark'", "0.1*x_dot^4", minimise));
    FAIL() << "accepted";
  } catch (const SceneError& error) {
    EXPECT_NE(std::string(error.what()).find("there is nothing to minimise: force '"), std::string::npos)
        << error.what();
  }
}

TEST(Advice, IsASettingWithItsReason) {
  const Model model = mechanical_model<1>({"x"}, {1}, [](auto, const auto& q) {
    using std::sqrt;
    return 1.0 / sqrt(1.0 - q[0]);  // nothing beyond x = 1
  });
  State state = make_state(model, 0, {0.5}, {10});
  const StepReport report = make_integrator("kind = 'stormer_verlet', step = 0.5", model)->advance(model, state, 5);
  ASSERT_FALSE(report.converged);
  ASSERT_EQ(report.advice.size(), 2u);
  EXPECT_EQ(report.advice[0].key, "integrator.step");
  EXPECT_EQ(report.advice[0].value, "0.125");
  EXPECT_EQ(report.advice[0].step_length, 0.125);
  EXPECT_EQ(report.advice[1].key, "integrator.kind");
  EXPECT_EQ(report.advice[1].value, "implicit_midpoint");
  EXPECT_FALSE(report.advice[1].reason.empty());
}

}  // namespace
}  // namespace livens
