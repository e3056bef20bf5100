// Checkpoints of a small model: what is taken over can be gone on from. The checksum is not looked at in this build.
#include "run/checkpoint.hpp"

#include <livens/run.hpp>
#include <livens/setup.hpp>

#include "fuzz/fuzz.hpp"

using namespace livens;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  // The scene of the seeds, tests/fuzz/run.sh.
  static const Scene scene = parse_scene(
      "time = { end = 1 }\nintegrator = { kind = \"stormer_verlet\", step = 0.1 }\n[system]\nkind = \"lagrangian\"\n"
      "coordinates = [\"x\"]\nkinetic = \"x_dot^2/2\"\npotential = \"x^2/2\"\ninitial = { x = 1, x_dot = 0 }\n");
  try {
    const Checkpoint checkpoint = load_checkpoint(fuzz::file_of(fuzz::text_of(bytes, size), "step-000000000001"));
    Setup setup = make_setup(scene);
    State state = setup.start;
    checkpoint.restore(state, *setup.integrator, {});
    fuzz::require(state.q.size() == setup.start.q.size());
    setup.integrator->advance(*setup.model, state, state.t + 0.1,
                              [](const State&, const StepReport&) { return false; });
    parse_scene(checkpoint.scene, "checkpoint");
  } catch (const RunError&) {
  } catch (const SceneError&) {}
  return 0;
}
