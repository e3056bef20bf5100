// A user's program, built against the installed library only: a scene with a change, and a Lagrangian as a lambda.
#include <cmath>
#include <cstdio>

#include <livens/livens.hpp>

namespace {

const char* const chain = R"(
time       = { end = 5 }
integrator = { kind = "stormer_verlet", step = 0.05 }
[[body]]
name    = "chain"
kind    = "particles"
mass    = 1.0
layout  = { kind = "chain", count = 8, spacing = 1.0, dimension = 3 }
initial = { random_velocity = 0.3, seed = 1 }
[[force]]
name = "links"
kind = "spring"
stiffness = 10.0
)";

int step_scene() {
  livens::Scene scene = livens::parse_scene(chain, "chain");
  scene.set("force.links.stiffness", 20.0);
  const livens::Model model = livens::make_model(scene);
  livens::State state = livens::initial_state(scene, model);
  auto integrator = livens::make_integrator(scene, model);
  const double start = livens::energy(model, state).total;
  for (int frame = 1; frame <= 10; ++frame) {
    const livens::StepReport report = integrator->advance(model, state, frame * 0.5);
    if (!report.converged) {
      std::fputs(report.message.c_str(), stderr);
      return 3;
    }
  }
  const auto x = model.positions(state, "chain");
  const double end = livens::energy(model, state).total;
  std::printf("chain: t = %g s, %zu numbers, energy %.6f -> %.6f J\n", state.t, x.size(), start, end);
  return x.size() == 24 && std::abs(end - start) < 0.05 * start ? 0 : 1;
}

int step_lambda() {
  const livens::Model model = livens::lagrangian_model<1>({"theta"}, [](auto, const auto& q, const auto& v) {
    using std::cos;
    return v[0] * v[0] / 2.0 + cos(q[0]);
  });
  livens::State state = livens::make_state(model, 0, {0.5}, {0});
  return livens::make_integrator("kind = 'galerkin', degree = 2, step = 0.1", model)->advance(model, state, 1).converged
             ? 0
             : 1;
}

int refuse_mistakes() {
  try {
    livens::make_model(livens::parse_scene(std::string(chain) + "typo = 1\n", "chain"));
  } catch (const livens::SceneError& error) {
    return error.faults().size() == 1 ? 0 : 1;
  }
  return 1;
}

}  // namespace

int main() try {
  std::printf("livens %s\n", livens::version().data());
  return step_scene() + step_lambda() + refuse_mistakes();
} catch (const livens::SceneError& error) {
  std::fputs(error.what(), stderr);
  return 2;
}
