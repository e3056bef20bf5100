// Obstacles as JSON, for the viewer's page and for Blender.
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include <livens/energy.hpp>

namespace livens {

nlohmann::ordered_json obstacles_json(const std::vector<Obstacle>& obstacles);

}  // namespace livens
