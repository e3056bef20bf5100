// What the parts of an assembly read alike.
#pragma once

#include <livens/assembly.hpp>

namespace livens {

std::vector<std::string> names_of_bodies(const Assembly& assembly);

// The bodies of nodes that a part acts on: the one of that name, or all if it is "". Throws AssemblyError.
std::vector<int> bodies_of(const Assembly& assembly, const std::string& body);
// The same for the key `body` of a table. Throws SceneError.
std::vector<int> bodies_of(const Settings& settings, const Assembly& assembly);

}  // namespace livens
