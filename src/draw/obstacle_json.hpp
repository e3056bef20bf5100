// Obstacles as JSON, for the viewer's page and for Blender.
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "draw/drawing.hpp"

namespace livens {

// Of spheres also whether they are rooms: whether some body is in them at the start.
nlohmann::ordered_json obstacles_json(const std::vector<Obstacle>& obstacles, const Drawing& drawing);

}  // namespace livens
