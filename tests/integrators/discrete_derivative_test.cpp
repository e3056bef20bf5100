// Discrete derivatives of potentials and constraints without invariants.
#include <cmath>

#include <gtest/gtest.h>

#include <livens/scene.hpp>

namespace livens {
namespace {

// With energy_momentum such a function is one of all its coordinates, whose discrete derivative acts on those it
// depends on and on no others: a particle that nothing touches moves straight.
TEST(DiscreteDerivative, DoesNotPushWhatItDoesNotDependOn) {
  const auto off_line = [](const std::string& more) {
    const Scene scene = parse_scene(
        "time = { end = 1 }\nintegrator = { kind = 'energy_momentum', step = 0.002 }\n[[body]]\nname = 'a'\nkind = "
        "'particles'\nmass = 1\nlayout = { kind = 'points', points = [[1, 1]] }\ninitial = { velocities = [[3, 9]] }\n"
        "[[body]]\nname = 'free'\nkind = 'particles'\nmass = 1\nlayout = { kind = 'points', points = [[0, 0]] }\n"
        "initial = { velocities = [[2, 5]] }\n" +
        more);
    const Model model = make_model(scene);
    State state = initial_state(scene, model);
    const double E0 = energy(model, state).total;
    EXPECT_TRUE(make_integrator(scene, model)->advance(model, state, 0.2).converged);
    EXPECT_GT(std::abs(state.q[0] - 1 - 0.6), 0.01) << "it is bent";
    EXPECT_NEAR(energy(model, state).total, E0, 1e-11);
    return std::hypot(state.q[2] - 0.4, state.q[3] - 1);
  };
  constexpr double straight = 1e-14;
  EXPECT_LT(off_line("[[constraint]]\nkind = 'expression'\nbodies = ['a']\nends = [[1, 1]]\ng = 'y - x^3'\n"),
            straight);
  EXPECT_LT(off_line("[[force]]\nkind = 'expression'\nbody = 'a'\npotential = '20*sin(5*x)*cos(3*y)'\n"), straight);
}

}  // namespace
}  // namespace livens
