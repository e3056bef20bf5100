// Nodes that no scene wrote.
#pragma once

#include <livens/settings.hpp>

namespace livens {

Node make_node(double value);
Node make_node(long value);
Node make_node(bool value);
Node make_node(const std::string& text);

}  // namespace livens
