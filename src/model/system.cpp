#include "model/system.hpp"

#include <algorithm>

namespace livens {

const Body* system_of(const Model& model) {
  const auto& bodies = model.bodies();
  const auto found = std::find_if(bodies.begin(), bodies.end(), [](const Body& body) { return body.dimension == 0; });
  return found != bodies.end() ? &*found : nullptr;
}

int first_named(const Model& model) {
  const Body* system = system_of(model);
  return system != nullptr ? system->first : 0;
}

int node_coordinates(const Model& model) {
  const Body* system = system_of(model);
  return system != nullptr ? system->first : model.size();
}

}  // namespace livens
