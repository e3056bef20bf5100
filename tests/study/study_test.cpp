// Studies: how sweeps become cases, what cases are compared with, and that one case cannot spoil the others.
#include "study/study.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "study/convergence.hpp"
#include "study/plots.hpp"
#include "study/tables.hpp"

namespace livens {
namespace {

const std::string oscillator = R"(
parameters = { k = 1.0 }
time       = { end = 2 }
[system]
kind        = "lagrangian"
coordinates = ["x"]
kinetic     = "x_dot^2/2"
potential   = "k*x^2/2"
initial     = { x = 0, x_dot = 1 }
[integrator]
kind = "stormer_verlet"
step = 0.1
)";

Study study_of(const std::string& text, const std::string& scene = oscillator) {
  Study study;
  study.file = parse_scene("title = 'T'\nscene = 'x.toml'\n" + text, "study.toml");
  study.scene = parse_scene(scene, "x.toml");
  return study;
}

std::string faults_of(const Study& study) try {
  plan_study(study);
  return "";
} catch (const SceneError& error) {
  return error.what();
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Sweep, MakesEveryCombinationTheLastFastest) {
  const StudyPlan plan = plan_study(
      study_of("sweep = [{ key = 'integrator', values = [{ kind = 'rk4' }, { kind = 'newmark', beta = 0 }] },"
               "         { key = 'integrator.step', values = ['2^-2', 0.125] }]"));
  ASSERT_EQ(plan.cases.size(), 4u);
  EXPECT_EQ(plan.cases[0].method, "rk4");
  EXPECT_EQ(plan.cases[1].step, "0.125");
  EXPECT_EQ(plan.cases[2].method, "newmark, beta 0");
  EXPECT_DOUBLE_EQ(plan.cases[2].h, 0.25);
  EXPECT_EQ(plan.groups.size(), 1u);
}

TEST(Sweep, CasesWithOtherParametersFormGroups) {
  const StudyPlan plan = plan_study(study_of(
      "sweep = [{ key = 'parameters.k', values = [1, 4] }, { key = 'integrator.step', values = [0.1, 0.2] }]"));
  ASSERT_EQ(plan.groups.size(), 2u);
  EXPECT_EQ(plan.groups[1], "parameters.k = 4");
  EXPECT_EQ(plan.cases[3].group, 1u);
}

TEST(Sweep, DropsKeysThatAKindDoesNotHaveWithANote) {
  const StudyPlan plan =
      plan_study(study_of("sweep = [{ key = 'integrator', values = [{ kind = 'newmark' }, { kind = 'rk4' }] },"
                          "         { key = 'integrator.beta', values = [0, 0.25] }]"));
  EXPECT_EQ(plan.cases.size(), 3u) << "the two cases of rk4 are the same";
  ASSERT_EQ(plan.notes.size(), 1u);
  EXPECT_TRUE(contains(plan.notes[0], "integrator.beta dropped: integrator 'rk4'")) << plan.notes[0];
}

TEST(Sweep, FaultsStandWhereTheValuesDo) {
  const std::string text = faults_of(study_of("sweep = [{ key = 'integrator.kind', values = ['rk4', 'rk5'] }]"));
  EXPECT_TRUE(contains(text, "study.toml:3:")) << text;
  EXPECT_TRUE(contains(text, "rk5")) << text;
  EXPECT_TRUE(contains(faults_of(study_of("sweep = [{ key = 'integrator.step', values = [] }]")), "is empty"));
  EXPECT_TRUE(contains(faults_of(study_of("sweep = [{ key = 'force.spring.stiffness', values = [1] }]")), "force"));
}

TEST(Plan, UnknownTablesAndPlotsAreRefused) {
  const std::string text = faults_of(study_of(
      "sweep = [{ key = 'integrator.step', values = [0.1] }]\nreport = { tables = ['eror'], plots = ['energie'] }"));
  EXPECT_TRUE(contains(text, "Did you mean 'error'?")) << text;
  EXPECT_TRUE(contains(text, "Did you mean 'energy'?")) << text;
}

TEST(Plan, FaultsOfTheReferenceAreFound) {
  const std::string sweep = "sweep = [{ key = 'integrator.step', values = [0.1] }]\n";
  EXPECT_TRUE(
      contains(faults_of(study_of(sweep + "reference = { integrator = { kind = 'galerkin', degre = 3, step = 0.1 } }")),
               "reference.integrator.degre"));
  EXPECT_TRUE(contains(faults_of(study_of(sweep + "reference = { exact = { x = 'sin(u)' } }")), "reference.exact.x"));
}

TEST(Study, ChangesReachTheSceneTheStudyAndItsSweeps) {
  Study study = study_of("sweep = [{ key = 'integrator.step', values = [0.1] }]");
  study.set("time.end", "3");
  study.set("title", "another");
  study.set("sweep.integrator.step.values", "[0.5, 0.25, 0.125]");
  const StudyPlan plan = plan_study(study);
  EXPECT_EQ(plan.title, "another");
  EXPECT_EQ(plan.cases.size(), 3u);
  EXPECT_DOUBLE_EQ(end_time(plan.cases[0].scene), 3);
  EXPECT_THROW(study.set("sweep.integrator.alpha.values", "[1]"), SceneError);
}

// x = sin(w t): Verlet is of second order, and the derivative of the given x serves as the velocity.
TEST(Reference, ExactSolution) {
  const StudyPlan plan =
      plan_study(study_of("sweep = [{ key = 'integrator.step', values = [0.1, 0.05, 0.025, 0.0125] }]\n"
                          "reference = { exact = { x = 'sin(sqrt(k)*t)/sqrt(k)' } }"));
  const Results results = measure_all(plan);
  ASSERT_TRUE(results.groups[0].reference->ok) << results.groups[0].reference->failure;
  const auto all = families(results);
  EXPECT_NEAR(fit_order(results, all[0], &Errors::q).order, 2, 0.02);
  EXPECT_NEAR(fit_order(results, all[0], &Errors::v).order, 2, 0.02);
}

// Steps of cases that do not fit those of the reference are met by a shorter step of the reference.
TEST(Reference, TightRunAgreesWithTheExactOneBetweenItsSteps) {
  const std::string sweep = "sweep = [{ key = 'integrator.step', values = [0.07, 0.03] }]\n";
  const StudyPlan exact_plan = plan_study(study_of(sweep + "reference = { exact = { x = 'sin(t)' } }"));
  const StudyPlan tight_plan = plan_study(study_of(
      sweep + "reference = { integrator = { kind = 'galerkin', degree = 4, quadrature = 'gauss', step = 0.1 } }"));
  const Results exact = measure_all(exact_plan), tight = measure_all(tight_plan);
  ASSERT_TRUE(tight.groups[0].reference->ok) << tight.groups[0].reference->failure;
  // Order 8 at h = 0.05: 1e-12; the difference of the two runs says so.
  EXPECT_LT(tight.groups[0].reference->own_error_q, 1e-10);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(tight.cases[k].errors.q, exact.cases[k].errors.q, 1e-10);
  EXPECT_GT(exact.cases[0].errors.q, 1e-5);
}

// Pair potentials of many particles have no second derivatives: the modified energy is unknown, and the study goes on.
TEST(Study, RunsManyParticles) {
  Study study = study_of("sweep = [{ key = 'integrator.step', values = [0.001, 0.002] }]");
  study.scene = parse_scene(
      "time = { end = 0.004 }\nintegrator = { kind = 'stormer_verlet', step = 0.001 }\n"
      "force = [{ kind = 'lennard_jones', name = 'pairs', epsilon = 1, sigma = 1, cutoff = 1.5 }]\n"
      "[[body]]\nname = 'gas'\nkind = 'particles'\nmass = 1\ninitial = { random_velocity = 1, seed = 1 }\n"
      "layout = { kind = 'face_centred_cubic', count = [5, 5, 5], lattice_constant = 1.6, periodic = true }\n",
      "gas.toml");
  const StudyPlan plan = plan_study(study);
  const Results results = measure_all(plan);
  ASSERT_EQ(results.cases.size(), 2u);
  for (const CaseResult& r : results.cases) EXPECT_TRUE(r.measured.ok) << r.measured.failure;
  EXPECT_FALSE(any_modified_energy(results));
}

TEST(Study, AFailedCaseIsARowWithItsReason) {
  const StudyPlan plan = plan_study(
      study_of("sweep = [{ key = 'integrator.step', values = [0.1, 3] }, { key = 'time.end', values = [2000] }]"));
  const Results results = measure_all(plan);
  EXPECT_TRUE(results.cases[0].measured.ok);
  EXPECT_FALSE(results.cases[1].measured.ok);
  const DataTable table = make_tables(results)[0];
  EXPECT_EQ(std::get<std::string>(table.rows[0][2]), "done");
  EXPECT_EQ(std::get<std::string>(table.rows[1][2]), "failed");
  EXPECT_FALSE(std::get<std::string>(table.rows[1].back()).empty());
}

// Everything but the time on the clock.
std::string deterministic_text(const Results& results) {
  std::string text;
  for (const DataTable& table : make_tables(results))
    if (table.name != "timing") text += to_csv(table);
  return text;
}

TEST(Study, ResultsDoNotDependOnTheNumberOfThreads) {
  const StudyPlan plan =
      plan_study(study_of("sweep = [{ key = 'integrator', values = [{ kind = 'rk4' }, { kind = 'implicit_midpoint' }, "
                          "{ kind = 'stormer_verlet' }] },"
                          "         { key = 'integrator.step', values = [0.1, 0.05, 0.02] }]\n"
                          "reference = { integrator = { kind = 'galerkin', degree = 3, step = 0.05 } }"));
  StudyOptions one, three;
  one.threads = 1;
  three.threads = 3;
  EXPECT_EQ(deterministic_text(measure_all(plan, one)), deterministic_text(measure_all(plan, three)));
}

// The time that is left is reckoned from the runs that are done: groups without a reference are none.
TEST(Study, ProgressCountsWhatIsRun) {
  const auto total_of = [](const std::string& text) {
    const Study study = study_of("sweep = [{ key = 'parameters.k', values = [1, 2, 3] }]\n" + text);
    const StudyPlan plan = plan_study(study);
    std::size_t total = 0, done = 0;
    StudyOptions options;
    options.progress = [&](const StudyProgress& progress) { total = progress.total, done = progress.done; };
    measure_all(plan, options);
    EXPECT_EQ(done, total);
    return total;
  };
  EXPECT_EQ(total_of("report = { tables = ['energy_band'], plots = [] }"), 3u);
  EXPECT_EQ(total_of("reference = { integrator = { kind = 'rk4', step = 0.01 } }"), 6u);
}

TEST(Study, DrawsWhatIsAskedForAndNothingEmpty) {
  const StudyPlan plan = plan_study(study_of(
      "sweep = [{ key = 'integrator.step', values = [0.1, 0.05] }]\nreport = { plots = ['phase_portrait', 'order'] }"));
  const auto plots = make_plots(measure_all(plan));
  ASSERT_EQ(plots.size(), 1u) << "without a reference there is no order";
  EXPECT_EQ(plots[0].name, "phase_portrait");
}

// The colour of a method does not depend on which others are in the picture: explicit Euler fails at the long step.
TEST(Study, AMethodHasOneColour) {
  const StudyPlan plan =
      plan_study(study_of("sweep = [{ key = 'integrator.kind', values = ['explicit_euler', 'rk4', 'stormer_verlet', "
                          "'implicit_midpoint'] },\n"
                          "{ key = 'integrator.step', values = [0.4, 0.1, 0.05] }]\n"
                          "reference = { integrator = { kind = 'galerkin', degree = 3, step = 0.05 } }"));
  Results results = measure_all(plan);
  results.cases[0].measured.ok = false;  // as if it had failed
  std::map<std::string, int> slots;
  int seen = 0;
  for (const PlotGroup& group : make_plots(results))
    for (const Plot& plot : group.plots)
      for (const Curve& curve : plot.curves) {
        const std::string method = curve.label.substr(0, curve.label.find(','));
        EXPECT_EQ(slots.emplace(method, curve.slot).first->second, curve.slot)
            << group.name << ", " << plot.title << ": " << curve.label;
        ++seen;
      }
  EXPECT_EQ(slots.size(), 5u) << "four methods and the reference";
  EXPECT_GT(seen, 30);
}

// A bar that hangs by its own weight: E u'' = -rho g. A quadratic displacement and linear elements: the end is exact,
// the energy falls by C h^2.
TEST(Study, SweepsOfMeshesShowHowEquilibriaConverge) {
  const std::string bar = R"(
time = { end = 1 }
integrator = { kind = "static", load_steps = 1 }
probe = [{ name = "tip", body = "bar", point = [1, 0], record = ["displacement"] }]
force = [{ name = "weight", kind = "gravity", acceleration = [10, 0] }]
constraint = [{ name = "wall", kind = "fixed", selection = "bar.x_min" }]
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
mesh = { kind = "rectangle", size = [1, 1], cells = [2, 2] }
)";
  const StudyPlan plan = plan_study(
      study_of("sweep = [{ key = 'body.bar.mesh.cells', values = [[2, 2], [4, 4], [8, 8], [16, 16]] }]", bar));
  const Results results = measure_all(plan);
  for (const CaseResult& r : results.cases) ASSERT_TRUE(r.measured.ok) << r.measured.failure;
  std::map<std::string, DataTable> tables;
  for (const DataTable& table : make_tables(results)) tables[table.name] = table;
  EXPECT_EQ(tables.count("heat") + tables.count("energy_band") + tables.count("energy_slope"), 0u) << "of a motion";
  ASSERT_EQ(tables.count("probes") + tables.count("convergence"), 2u);
  EXPECT_EQ(tables["probes"].rows.size(), 4 * 3u);  // energy, x and y
  bool found = false;
  for (const auto& row : tables["convergence"].rows) {
    if (std::get<std::string>(row[2]) != "energy") continue;
    found = true;
    // weight: -integral of rho g (x + u); with the strain energy -rho g/2 - 1/2 integral of (rho g)^2 (1 - x)^2 / E
    EXPECT_NEAR(std::get<double>(row[7]), 2, 0.05) << "order";
    EXPECT_NEAR(std::get<double>(row[8]), -5000 - 1e8 / 6 / 1e6, 1e-3) << "limit";
  }
  EXPECT_TRUE(found);
  for (const PlotGroup& group : make_plots(results)) {
    EXPECT_TRUE(group.name == "energy" || group.name == "convergence") << group.name;
    for (const Plot& plot : group.plots) EXPECT_GE(plot.curves.front().x.size(), 2u) << plot.title;
  }
}

