// The text faces of layouts.
#pragma once

#include <livens/bodies.hpp>
#include <livens/settings.hpp>

namespace livens {

struct LayoutRecord : Record {
  Layout (*make)(const Settings& settings) = nullptr;  // throws AssemblyError or SceneError
};

Registry<LayoutRecord>& layout_records();

}  // namespace livens
