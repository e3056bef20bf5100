// Settings: the validated values of one table of a scene, with the place of every value. They own all they hold, and
// may outlive the scene.
#pragma once

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <livens/function.hpp>
#include <livens/records.hpp>

namespace livens {

struct Place {
  std::string file;
  int line = 0, column = 0;
};

// A value of a scene file and where it stood.
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

  // Defined elsewhere: clang 14 would look into the list of nodes before a node is complete.
  Node();
  Node(const Node&);
  Node(Node&&) noexcept;
  Node& operator=(const Node&);
  Node& operator=(Node&&) noexcept;
  ~Node();

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

// What expressions and references of one scene may name.
struct Environment {
  std::map<std::string, double, std::less<>> parameters;            // evaluated
  std::map<std::string, std::vector<double>, std::less<>> markers;  // named places, which any vector in metres may be
  // Names of the enabled entries of each list section; references to sections that are not here are not checked.
  std::map<std::string, std::vector<std::string>, std::less<>> names;
  // What to say of an unknown key of the table `path` that has its home elsewhere; "" if it has none. May be null.
  std::string (*elsewhere)(const std::string& key, const std::string& path) = nullptr;
};

// Validated values of one table, defaults filled in. Keys are those of the record's parameters.
class Settings {
 public:
  using Value = std::variant<double, long, bool, std::string, std::vector<double>, std::vector<std::string>>;

  std::string path;  // e.g. force.internal, for messages
  Place place;
  std::map<std::string, Value> values;  // number, integer, boolean, text and name, vector, names; functions as text
  std::map<std::string, std::vector<Function>> functions;
  std::map<std::string, std::shared_ptr<const Node>> nodes;  // keys that stood in the scene (not defaults)
  std::shared_ptr<const Environment> environment;            // of the scene; for nested tables

  bool has(const std::string& key) const { return values.count(key) != 0 || functions.count(key) != 0; }
  bool given(const std::string& key) const { return nodes.count(key) != 0; }
  double number(const std::string& key) const;
  long integer(const std::string& key) const;
  bool flag(const std::string& key) const;
  const std::string& text(const std::string& key) const;
  const std::vector<double>& vector(const std::string& key) const;
  const std::vector<std::string>& names(const std::string& key) const;
  const Function& function(const std::string& key, std::size_t index = 0) const;
  // The value as it stood in the scene, for tables that a record reads itself.
  const Node& node(const std::string& key) const { return *nodes.at(key); }

  // A fault at the place of a key, which may lead into nested tables (mesh.file); "" is the table itself.
  SceneFault fault(const std::string& key, const std::string& message) const;
  [[noreturn]] void refuse(const std::string& key, const std::string& message) const;  // throws SceneError
};

}  // namespace livens
