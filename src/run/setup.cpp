#include <livens/setup.hpp>

#include "run/plan.hpp"
#include "scene/assemble.hpp"

namespace livens {

Setup make_setup(const Scene& scene, const ValidatedScene& valid) {
  std::vector<SceneFault> faults;
  AssembledScene assembled = assemble(valid, faults);
  Setup setup;
  setup.scene = scene;
  setup.model = std::move(assembled.model);
  setup.start = std::move(assembled.start);
  setup.integrator = std::move(assembled.integrator);
  setup.selections = std::move(assembled.selections);
  try {
    setup.plan = make_plan(scene, valid, *setup.model, setup.selections);
  } catch (const SceneError& error) {
    faults.insert(faults.end(), error.faults().begin(), error.faults().end());
  }
  put_in_order(faults);
  if (!faults.empty()) throw SceneError(std::move(faults));
  return setup;
}

Setup make_setup(const Scene& scene) { return make_setup(scene, validated(scene)); }

RunPlan make_plan(const Scene& scene, const Model& model) {
  const ValidatedScene valid = validated_run(scene);
  return make_plan(scene, valid, model, selections_of(valid, model));
}

Setup make_setup(const Scene& run, std::shared_ptr<const Model> model, State start) {
  const ValidatedScene valid = validated_run(run);
  Setup setup;
  setup.scene = run;
  setup.model = std::move(model);
  setup.start = std::move(start);
  setup.selections = selections_of(valid, *setup.model);
  setup.plan = make_plan(run, valid, *setup.model, setup.selections);
  setup.integrator = make_integrator(valid, *setup.model);
  return setup;
}

}  // namespace livens
