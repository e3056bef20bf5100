// Whether a mesh can be had, asked before it is made.
#pragma once

#include <string>

#include <livens/mesh.hpp>

namespace livens {

// Throws MeshError if that many elements could not be numbered, or if a solid of them does not fit into memory.
// what: "box", in front of the message; remedy: "Take fewer cells", a sentence without its end.
void require_elements(double count, ElementKind kind, const std::string& what, const std::string& remedy);

}  // namespace livens
