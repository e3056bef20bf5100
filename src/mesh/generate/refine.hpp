// Repeated refinement, refused before it begins if its end does not fit.
#pragma once

#include <livens/meshes.hpp>

namespace livens {

// refined() that many times, then midsides if the kind has them.
Mesh refined_as(Mesh mesh, long times, ElementKind kind, const std::string& what);

}  // namespace livens
