// Nodes become TOML again. Numbers are written in the shortest form that reads back to the same bits.
#pragma once

#include <string>

#include <livens/scene.hpp>

#include "records/make_node.hpp"

namespace livens {

std::string toml_key(const std::string& key);  // bare where it may be, else in quotes
std::string toml_value(const Node& node);      // in one line
std::string toml_document(const Node& root);   // keys, then [table]s and [[list]]s

}  // namespace livens
