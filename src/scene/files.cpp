#include "scene/files.hpp"

#include <fstream>
#include <iterator>

#include "records/values.hpp"
#include "scene/sha256.hpp"
#include "scene/write_toml.hpp"

namespace livens {
namespace {

namespace fs = std::filesystem;

// Every key `file` of a scene names a file that it reads: meshes, surfaces, tables.
template <class Change>
void change_files(Node& node, const Change& change) {
  for (auto& [key, value] : node.entries)
    if (key == "file" && value.kind == Node::Kind::text && !value.text.empty())
      value.text = change(value);
    else
      change_files(value, change);
  for (Node& item : node.items) change_files(item, change);
}

fs::path whole_path(const fs::path& path) {
  std::error_code error;
  const fs::path result = fs::weakly_canonical(fs::absolute(path, error), error);
  return error ? path : result;
}

}  // namespace

std::string toml_for(const Scene& scene, const fs::path& directory) {
  Node root = scene.root;
  const fs::path there = whole_path(directory);
  change_files(root, [&](const Node& file) {
    const fs::path relative = whole_path(file_of(file)).lexically_relative(there);
    return relative.empty() || fs::path(file.text).is_absolute() ? whole_path(file_of(file)).string()
                                                                 : relative.string();
  });
  return toml_document(root);
}

Node with_absolute_files(const Node& root) {
  Node copy = root;
  change_files(copy, [](const Node& file) { return whole_path(file_of(file)).string(); });
  return copy;
}

std::vector<InputFile> input_files(const Scene& scene) {
  std::vector<InputFile> files;
  Node root = scene.root;
  change_files(root, [&](const Node& name) {
    std::ifstream file(file_of(name), std::ios::binary);
    const std::string content((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (file) files.push_back({name.text, static_cast<long>(content.size()), sha256(content)});
    return name.text;
  });
  return files;
}

}  // namespace livens
