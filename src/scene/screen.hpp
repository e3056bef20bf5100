// Looks at the text of a scene before the TOML parser does, and refuses what could exhaust a machine or the parser:
// huge files, deep nesting, keys of many parts, bytes that are no text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <livens/scene.hpp>

namespace livens {

inline constexpr std::size_t max_scene_bytes = 16u << 20;
inline constexpr int max_scene_nesting = 100;
inline constexpr int max_key_parts = 50;

// The first reason not to parse the text, if there is one.
std::optional<SceneFault> screen(std::string_view text, const std::string& file);

SceneFault empty_scene(const std::string& file);

}  // namespace livens
