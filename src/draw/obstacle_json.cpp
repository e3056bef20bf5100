#include "draw/obstacle_json.hpp"

namespace livens {
namespace {

using Json = nlohmann::ordered_json;

Json three(const double* values) { return {values[0], values[1], values[2]}; }

}  // namespace

Json obstacles_json(const std::vector<Obstacle>& obstacles) {
  Json list = Json::array();
  for (const Obstacle& obstacle : obstacles) {
    const bool plane = obstacle.kind == Obstacle::Kind::plane;
    Json entry = {{"name", obstacle.name}, {"kind", plane ? "plane" : "sphere"}, {"point", three(obstacle.point)}};
    if (plane)
      entry["normal"] = three(obstacle.normal);
    else
      entry["radius"] = obstacle.radius;
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace livens
