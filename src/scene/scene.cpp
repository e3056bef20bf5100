// Scenes from files and text, with what they include.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <livens/scene.hpp>

#include "records/values.hpp"
#include "scene/merge.hpp"
#include "scene/screen.hpp"
#include "scene/sha256.hpp"
#include "scene/toml.hpp"
#include "scene/write_toml.hpp"

namespace livens {
namespace {

namespace fs = std::filesystem;
using Kind = Node::Kind;

constexpr std::size_t max_include_depth = 20;
constexpr std::size_t max_files = 100;

[[noreturn]] void fail(const Place& place, const std::string& key, const std::string& message) {
  throw SceneError({{place, key, message}});
}

// Reads at most one byte more than a scene may have; the screen refuses it then.
std::string file_text(const std::string& path, const Place& place, const std::string& key) {
  std::error_code error;
  if (fs::is_directory(path, error)) fail(place, key, "'" + path + "' is a directory, not a scene.");
  // A pipe would wait for its writer.
  if (const auto status = fs::status(path, error); fs::exists(status) && !fs::is_regular_file(status))
    fail(place, key, "'" + path + "' is a pipe or a device, not a file. Write what comes out of it into a file first.");
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(place, key, "cannot read '" + path + "': " + std::strerror(errno) + ".");
  std::string text(max_scene_bytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(file.gcount());
  if (file.bad()) fail(place, key, "cannot read '" + path + "': " + std::strerror(errno) + ".");
  return text;
}

// One reading of a scene: the files that are open, outermost first.
class Reader {
 public:
  Node read_file(const std::string& path, const Place& place, const std::string& key) {
    if (++files_ > max_files) fail(place, key, "more than " + std::to_string(max_files) + " files are included.");
    return read_text(file_text(path, place, key), path);
  }

  Node read_text(const std::string& text, const std::string& file) {
    Node root = parse_toml(text, file);
    const Node* include = root.find("include");
    if (include == nullptr) return root;
    open_.push_back(identity(file));
    Node merged;
    for (const Node& name : names_of(*include)) add_include(merged, name, file);
    open_.pop_back();
    return with_includes(std::move(merged), std::move(root));
  }

 private:
  static std::string identity(const std::string& file) {
    std::error_code error;
    const fs::path path = fs::weakly_canonical(file, error);
    return error ? file : path.string();
  }

  static std::vector<Node> names_of(const Node& include) {
    const std::vector<Node> names = include.kind == Kind::array ? include.items : std::vector<Node>{include};
    for (const Node& name : names)
      if (name.kind != Kind::text || name.text.empty())
        fail(name.place, "include", "expected the name of a file, or a list of them, found " + found(name) + ".");
    return names;
  }

  void add_include(Node& merged, const Node& name, const std::string& from) {
    const std::string path = (fs::path(from).parent_path() / name.text).lexically_normal().string();
    if (std::find(open_.begin(), open_.end(), identity(path)) != open_.end())
      fail(name.place, "include", "'" + path + "' includes itself.");
    if (open_.size() >= max_include_depth)
      fail(name.place, "include", "files include each other more than " + std::to_string(max_include_depth) + " deep.");
    merge(merged, read_file(path, name.place, "include"));
  }

  static Node with_includes(Node merged, Node root) {
    std::erase_if(root.entries, [](const auto& entry) { return entry.first == "include"; });
    merge(merged, root);
    merged.place = root.place;
    merged.key_place = root.key_place;
    return merged;
  }

  std::vector<std::string> open_;
  std::size_t files_ = 0;
};

}  // namespace

std::string Scene::title() const {
  const Node* given = root.find("title");
  return given != nullptr && given->kind == Kind::text ? given->text : name();
}

std::string Scene::name() const { return fs::path(path.empty() ? root.place.file : path).stem().string(); }

std::string Scene::to_toml() const { return toml_document(root); }
std::string Scene::sha256() const { return livens::sha256(to_toml()); }

Scene load_scene(const std::string& path) {
  Scene scene;
  scene.path = path;
  scene.root = Reader().read_file(path, {path, 0, 0}, "");
  return scene;
}

Scene parse_scene(const std::string& text, const std::string& name) {
  Scene scene;
  scene.root = Reader().read_text(text, name);
  return scene;
}

}  // namespace livens
