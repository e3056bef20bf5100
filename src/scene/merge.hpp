// How one scene changes another that it includes.
#pragma once

#include <livens/scene.hpp>

namespace livens {

// Tables merge key by key; a table with its own kind replaces the old one whole; entries of a list of tables merge by
// their name, new ones are added; everything else is replaced.
void merge(Node& base, const Node& over);

}  // namespace livens
