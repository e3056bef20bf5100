// What the parts of an assembly read alike.
#pragma once

#include <livens/assembly.hpp>

namespace livens {

std::vector<std::string> names_of_bodies(const Assembly& assembly);

// Whether all of a body moves as a support of its name says.
bool is_obstacle(const Body& body, const std::vector<Support>& supports);

// The bodies of nodes that a part acts on: the one of that name, or all but obstacles if it is "". Throws
// AssemblyError.
std::vector<int> bodies_of(const Assembly& assembly, const std::string& body);
// The same for the key `body` of a table. Throws SceneError.
std::vector<int> bodies_of(const Settings& settings, const Assembly& assembly);

}  // namespace livens
