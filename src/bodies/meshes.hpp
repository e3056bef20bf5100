// The text faces of meshes; the list in meshes.cpp is the registry.
#pragma once

#include <filesystem>
#include <string>

#include <livens/assembly.hpp>
#include <livens/mesh.hpp>

namespace livens {

struct MeshRecord : Record {
  // Throws MeshError. `file` is where the key `file` leads to.
  Mesh (*make)(const Settings& settings, const std::filesystem::path& file, MeshNotes& notes) = nullptr;
};

Registry<MeshRecord>& mesh_records();

// The mesh of a table such as body.mesh; repairs are noted in the assembly. Throws SceneError.
Mesh make_mesh(const Settings& parent, const std::string& key, Assembly& assembly);

}  // namespace livens