TEST(Extrapolation, FindsOrderAndLimit) {
  for (const double p : {0.5, 1.0, 2.0, 4.0})
    for (const std::vector<double>& sizes : {std::vector<double>{0.4, 0.2, 0.1}, std::vector<double>{9, 1, 0.7, 0.3}}) {
      std::vector<double> values;
      for (const double s : sizes) values.push_back(3 - 0.1 * std::pow(s, p));
      const Extrapolation found = extrapolated(sizes, values);
      EXPECT_NEAR(found.order, p, 1e-9);
      EXPECT_NEAR(found.limit, 3, 1e-10);
    }
  EXPECT_TRUE(std::isnan(extrapolated({0.4, 0.2, 0.1}, {1, 2, 1}).order)) << "up and down";
  EXPECT_TRUE(std::isnan(extrapolated({0.4, 0.2, 0.1}, {1, 2, 4}).order)) << "away from a limit";
  EXPECT_TRUE(std::isnan(extrapolated({0.4, 0.2}, {1, 2}).order));
}

// The first step is where curves differ most: samples at common times only would miss it.
TEST(Study, EnergyCurvesAreComparedAtEverySample) {
  const StudyPlan plan = plan_study(
      study_of("sweep = [{ key = 'integrator.kind', values = ['explicit_euler', 'stormer_verlet'] },\n"
               "{ key = 'integrator.step', values = [0.1, 0.03, 0.01] }]\nreport = { tables = ['energy_curve'] }"));
  const Results results = measure_all(plan);
  const DataTable table = make_tables(results)[1];
  ASSERT_EQ(table.rows.size(), 4u);
  for (std::size_t k = 0; k < 4; ++k) {
    const Measured &coarse = results.cases[k + k / 2].measured, &fine = results.cases[2 + 3 * (k / 2)].measured;
    double largest = 0;
    for (std::size_t i = 0; i < coarse.curve.t.size(); ++i)
      largest = std::max(largest, std::abs(coarse.curve.energy[i] - fine.curve.at(coarse.curve.t[i])));
    EXPECT_EQ(std::get<double>(table.rows[k][2]), largest);
    EXPECT_GT(largest, 0);
  }
  // Between steps that do not coincide (0.03, 0.06, ... and 0.01, 0.02, ...) cubics are as good as the method.
  const EnergyCurve curve{{0, 1, 2, 3, 5}, {0, 1, 8, 27, 125}};
  for (const double t : {0.0, 0.5, 1.7, 3.0, 4.2, 5.0}) EXPECT_NEAR(curve.at(t), t * t * t, 1e-12 * 125);
  EXPECT_TRUE(std::isnan(curve.at(5.1)));
}

