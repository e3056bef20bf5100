#include "draw/obstacle_json.hpp"

#include <algorithm>
#include <cmath>

namespace livens {
namespace {

using Json = nlohmann::ordered_json;

Json three(const double* values) { return {values[0], values[1], values[2]}; }

bool is_room(const Obstacle& sphere, const Drawing& drawing) {
  const std::vector<double> x = drawing.reference();
  const auto is_in = [&](const DrawnVertex& vertex) {
    const auto p = position_of(vertex, drawing.bodies.front().dimension, x);
    return std::hypot(p[0] - sphere.point[0], p[1] - sphere.point[1], p[2] - sphere.point[2]) < sphere.radius;
  };
  return std::any_of(drawing.drawables.begin(), drawing.drawables.end(), [&](const Drawable& each) {
    return !each.vertices.empty() && std::all_of(each.vertices.begin(), each.vertices.end(), is_in);
  });
}

}  // namespace

Json obstacles_json(const std::vector<Obstacle>& obstacles, const Drawing& drawing) {
  Json list = Json::array();
  for (const Obstacle& obstacle : obstacles) {
    const bool plane = obstacle.kind == Obstacle::Kind::plane;
    Json entry = {{"name", obstacle.name}, {"kind", plane ? "plane" : "sphere"}, {"point", three(obstacle.point)}};
    if (plane)
      entry["normal"] = three(obstacle.normal);
    else
      entry.update({{"radius", obstacle.radius}, {"room", is_room(obstacle, drawing)}});
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace livens
