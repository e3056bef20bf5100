#include <livens/setup.hpp>

#include "run/plan.hpp"
#include "scene/assemble.hpp"

namespace livens {

Setup make_setup(const Scene& scene) {
  AssembledScene assembled = assemble(scene);
  Setup setup;
  setup.scene = scene;
  setup.model = std::make_shared<const Model>(std::move(assembled.model));
  setup.start = std::move(assembled.start);
  setup.selections = std::move(assembled.selections);
  setup.plan = make_plan(scene, assembled.validated, *setup.model, setup.selections);
  setup.integrator = make_integrator(assembled.validated, *setup.model);
  return setup;
}

Setup make_setup(const Scene& run, std::shared_ptr<const Model> model, State start) {
  const ValidatedScene validated = validated_run(run);
  Setup setup;
  setup.scene = run;
  setup.model = std::move(model);
  setup.start = std::move(start);
  setup.plan = make_plan(run, validated, *setup.model, setup.selections);
  setup.integrator = make_integrator(validated, *setup.model);
  return setup;
}

}  // namespace livens
