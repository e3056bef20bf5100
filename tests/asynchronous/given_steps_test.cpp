// Steps that the scene gives to terms: bonds on a short clock and pairs on a long one are reversible RESPA.
#include <cmath>

#include <gtest/gtest.h>

#include <livens/asynchronous.hpp>
#include <livens/livens.hpp>

#include "asynchronous/scenes.hpp"
#include "support/source_dir.hpp"

namespace livens {
namespace {

Scene molecule(const std::vector<std::pair<std::string, std::string>>& changes = {}) {
  Scene scene = load_scene(source_dir() + "/scenes/molecule.toml");
  for (const auto& [key, value] : changes) scene.set(key, value);
  return scene;
}

const EnergyTerm& term_named(const Model& model, const std::string& name) {
  for (const auto& term : model.parts().terms)
    if (term->name() == name) return *term;
  throw std::out_of_range(name);
}

// The impulse method as Tuckerman, Berne and Martyna (1992) write it: half a kick of the slow force, `ratio` steps of
// velocity Verlet with the fast one, half a kick of the slow force.
State respa(const Model& model, State state, double inner, int ratio, int steps) {
  const EnergyTerm &fast = term_named(model, "bonds"), &slow = term_named(model, "pairs");
  const auto kick = [&](const EnergyTerm& term, double h) {
    std::vector<double> gradient(state.q.size(), 0.0);
    term.add_gradient(state.t, state.q, 1, gradient);
    for (std::size_t i = 0; i < state.q.size(); ++i) state.v[i] -= h * gradient[i] / model.parts().mass.diagonal[i];
  };
  for (int n = 0; n < steps; ++n) {
    kick(slow, 0.5 * ratio * inner);
    for (int k = 0; k < ratio; ++k) {
      kick(fast, 0.5 * inner);
      for (std::size_t i = 0; i < state.q.size(); ++i) state.q[i] += inner * state.v[i];
      kick(fast, 0.5 * inner);
    }
    kick(slow, 0.5 * ratio * inner);
  }
  return state;
}

TEST(GivenSteps, TwoClocksAreRespa) {
  const Scene scene = molecule();
  const Model model = make_model(scene);
  const State start = initial_state(scene, model);
  State state = start;
  const auto integrator = make_integrator(scene, model);
  ASSERT_TRUE(integrator->advance(model, state, 100 * 0.008).converged);
  const State other = respa(model, start, 0.002, 4, 100);
  const double rounding = 1e-11;
  double moved = 0;
  for (std::size_t i = 0; i < state.q.size(); ++i) {
    EXPECT_NEAR(state.q[i], other.q[i], rounding) << i;
    EXPECT_NEAR(state.v[i], other.v[i], 100 * rounding) << i;
    moved = std::max(moved, std::abs(state.q[i] - start.q[i]));
  }
  EXPECT_GT(moved, 0.1);
  // 400 activations and the one at the start of each bond; the pairs have gone a quarter as often.
  const AsynchronousFacts facts = integrator->asynchronous()->facts();
  EXPECT_EQ(facts.stencils, 63);
  EXPECT_NEAR(static_cast<double>(facts.updates), 63 * 401, 63);
  const State all_short = respa(model, start, 0.002, 1, 400);  // a control: another ratio is another motion
  EXPECT_GT(std::abs(state.q[0] - all_short.q[0]), 1e-6);
}

// What LAMMPS (7 January 2022) prints for the same start with run_style respa 2 4 bond 1 pair 2: docs/particles.md.
TEST(GivenSteps, PrintsWhatLammpsPrints) {
  const struct {
    int step;
    double bonds, pairs, total;
  } lammps[] = {{1, 10.61733177950875, 59.91172780877125, 148.8743367992512},
                {100, 36.71038319809827, 35.70181866078012, 148.5566301575695},
                {300, 19.01842247316781, 46.79799378986714, 148.5082635354167}};
  const Scene scene = molecule();
  const Model model = make_model(scene);
  State state = initial_state(scene, model);
  const auto integrator = make_integrator(scene, model);
  for (const auto& row : lammps) {
    ASSERT_TRUE(integrator->advance(model, state, row.step * 0.008).converged);
    const double apart = 1e-9;  // J; rounding grows, and is 2e-10 J at the last of these
    EXPECT_NEAR(term_named(model, "bonds").energy(state.t, state.q), row.bonds, apart) << row.step;
    EXPECT_NEAR(term_named(model, "pairs").energy(state.t, state.q), row.pairs, apart) << row.step;
    EXPECT_NEAR(energy(model, state).total, row.total, apart) << row.step;
  }
}

TEST(GivenSteps, HoldForTheElementsOfABody) {
  SolidScene solid;
  solid.integrator = "kind = 'asynchronous'\nsteps = { bar = 1e-5 }";
  const Scene scene = solid_scene(solid);
  const Model model = make_model(scene);
  State state = initial_state(scene, model);
  const auto integrator = make_integrator(scene, model);
  ASSERT_TRUE(integrator->advance(model, state, 1e-3).converged);
  EXPECT_DOUBLE_EQ(integrator->counters().step_min, 1e-5);
  EXPECT_DOUBLE_EQ(integrator->counters().step_max, 1e-5);
  const auto other =
      make_integrator("kind = 'asynchronous', courant = 0.3, update_steps = true, steps = { bar = 1e-5 }", model);
  State again = initial_state(scene, model);
  ASSERT_TRUE(other->advance(model, again, 1e-3).converged);
  // A step that is given does not follow the shape; times are sums of steps then, which rounding tells apart.
  for (std::size_t i = 0; i < state.q.size(); ++i) EXPECT_NEAR(again.q[i], state.q[i], 1e-13);
  EXPECT_DOUBLE_EQ(other->counters().step_max, 1e-5);
}

TEST(GivenSteps, WrongNamesAndValuesAreRefusedWhereTheyStand) {
  const auto fault_of = [](const std::string& steps) -> std::string {
    try {
      const Scene scene = molecule({{"integrator.steps", steps}});
      make_integrator(scene, make_model(scene));
      return "";
    } catch (const SceneError& error) {
      return error.what();
    }
  };
  EXPECT_NE(fault_of("{ bond = 0.002 }").find("Did you mean 'bonds'"), std::string::npos) << fault_of("{ bond = 1 }");
  EXPECT_NE(fault_of("{ bonds = 0 }").find("integrator.steps.bonds"), std::string::npos) << fault_of("{ bonds = 0 }");
  EXPECT_EQ(fault_of("{ bonds = 'short' }"), "");
}

}  // namespace
}  // namespace livens
