// Pictures of systems in generalised coordinates: where their masses are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <livens/scene.hpp>

#include "draw/drawing.hpp"

namespace livens {

struct SystemPicture {
  Drawing drawing;                   // its `coordinates` takes the generalised ones
  std::vector<std::string> columns;  // of the history, that the generalised coordinates are in
};

// Nothing for systems that have no picture, and for scenes of bodies. To add one, add its line to the table in
// system_picture.cpp.
std::optional<SystemPicture> system_picture(const Scene& scene);

}  // namespace livens
