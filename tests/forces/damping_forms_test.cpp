// The forms of damping in proportion to stiffness: what each keeps, at any step.
#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "support/solids.hpp"

namespace livens {
namespace {

using namespace testing;

std::string bar(const std::string& integrator, double step, double damping_time, const std::string& form,
                const std::string& motion = "velocity = [0, '0.5*X', '-0.5*Y']",
                const std::string& kind = "neo_hookean") {
  return fmt::format(
      "time = {{ end = 1 }}\nintegrator = {{ {}, step = {} }}\n"
      "[[material]]\nname = 'm'\nkind = '{}'\nyoung = 1e5\npoisson = 0.3\ndensity = 1000\n"
      "[[body]]\nname = 'b'\nkind = 'solid'\nmaterial = 'm'\n"
      "mesh = {{ kind = 'box', size = [1, 0.3, 0.3], cells = [4, 1, 1], corner = [0.2, 0, 0] }}\ninitial = {{ {} }}\n"
      "[[force]]\nkind = 'strain_damping'\ndamping_time = {}\ndamping_form = '{}'\n",
      integrator, step, kind, motion, damping_time, form);
}

struct Course {
  double energy_start = 0, energy_most = 0, fall = 0, dissipated = 0, at_end = 0, momentum = 0;
  SolvePath path;
};

// What a damped bar does: the largest energy, the largest fall of what was dissipated, the drift of the momenta.
Course course_of(const std::string& text, int steps) {
  const Scene scene = parse_scene(text);
  const Model model = make_model(scene);
  State state = initial_state(scene, model);
  const auto method = make_integrator(scene, model);
  Course course;
  course.path = method->solve_path();
  course.energy_start = course.energy_most = energy(model, state).total;
  const Momenta before = momenta(model, state.q, state.p);
  double most = 0;
  const StepReport report = method->advance(model, state, 1e9, [&](const State& now, const StepReport&) {
    course.energy_most = std::max(course.energy_most, energy(model, now).total);
    const double taken = method->ledger().energy_out[0];
    course.at_end = taken;
    course.fall = std::max(course.fall, most - taken);
    most = std::max(most, taken);
    const Momenta after = momenta(model, now.q, now.p);
    for (int k = 0; k < 3; ++k)
      course.momentum = std::max({course.momentum, std::abs(after.linear[k] - before.linear[k]),
                                  std::abs(after.angular[k] - before.angular[k])});
    return --steps > 0;
  });
  EXPECT_TRUE(report.converged) << report.message;
  course.dissipated = most;
  return course;
}

const std::string stretching = "velocity = ['5e-4*(X - 0.7)', 0, 0]";

// h damping_time omega^2 from 0.01 to 1e5, of small motions: omega_max is about 200 rad/s.
TEST(DampingForms, ExactOneTakesEnergyAtAnyStep) {
  for (const double step : {1e-3, 1e-2, 1.0 / 24})
    for (const double time : {1e-4, 1e-2, 1.0, 100.0}) {
      const std::string what = fmt::format("step {} s, damping_time {} s", step, time);
      const Course course =
          course_of(bar("kind = 'hamilton_pontryagin', alpha = 0.5", step, time, "exact", stretching), 60);
      EXPECT_LE(course.energy_most, (1 + 1e-6) * course.energy_start) << what;
      EXPECT_LE(course.fall, 1e-6 * course.energy_start) << what;
      EXPECT_GT(course.dissipated, 1e-4 * course.energy_start) << what;
      EXPECT_LT(course.momentum, 1e-12) << what;
    }
}

// Turning and bending by tens of per cent, where C changes within a step.
TEST(DampingForms, ExactOneTakesEnergyOfLargeMotions) {
  for (const double step : {1e-3, 1e-2, 1.0 / 24})
    for (const double time : {1e-4, 1e-3, 1e-2}) {
      const std::string what = fmt::format("step {} s, damping_time {} s", step, time);
      const Course course = course_of(bar("kind = 'hamilton_pontryagin', alpha = 0.5", step, time, "exact"), 60);
      EXPECT_LE(course.energy_most, 1.01 * course.energy_start) << what;
      EXPECT_LE(course.fall, 1e-5 * course.energy_start) << what;
      EXPECT_LT(course.momentum, 1e-9) << what;
    }
}

// The negative control: half at each end with the velocity of the step is Cayley's map, which turns stiff motions round
// and does not damp them.
TEST(DampingForms, HalvesNeedShortSteps) {
  const auto left = [](double step, double time, const std::string& form) {
    const Course course = course_of(bar("kind = 'hamilton_pontryagin', alpha = 0.5", step, time, form, stretching), 60);
    return 1 - course.dissipated / course.energy_start;
  };
  EXPECT_LT(left(1e-3, 1e-2, "second_order"), 0.7);
  EXPECT_GT(left(1.0 / 24, 100, "second_order"), 0.5);
  EXPECT_LT(left(1.0 / 24, 100, "exact"), 0.1);
}

TEST(DampingForms, PublishedOneIsMinimisedAndExplicitStepsStayExplicit) {
  const Course implicit = course_of(bar("kind = 'hamilton_pontryagin', alpha = 0.5", 0.01, 0.01, "published"), 60);
  EXPECT_EQ(implicit.path.kind, SolvePath::Kind::minimise);
  EXPECT_LE(implicit.energy_most, 1.01 * implicit.energy_start);
  EXPECT_GT(implicit.dissipated, 0.02 * implicit.energy_start);
  const Course verlet = course_of(bar("kind = 'stormer_verlet'", 1e-3, 1e-4, "published"), 200);
  EXPECT_EQ(verlet.path.kind, SolvePath::Kind::explicit_step);
  EXPECT_GT(verlet.dissipated, 1e-3 * verlet.energy_start);
  EXPECT_LT(verlet.momentum, 1e-9);
}

// A step that only turns the body strains nothing, whatever angle it turns by: K06's form takes nothing then.
TEST(DampingForms, PublishedOneDoesNotFeelRigidSteps) {
  for (const ElementKind kind : element_kinds)
    for (const std::string& name : material_names()) {
      const auto mesh = small_mesh(kind);
      const auto block = example_block(record_of(name), part_of(mesh));
      const auto energy = block->make_damping("d", 0.1, DampingForm::published)->step_energy();
      const int D = mesh->dimension();
      std::vector<double> q0(mesh->X), q1(mesh->X), g(mesh->X.size(), 0.0);
      const double c = std::cos(0.3), s = std::sin(0.3);
      for (std::size_t i = 0; i < q0.size(); i += D) {
        q0[i] *= 1.1;  // strained already
        q1[i] = c * q0[i] - s * q0[i + 1] + 5;
        q1[i + 1] = s * q0[i] + c * q0[i + 1] - 2;
        if (D == 3) q1[i + 2] = q0[i + 2];
      }
      energy->begin(q0);
      const double rigid = energy->add_gradient(q1, 1, g);
      const double force = *std::max_element(g.begin(), g.end());
      for (double& x : q1) x *= 1.01;
      std::fill(g.begin(), g.end(), 0.0);
      const double strained = energy->add_gradient(q1, 1, g);
      if (name == "linear") continue;  // its energy is one of displacements: it feels rotations, as everywhere
      EXPECT_LT(rigid, 1e-9 * strained) << name;
      EXPECT_LT(force, 1e-9 * *std::max_element(g.begin(), g.end())) << name;
    }
}

TEST(DampingForms, GradientsOfStepEnergiesAreTheirDerivatives) {
  for (const ElementKind kind : element_kinds)
    for (const std::string& name : material_names()) {
      const auto mesh = small_mesh(kind);
      const auto block = example_block(record_of(name), part_of(mesh));
      const auto energy = block->make_damping("d", 0.1, DampingForm::published)->step_energy();
      std::mt19937 engine(5);
      const std::vector<double> q0 = deformed(*mesh, engine, 0.02);
      std::vector<double> q1(q0), g(q0.size(), 0.0), unused(q0.size());
      std::uniform_real_distribution<double> noise(-0.01, 0.01);
      for (double& x : q1) x += noise(engine);
      energy->begin(q0);
      energy->add_gradient(q1, 1, g);
      const double largest = std::abs(*std::max_element(g.begin(), g.end()));
      constexpr double step = 1e-6;
      for (std::size_t i = 0; i < q1.size(); i += 3) {
        const double x = q1[i];
        q1[i] = x + step;
        const double plus = energy->add_gradient(q1, 0, unused);
        q1[i] = x - step;
        const double minus = energy->add_gradient(q1, 0, unused);
        q1[i] = x;
        EXPECT_NEAR((plus - minus) / (2 * step), g[i], 1e-5 * largest) << name << " " << i;
      }
    }
}

// In the limit of short steps the published impulse is h f of the viscous stiffness.
TEST(DampingForms, PublishedOneTendsToTheViscousForce) {
  const auto mesh = small_mesh(ElementKind::tet4);
  const auto block = example_block(record_of("neo_hookean"), part_of(mesh));
  const auto force = block->make_damping("d", 0.1, DampingForm::published);
  const auto energy = force->step_energy();
  std::mt19937 engine(5);
  const std::vector<double> q0 = deformed(*mesh, engine, 0.02);
  std::normal_distribution<double> normal(0, 1);
  std::vector<double> v(q0.size());
  for (double& value : v) value = normal(engine);
  double before = 0;
  for (const double h : {1e-3, 1e-4, 1e-5}) {
    std::vector<double> q1(q0), impulse(q0.size(), 0.0), expected(q0.size(), 0.0);
    for (std::size_t i = 0; i < q1.size(); ++i) q1[i] += h * v[i];
    energy->begin(q0);
    energy->add_gradient(q1, -1, impulse);
    force->add_force(0, q0, v, h, expected);
    double off = 0, size = 0;
    for (std::size_t i = 0; i < v.size(); ++i) {
      off = std::max(off, std::abs(impulse[i] - expected[i]));
      size = std::max(size, std::abs(expected[i]));
    }
    EXPECT_LT(off / size, before == 0 ? 0.1 : 0.2 * before) << h;
    before = off / size;
  }
}

// Fig. 3 of K06: a body that spins without straining loses nothing for ever. In the plane, since a body in space
// wobbles.
TEST(DampingForms, RigidSpinLosesNothing) {
  const auto taken = [](int steps) {
    return course_of(
               "time = { end = 1 }\nintegrator = { kind = 'stormer_verlet', step = 1e-3 }\n"
               "[[material]]\nname = 'm'\nkind = 'neo_hookean'\nyoung = 1e5\npoisson = 0.3\ndensity = 1000\n"
               "[[body]]\nname = 'b'\nkind = 'solid'\nmaterial = 'm'\n"
               "mesh = { kind = 'rectangle', size = [1, 0.3], cells = [4, 1] }\ninitial = { angular_velocity = 2 }\n"
               "[[force]]\nkind = 'strain_damping'\ndamping_time = 1e-2\ndamping_form = 'published'\n",
               steps)
        .at_end;
  };
  const double published = taken(16000), before = taken(12000);
  EXPECT_GT(before, 1e-3);  // the stretching at the start
  EXPECT_LT(std::abs(published - before), 1e-9);
}

}  // namespace
}  // namespace livens
