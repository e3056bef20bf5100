// Components of points and directions in a space of fewer than three dimensions.
#pragma once

#include <string>

#include <livens/assembly.hpp>

namespace livens {

// Refuses what points out of the space of the bodies. Throws AssemblyError.
inline void check_components(const Vec3& x, int dimension, const std::string& key) {
  for (std::size_t c = static_cast<std::size_t>(dimension); c < x.size(); ++c)
    if (x[c] != 0)
      throw AssemblyError(key, "component " + std::to_string(c + 1) + " is not 0, but the bodies are of " +
                                   std::to_string(dimension) + " dimensions.");
}

}  // namespace livens
