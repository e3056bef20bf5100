// Solids: the same bits for 1, 2 and 4 threads, and no allocation in a step once the first has been taken.
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <livens/scene.hpp>

namespace livens {
namespace {

std::string scene_text(const std::string& integrator, const std::string& cells, const std::string& element) {
  return "time = { end = 1 }\n"
         "force = [{ kind = 'gravity', acceleration = [0, 0, -9.81] }, { kind = 'strain_damping', damping_time = 1e-4 "
         "}]\n"
         "[[material]]\nname = 'm'\nkind = 'stable_neo_hookean'\nyoung = 2e5\npoisson = 0.4\ndensity = 1000\n"
         "[[body]]\nname = 'bar'\nkind = 'solid'\nmaterial = 'm'\n"
         "mesh = { kind = 'box', size = [1, 0.3, 0.3], corner = [0, 0, 0.001], cells = " +
         cells + ", element = '" + element +
         "' }\ninitial.velocity = ['0', '-4*X*Z', '2*X - 1']\n"
         "[[contact]]\nname = 'floor'\nkind = 'plane'\npoint = [0, 0, 0]\nnormal = [0, 0, 1]\n"
         "[integrator]\n" +
         integrator + "\n";
}

TEST(SolidDeterminism, ThreadsDoNotChangeBits) {
  const struct {
    std::string integrator, cells, element;
    double end;
  } cases[] = {{"kind = 'hamilton_pontryagin'\nstep = 0.002", "[24, 8, 8]", "tet4", 0.01},
               {"kind = 'hamilton_pontryagin'\nstep = 0.002", "[8, 3, 3]", "tet10", 0.01},
               {"kind = 'newmark'\nstep = 0.002", "[24, 8, 8]", "tet4", 0.004},
               {"kind = 'stormer_verlet'\nstep = 2e-5", "[24, 8, 8]", "tet4", 0.004}};
  for (const auto& one : cases) {
    std::vector<State> ends;
    for (const std::size_t threads : {1u, 2u, 4u}) {
      tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
      const Scene scene = parse_scene(scene_text(one.integrator, one.cells, one.element));
      const Model model = make_model(scene);
      ends.push_back(initial_state(scene, model));
      const std::vector<double> start = ends.back().q;
      const StepReport report = make_integrator(scene, model)->advance(model, ends.back(), one.end);
      ASSERT_TRUE(report.converged) << report.message;
      EXPECT_NE(ends.back().q, start);
    }
    for (const std::size_t k : {1u, 2u}) {
      EXPECT_EQ(ends[0].q, ends[k].q) << one.integrator;
      EXPECT_EQ(ends[0].p, ends[k].p) << one.integrator;
    }
  }
}

}  // namespace
}  // namespace livens
