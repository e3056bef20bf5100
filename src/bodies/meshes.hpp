// Meshes of solids as scenes describe them; the list in meshes.cpp is the registry.
#pragma once

#include <filesystem>
#include <memory>

#include "mesh/core/mesh_tools.hpp"
#include "scene/build.hpp"

namespace livens {

struct MeshRecord : Record {
  // Throws MeshError. `file` is where the key `file` leads to.
  Mesh (*make)(const Settings& settings, const std::filesystem::path& file, MeshNotes& notes) = nullptr;
};

const std::vector<MeshRecord>& mesh_records();

// The mesh of a table such as body.mesh; null with a fault in the build. A scene is built more than once, so the last
// few meshes are kept: reading and filling take seconds.
std::shared_ptr<const Mesh> make_mesh(const Settings& parent, const std::string& key, Build& build);

}  // namespace livens
