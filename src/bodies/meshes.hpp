// Meshes of solids as scenes describe them; the list in meshes.cpp is the registry.
#pragma once

#include <filesystem>
#include <memory>

#include "mesh/core/mesh_tools.hpp"
#include "model/assembly.hpp"

namespace livens {

struct MeshRecord : Record {
  // Throws MeshError. `file` is where the key `file` leads to.
  Mesh (*make)(const Settings& settings, const std::filesystem::path& file, MeshNotes& notes) = nullptr;
};

Registry<MeshRecord>& mesh_records();

// The mesh of a table such as body.mesh; null with a fault in the assembly. A scene is built more than once, so the
// last few meshes are kept: reading and filling take seconds.
std::shared_ptr<const Mesh> make_mesh(const Settings& parent, const std::string& key, Assembly& assembly);

}  // namespace livens
