// A scene changed by code: the same pendulum at three steps, with its energy error and its order. Keys are those of
// scene files, and mistakes are reported with the nearest known word.
#include <cmath>
#include <cstdio>

#include <livens/livens.hpp>

int main() {
  livens::Scene scene = livens::parse_scene(R"(
    time       = { end = 10 }
    system     = { kind = "pendulum", angle = 1.5 }
    integrator = { kind = "stormer_verlet", step = 0.1 }
  )");
  double last = 0, order = 0;
  for (const double step : {0.1, 0.05, 0.025}) {
    scene.set("integrator.step", step);
    livens::Setup setup = livens::make_setup(scene);
    livens::State state = setup.start;
    setup.integrator->advance(*setup.model, state, setup.plan.t_end);
    // H' = H + O(h^2) is what the method keeps; the error of H itself swings with h^2.
    const double error =
        std::abs(livens::energy(*setup.model, state).total - livens::energy(*setup.model, setup.start).total);
    if (last > 0) order = std::log2(last / error);
    std::printf("step %.3f s: energy error %.3e J%s", step, error, last > 0 ? "" : "\n");
    if (last > 0) std::printf(", order %.2f\n", order);
    last = error;
  }
  try {
    scene.set("integrator.kind", "stormer_verlett");
    livens::make_setup(scene);
  } catch (const livens::SceneError& error) {
    std::printf("%s\n", error.what());
  }
  return std::abs(order - 2) < 0.1 ? 0 : 1;
}
