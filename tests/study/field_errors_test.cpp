// Convergence of fields against a run on a finer mesh.
#include "study/field_errors.hpp"

#include <cmath>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "study/convergence.hpp"
#include "study/plots.hpp"
#include "study/study.hpp"
#include "study/tables.hpp"

namespace livens {
namespace {

// A bar of length 1 that hangs under its own weight: u = rho g/E (x - x^2/2) without Poisson's effect.
std::string bar(const std::string& element, const std::string& cells, const std::string& integrator) {
  return fmt::format(R"(
time = {{ end = 1 }}
integrator = {}
force = [{{ name = "weight", kind = "gravity", acceleration = [10, 0] }}]
constraint = [{{ name = "wall", kind = "fixed", selection = "bar.x_min" }}]
[[material]]
name = "m"
kind = "linear"
young = 1e6
poisson = 0
density = 1000
[[body]]
name = "bar"
kind = "solid"
material = "m"
mesh = {{ kind = "rectangle", size = [1, 0.5], cells = {}, element = "{}" }}
)",
                     integrator, cells, element);
}
const char* const equilibrium = R"({ kind = "static", load_steps = 1 })";

Study study_of(const std::string& text, const std::string& scene) {
  Study study;
  study.file = parse_scene("title = 'T'\nscene = 'x.toml'\n" + text, "study.toml");
  study.scene = parse_scene(scene, "x.toml");
  return study;
}

State stretched(const Model& model) {
  State state = make_state(model, 0, model.bodies()[0].reference, std::vector<double>(model.size(), 0.0));
  for (std::size_t i = 0; i < state.q.size(); i += 2) {
    const double X = model.bodies()[0].reference[i];
    state.q[i] += X * X;
    state.v[i] = 3 * X;
  }
  return state;
}

// u = x^2: quadratic elements have it, linear ones interpolate. With cells of length h, |u - Iu|^2 = 4 h^4/120 and
// |u' - (Iu)'|^2 = h^2/3, to |u|^2 = 1/5 and |u'|^2 = 4/3; v = 3 x is in both.
TEST(FieldErrors, AreThoseOfTheInterpolant) {
  for (const int n : {2, 4}) {
    const Model coarse = make_model(parse_scene(bar("tri3", fmt::format("[{}, 2]", n), equilibrium), "a.toml"));
    const Model fine = make_model(parse_scene(bar("tri6", "[8, 4]", equilibrium), "b.toml"));
    const FieldErrors errors = field_errors(coarse, stretched(coarse), fine, stretched(fine));
    const double h = 1.0 / n;
    EXPECT_NEAR(errors.displacement, std::sqrt(h * h * h * h / 30 * 5), 1e-12) << n;
    EXPECT_NEAR(errors.gradient, h / 2, 1e-12) << n;
    EXPECT_NEAR(errors.velocity, 0, 1e-12) << n;
    EXPECT_NEAR(field_errors(fine, stretched(fine), fine, stretched(fine)).gradient, 0, 1e-12);
  }
}

// Linear triangles converge by 2 and 1; one run on the finest mesh serves all cases.
TEST(FieldErrors, AStudyMeasuresRatesAgainstOneFineRun) {
  const StudyPlan plan =
      plan_study(study_of("sweep = [{ key = 'body.bar.mesh.cells', values = [[4, 2], [8, 4], [16, 8]] }]\n"
                          "reference = { set = { body.bar.mesh = { cells = [64, 32], element = 'tri6' } } }",
                          bar("tri3", "[4, 2]", equilibrium)));
  ASSERT_EQ(plan.reference_changes.size(), 2u);
  EXPECT_EQ(plan.reference_changes[0].first, "body.bar.mesh.cells");
  const Results results = measure_all(plan);
  ASSERT_EQ(results.groups.size(), 3u);
  ASSERT_TRUE(results.groups[0].fields && results.groups[0].fields->ok);
  EXPECT_EQ(results.groups[0].fields, results.groups[2].fields);
  const auto all = refinements(results);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_NEAR(field_rate(all[0], &FieldErrors::displacement), 2, 0.1);
  EXPECT_NEAR(field_rate(all[0], &FieldErrors::gradient), 1, 0.05);
  std::map<std::string, DataTable> tables;
  for (const DataTable& table : make_tables(results)) tables[table.name] = table;
  ASSERT_EQ(tables.count("field_error") + tables.count("field_rate"), 2u);
  EXPECT_EQ(tables.count("error"), 0u) << "coordinates of other meshes cannot be compared one by one";
  EXPECT_EQ(tables["field_error"].rows.size(), 3u);
  bool drawn = false;
  for (const PlotGroup& group : make_plots(results)) drawn = drawn || group.name == "field_error";
  EXPECT_TRUE(drawn);
}

// A motion: the reference says how much half its step changes, and a case that ends elsewhere is not compared.
TEST(FieldErrors, OfMotionsAreTakenAtTheSameTime) {
  Study study = study_of(
      "sweep = [{ key = 'integrator.step', values = [0.002, 0.0026] }]\n"
      "reference = { integrator = { kind = 'stormer_verlet', step = 0.001 }, set = { body.bar.mesh.cells = [6, 4] } }",
      bar("tri3", "[3, 2]", "{ kind = 'stormer_verlet', step = 0.002 }"));
  study.set("time.end", "0.02");
  const StudyPlan plan = plan_study(study);
  const Results results = measure_all(plan);
  const FieldReference& reference = *results.groups[0].fields;
  ASSERT_TRUE(reference.ok) << reference.failure;
  EXPECT_GT(reference.own.displacement, 0);
  EXPECT_LT(reference.own.displacement, 0.01);
  EXPECT_GT(results.cases[0].fields.displacement, reference.own.displacement);
  EXPECT_EQ(results.cases[0].field_note, "");
  EXPECT_TRUE(std::isnan(results.cases[1].fields.displacement));
  EXPECT_NE(results.cases[1].field_note.find("steps that divide the time"), std::string::npos);
  // Without the check there is one run less.
  study.set("reference.check", "false");
  EXPECT_FALSE(plan_study(study).reference_check);
}

TEST(FieldErrors, FaultsOfTheChangesStandInTheStudy) {
  const auto fault_of = [](const std::string& set) -> std::string {
    try {
      plan_study(
          study_of("sweep = [{ key = 'body.bar.mesh.cells', values = [[4, 2]] }]\nreference = { set = " + set + " }",
                   bar("tri3", "[4, 2]", equilibrium)));
      return "";
    } catch (const SceneError& error) {
      return error.what();
    }
  };
  EXPECT_NE(fault_of("{ body.rod.mesh.cells = [8, 4] }").find("study.toml:4"), std::string::npos)
      << fault_of("{ body.rod.mesh.cells = [8, 4] }");
  EXPECT_NE(fault_of("{ body.bar.mess.cells = [8, 4] }").find("reference.set.body.bar"), std::string::npos)
      << fault_of("{ body.bar.mess.cells = [8, 4] }");
  EXPECT_EQ(fault_of("{ body.bar.mesh.cells = [8, 4] }"), "");
}

}  // namespace
}  // namespace livens
