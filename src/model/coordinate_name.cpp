#include "model/coordinate_name.hpp"

#include "model/system.hpp"

namespace livens {

std::string coordinate_name(const Model& model, int coordinate) {
  if (coordinate < 0) return "none";
  const auto& names = model.parts().coordinates;
  const int named = coordinate - first_named(model);
  if (named >= 0 && named < static_cast<int>(names.size())) return names[named];
  for (const Body& body : model.bodies())
    if (coordinate >= body.first && coordinate < body.first + body.size() && body.dimension > 0) {
      const int local = coordinate - body.first;
      return std::string(1, "xyz"[local % body.dimension]) + " of node " + std::to_string(local / body.dimension) +
             " of " + body.name;
    }
  return "coordinate " + std::to_string(coordinate);
}

}  // namespace livens
