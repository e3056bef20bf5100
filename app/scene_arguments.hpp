// The words that several commands share: a scene and changes to it.
#pragma once

#include <livens/scene.hpp>

#include "command.hpp"

namespace livens::app {

Option set_option();
// Loads a scene and applies all --set.
Scene load_with_changes(const std::string& path, const Arguments& arguments);

}  // namespace livens::app
