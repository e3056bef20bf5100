// Bodies that come to rest: implicit steps go on when there is nothing left to solve for but rounding.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

namespace livens {
namespace {

std::string bar(const std::string& integrator) {
  return "time = { end = 60 }\nintegrator = { " + integrator +
         " }\n"
         "material = [{ name = 'rubber', kind = 'neo_hookean', young = 1e5, poisson = 0.3, density = 1000 }]\n"
         "body = [{ name = 'bar', kind = 'solid', material = 'rubber', initial = { velocity = [0, 0, 0.02] }, "
         "  mesh = { kind = 'box', size = [1, 0.2, 0.2], cells = [8, 2, 2] } }]\n"
         "constraint = [{ name = 'wall', kind = 'fixed', selection = 'bar.x_min' }]\n"
         "force = [{ name = 'internal', kind = 'strain_damping', damping_time = 0.05 }]\n"
         "solver = { linear = 'cg' }\n";
}

class AtRest : public ::testing::TestWithParam<const char*> {};

TEST_P(AtRest, StepsGoOn) {
  const Scene scene = parse_scene(bar(GetParam()));
  const Model model = make_model(scene);
  State state = initial_state(scene, model);
  const double begin = energy(model, state).kinetic;
  const StepReport report = make_integrator(scene, model)->advance(model, state, 60);
  ASSERT_TRUE(report.converged) << report.message;
  EXPECT_LT(energy(model, state).kinetic, 1e-9 * begin) << "still in motion: nothing was tested";
}

INSTANTIATE_TEST_SUITE_P(Implicit, AtRest,
                         ::testing::Values("kind = 'hamilton_pontryagin', alpha = 0.5, step = 0.05",
                                           "kind = 'implicit_euler', step = 0.05",
                                           "kind = 'newmark', beta = 0.25, step = 0.05"));

}  // namespace
}  // namespace livens
