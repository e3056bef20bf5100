// The generalised coordinates of a model, which may stand beside bodies of nodes, after them.
#pragma once

#include <livens/model.hpp>

namespace livens {

// The body of generalised coordinates; null if there is none.
const Body* system_of(const Model& model);
// The coordinate that the first of ModelParts::coordinates names.
int first_named(const Model& model);
// Coordinates of nodes: all before the system.
int node_coordinates(const Model& model);

}  // namespace livens
