// A scene becomes a model, its start and its integrator: one validation, one build.
#pragma once

#include <map>
#include <memory>
#include <string>

#include <livens/assembly.hpp>
#include <livens/scene.hpp>

#include "scene/schema.hpp"

namespace livens {

struct AssembledScene {
  ValidatedScene validated;
  Model model;
  State start;
  std::map<std::string, NodeSet> selections;  // of the sections [[selection]]
};

// Throws SceneError with all faults that can be known without running.
AssembledScene assemble(const Scene& scene);
AssembledScene assemble(ValidatedScene validated);

// The sections of a scene that are not mechanics, for a model from elsewhere. Throws SceneError.
ValidatedScene validated_run(const Scene& scene);
// Throws SceneError if it cannot run the model as the scene asks.
std::unique_ptr<Integrator> make_integrator(const ValidatedScene& scene, const Model& model);

}  // namespace livens
