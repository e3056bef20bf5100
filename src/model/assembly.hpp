// What the records of parts read alike.
#pragma once

#include <livens/assembly.hpp>

namespace livens {

// The bodies of nodes that a table speaks of: its key body, or all. Throws SceneError.
std::vector<int> bodies_of(const Settings& settings, const Assembly& assembly);

}  // namespace livens
