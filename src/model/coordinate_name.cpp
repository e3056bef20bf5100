#include "model/coordinate_name.hpp"

namespace livens {

std::string coordinate_name(const Model& model, int coordinate) {
  if (coordinate < 0) return "none";
  const auto& names = model.parts().coordinates;
  if (static_cast<std::size_t>(coordinate) < names.size()) return names[coordinate];
  for (const Body& body : model.bodies())
    if (coordinate >= body.first && coordinate < body.first + body.size() && body.dimension > 0) {
      const int local = coordinate - body.first;
      return std::string(1, "xyz"[local % body.dimension]) + " of node " + std::to_string(local / body.dimension) +
             " of " + body.name;
    }
  return "coordinate " + std::to_string(coordinate);
}

}  // namespace livens
