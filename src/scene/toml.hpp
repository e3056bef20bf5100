// TOML text becomes a tree of nodes that know their place. The only file that sees the parser is toml.cpp.
#pragma once

#include <optional>
#include <string>

#include <livens/scene.hpp>

namespace livens {

// Throws SceneError: text that screen() refuses, syntax errors, dates, integers beyond 2^53.
// nan and inf stay in the tree, so that a validation can name them together with all other faults.
Node parse_toml(const std::string& text, const std::string& file);

// One TOML value such as 0.5, "m*g" or { kind = "rk4" }; none if the text is no value. All places are `place`.
std::optional<Node> parse_toml_value(const std::string& text, const Place& place);

}  // namespace livens
