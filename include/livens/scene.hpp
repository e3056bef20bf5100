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

namespace livens {

class Expression;

struct Place {
  std::string file;
  int line = 0, column = 0;
};

// A value of a scene file and its source location.
struct Node {
  enum class Kind { table, array, number, integer, text, boolean };
  Kind kind = Kind::table;
  Place place;        // of the value
  Place key_place;    // of its key
  double number = 0;  // number and integer
  bool flag = false;
  std::string text;
  std::vector<std::pair<std::string, Node>> entries;  // table, in the order of the file
  std::vector<Node> items;                            // array

  const Node* find(std::string_view key) const;
  Node* find(std::string_view key);
};

struct SceneFault {
  Place place;
  std::string key;                // path, e.g. material.rubber.yung
  std::string message;            // what is wrong, what was expected, what to try
  std::string to_string() const;  // file:line:column: key: message
};

// All faults of a scene; what() has one line each.
class SceneError : public std::runtime_error {
 public:
  explicit SceneError(std::vector<SceneFault> faults);
  const std::vector<SceneFault>& faults() const { return faults_; }

 private:
  std::vector<SceneFault> faults_;
};

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

// Validated values of one table, defaults filled in. Keys are those of the record's parameters.
class Settings {
 public:
  using Value = std::variant<double, long, bool, std::string, std::vector<double>, std::vector<std::string>>;

  std::string path;  // e.g. force.internal, for messages
  Place place;
  std::map<std::string, Value> values;  // number, integer, boolean, text and name, vector, names; functions as text
  std::map<std::string, std::vector<std::shared_ptr<const Expression>>> functions;
  std::map<std::string, const Node*> nodes;  // keys given in the scene (not defaults)

  bool has(const std::string& key) const { return values.count(key) != 0 || functions.count(key) != 0; }
  bool given(const std::string& key) const { return nodes.count(key) != 0; }
  double number(const std::string& key) const;
  long integer(const std::string& key) const;
  bool flag(const std::string& key) const;
  const std::string& text(const std::string& key) const;
  const std::vector<double>& vector(const std::string& key) const;
  const std::vector<std::string>& names(const std::string& key) const;
  const Expression& function(const std::string& key, std::size_t index = 0) const;
  SceneFault fault(const std::string& key, const std::string& message) const;
  std::string to_toml() const;  // one inline table, for summaries
};

// Reads and validates one integrator table given as text, e.g. "kind = 'newmark', beta = 0.25, step = 0.1".
Settings integrator_settings(const std::string& inline_table);

}  // namespace livens