TEST(Patch, AreaOfACircleAndOfAnEllipse) {
  std::vector<double> q, p;
  for (int k = 0; k < 32; ++k) {
    q.push_back(3 + 2 * std::cos(2 * M_PI * k / 32));
    p.push_back(0.5 * std::sin(2 * M_PI * k / 32));
  }
  EXPECT_NEAR(enclosed_area(q, p), M_PI, 1e-13);
  std::reverse(p.begin(), p.end());
  std::reverse(q.begin(), q.end());
  EXPECT_NEAR(enclosed_area(q, p), -M_PI, 1e-13);
}

TEST(Patch, VerletKeepsItsAreaAndExplicitEulerDoesNot) {
  Scene scene = parse_scene(oscillator, "x.toml");
  PatchOptions options;
  options.points = 16;
  options.samples = 10;
  const Patch kept = carry_patch(scene, options);
  ASSERT_TRUE(kept.ok) << kept.failure;
  EXPECT_NEAR(kept.area.back() / kept.area.front(), 1, 1e-13);
  scene.set("integrator.kind", "explicit_euler");
  const Patch grown = carry_patch(scene, options);
  // A step multiplies the area by 1 + h^2.
  EXPECT_NEAR(grown.area.back() / grown.area.front(), std::pow(1.01, 20), 1e-10);
}

// One oscillator from x = 0, v = 1: K = cos^2(t)/2.
TEST(Modes, HeatOfOneOscillatorAndOfAZeroMode) {
  Scene scene = parse_scene(oscillator, "x.toml");
  Model model = make_model(scene);
  auto modes = harmonic_modes(model, initial_state(scene, model));
  ASSERT_TRUE(modes);
  EXPECT_NEAR(modes->heat(), 0.25, 1e-15);
  EXPECT_NEAR(modes->heat(3), 0.25 + std::sin(6.0) / 24, 1e-15);
  scene.set("system.initial.x", 2.0);
  modes = harmonic_modes(model, initial_state(scene, model));
  EXPECT_NEAR(modes->heat(), 0.25 * (4 + 1), 1e-14);
  scene.set("parameters.k", 0.0);
  const Model free_model = make_model(scene);
  EXPECT_NEAR(harmonic_modes(free_model, initial_state(scene, free_model))->heat(7), 0.5, 1e-15);
  scene.set("system.potential", "k + x^4");
  const Model quartic = make_model(scene);
  EXPECT_FALSE(harmonic_modes(quartic, initial_state(scene, quartic)));
}

}  // namespace
}  // namespace livens
