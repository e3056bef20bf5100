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
  std::shared_ptr<const Model> model;
  State start;
  std::unique_ptr<Integrator> integrator;
  std::map<std::string, NodeSet> selections;  // of the sections [[selection]]
};

// Appends the faults of start and integrator, without the latter then; throws SceneError with those of the parts.
AssembledScene assemble(const ValidatedScene& scene, std::vector<SceneFault>& faults);
// Throws SceneError with all.
AssembledScene assemble(const ValidatedScene& scene);

// The selections of a scene on the bodies of a finished model.
std::map<std::string, NodeSet> selections_of(const ValidatedScene& scene, const Model& model);

// Names of the integrators that have a discrete Lagrangian, for messages.
std::string methods_with_lagrangians();

// Throws SceneError if it cannot run the model as the scene asks.
std::unique_ptr<Integrator> make_integrator(const ValidatedScene& scene, const Model& model);

}  // namespace livens
