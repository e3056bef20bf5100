#include "scene/evaluate_parameters.hpp"

#include <algorithm>
#include <cctype>

#include "math/expression.hpp"
#include "records/values.hpp"

namespace livens {
namespace {

std::string path_of(const std::string& name) { return "parameters." + name; }

bool is_identifier(const std::string& name) { return identifiers(name) == std::vector<std::string>{name}; }

// Words of the expression language, and the time.
bool is_reserved(const std::string& name) {
  const auto& words = expression_words();
  return name == "t" || std::any_of(words.begin(), words.end(), [&](const auto& word) { return word.name == name; });
}

// Depth first: what a parameter refers to is evaluated before it.
class Evaluation {
 public:
  Evaluation(const Node& table, std::vector<SceneFault>& faults) : table_(table), context_{environment_, faults} {
    for (const auto& [name, node] : table.entries) nodes_[name] = &node;
    for (const auto& [name, node] : table.entries) find_references(name, node);
  }

  EvaluatedParameters run() {
    for (const auto& [name, node] : table_.entries) visit(name);
    result_.broken = std::move(context_.broken);
    return std::move(result_);
  }

 private:
  void find_references(const std::string& name, const Node& node) {
    for (const std::string& other : identifiers(node.text))
      if (nodes_.count(other) != 0) result_.refers_to[name].push_back(other);
  }

  void visit(const std::string& name) {
    if (result_.values.count(name) != 0) return;
    if (std::find(trail_.begin(), trail_.end(), name) != trail_.end()) return fail_cycle(name);
    // A chain this long is no scene, and the recursion has to end before the stack does.
    if (trail_.size() > 1000) return fail(name, "refers to more than 1000 parameters in a chain.");
    trail_.push_back(name);
    for (const std::string& other : result_.refers_to[name]) visit(other);
    trail_.pop_back();
    if (result_.values.count(name) == 0) evaluate(name);
  }

  void evaluate(const std::string& name) {
    if (!is_identifier(name))
      return fail(name, "a parameter's name has letters, digits and _, and does not begin with a digit.");
    if (is_reserved(name)) return fail(name, "hides '" + name + "', which has a meaning in expressions. Rename it.");
    const auto value = read_constant(*nodes_[name], "a number", path_of(name), context_);
    result_.values[name] = environment_->parameters[name] = value.value_or(0);
    if (!value) context_.broken.insert(name);
  }

  void fail(const std::string& name, const std::string& message) {
    context_.fail(nodes_[name]->key_place, path_of(name), message);
    context_.broken.insert(name);
    result_.values[name] = environment_->parameters[name] = 0;
  }

  void fail_cycle(const std::string& name) {
    std::string circle;
    for (auto it = std::find(trail_.begin(), trail_.end(), name); it != trail_.end(); ++it) {
      circle += *it + " -> ";
      if (*it != name) context_.broken.insert(*it), result_.values[*it] = environment_->parameters[*it] = 0;
    }
    fail(name, "refers to itself: " + circle + name + ".");
  }

  const Node& table_;
  std::map<std::string, const Node*> nodes_;
  std::vector<std::string> trail_;
  EvaluatedParameters result_;
  std::shared_ptr<Environment> environment_ = std::make_shared<Environment>();
  Context context_;
};

void add_references(const EvaluatedParameters& parameters, std::set<std::string, std::less<>>& used) {
  std::vector<std::string> open(used.begin(), used.end());
  while (!open.empty()) {
    const auto references = parameters.refers_to.find(open.back());
    open.pop_back();
    if (references == parameters.refers_to.end()) continue;
    for (const std::string& other : references->second)
      if (used.insert(other).second) open.push_back(other);
  }
}

// A value that --set brings in vain is a mistake. In a scene it is worth a note, for a force that is switched off takes
// its parameters along; but an included file cannot know what its user takes away, nor a scene what --set does.
bool is_mistake(const Node& parameter) { return parameter.place.file == override_file; }
bool is_odd(const Scene& scene, const Node& parameter) {
  return scene.overrides.empty() && parameter.place.file == scene.root.place.file;
}

}  // namespace

EvaluatedParameters evaluate_parameters(const Node* table, std::vector<SceneFault>& faults) {
  if (table == nullptr || table->kind != Node::Kind::table) return {};
  return Evaluation(*table, faults).run();
}

std::vector<std::string> check_parameters(const Scene& scene, const EvaluatedParameters& parameters, Context& context) {
  std::vector<std::string> notes;
  const Node* table = scene.root.find("parameters");
  if (table == nullptr) return notes;
  add_references(parameters, context.used);
  for (const auto& [name, node] : table->entries) {
    if (parameters.broken.count(name) != 0) continue;
    const auto variable = context.variables.find(name);
    if (variable != context.variables.end())
      context.fail(node.key_place, path_of(name),
                   "hides the variable '" + name + "' of " + variable->second + ". Rename it.");
    else if (context.used.count(name) != 0)
      continue;
    else if (is_mistake(node))
      context.fail(node.key_place, path_of(name), "nothing uses it. Use it in an expression, or remove it.");
    else if (is_odd(scene, node))
      notes.push_back(SceneFault{node.key_place, path_of(name), "nothing uses it"}.to_string());
  }
  return notes;
}

}  // namespace livens
