// Files that scenes name, such as meshes: relative to the scene that names them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <livens/scene.hpp>

namespace livens {

// The scene as TOML that means the same in a file of `directory`.
std::string toml_for(const Scene& scene, const std::filesystem::path& directory);

// The same scene with absolute paths.
Node with_absolute_files(const Node& root);

// A file that a scene names, as it is now.
struct InputFile {
  std::string name;  // as the scene has it
  long bytes = 0;
  std::string sha256;
};
// Those that can be read.
std::vector<InputFile> input_files(const Scene& scene);

}  // namespace livens
