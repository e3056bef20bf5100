// The words that several commands share: a scene and changes to it.
#pragma once

#include <livens/scene.hpp>

#include "command.hpp"

namespace livens::app {

Option set_option();
Option threads_option(const std::string& brief);
int threads_of(
    const Arguments& arguments);  // 0 if not given; throws UsageError for more than a machine can have use of
Option force_option();            // obeyed before any command begins
// Loads a scene and applies all --set.
Scene load_with_changes(const std::string& path, const Arguments& arguments);

}  // namespace livens::app
