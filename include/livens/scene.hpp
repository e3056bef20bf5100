// A scene: what a user wrote, with the source location of every value, and how it becomes a model, a state and an
// integrator.
#pragma once

#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <livens/registry.hpp>
#include <livens/settings.hpp>

namespace livens {

class Scene {
 public:
  Node root;
  std::string path;                                            // of the file; "" if from text
  std::vector<std::pair<std::string, std::string>> overrides;  // what set() changed, in order
  std::vector<std::string> notes;                              // e.g. keys dropped because a kind changed

  // The same paths as --set: section.key, section.name.key. Text is read as a TOML value, and as a bare string if it
  // is none. Throws SceneError if the path cannot be reached.
  void set(const std::string& key_path, const std::string& value);
  void set(const std::string& key_path, double value);
  void set(const std::string& key_path, bool value);
  void set(const std::string& key_path, const char* value) { set(key_path, std::string(value)); }

  std::string title() const;
  std::string name() const;     // stem of the file name
  std::string to_toml() const;  // includes and overrides resolved; reads back to the same scene
  std::string sha256() const;   // of to_toml()
};

// Both throw SceneError. They read and merge; make_model and check_scene validate.
Scene load_scene(const std::string& path);
Scene parse_scene(const std::string& text, const std::string& name = "scene");

// Validates everything that can be checked without running; throws SceneError with all faults in one pass.
void check_scene(const Scene& scene);

Model make_model(const Scene& scene);
State initial_state(const Scene& scene, const Model& model);
std::unique_ptr<Integrator> make_integrator(const Scene& scene, const Model& model);
// Without a scene: make_integrator("kind = 'stormer_verlet', step = 0.01", model)
std::unique_ptr<Integrator> make_integrator(const std::string& inline_table, const Model& model);

// Reads and validates one integrator table given as text, e.g. "kind = 'newmark', beta = 0.25, step = 0.1".
Settings integrator_settings(const std::string& inline_table);

}  // namespace livens
