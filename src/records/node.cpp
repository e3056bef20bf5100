// Nodes and faults of a scene.
#include "records/make_node.hpp"
#include "records/values.hpp"

namespace livens {
namespace {

std::string joined(const std::vector<SceneFault>& faults) {
  std::string text;
  for (const SceneFault& fault : faults) text += (text.empty() ? "" : "\n") + fault.to_string();
  return text;
}

Node make(Node::Kind kind, double number) {
  Node node;
  node.kind = kind;
  node.number = number;
  return node;
}

}  // namespace

Node make_node(double value) { return make(Node::Kind::number, value); }
Node make_node(long value) { return make(Node::Kind::integer, static_cast<double>(value)); }

Node make_node(bool value) {
  Node node = make(Node::Kind::boolean, 0);
  node.flag = value;
  return node;
}

Node make_node(const std::string& text) {
  Node node = make(Node::Kind::text, 0);
  node.text = text;
  return node;
}

std::string entry_name(const Node& entry) {
  for (const char* key : {"name", "kind", "key"}) {
    const Node* node = entry.find(key);
    if (node != nullptr && node->kind == Node::Kind::text && !node->text.empty()) return node->text;
  }
  return "";
}

Node::Node() = default;
Node::Node(const Node&) = default;
Node::Node(Node&&) noexcept = default;
Node& Node::operator=(const Node&) = default;
Node& Node::operator=(Node&&) noexcept = default;
Node::~Node() = default;

const Node* Node::find(std::string_view key) const {
  for (const auto& [name, value] : entries)
    if (name == key) return &value;
  return nullptr;
}

Node* Node::find(std::string_view key) { return const_cast<Node*>(std::as_const(*this).find(key)); }

std::string SceneFault::to_string() const {
  std::string text = place.file;
  if (place.line > 0) text += ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
  if (!text.empty()) text += ": ";
  if (!key.empty()) text += key + ": ";
  return text + message;
}

SceneError::SceneError(std::vector<SceneFault> faults)
    : std::runtime_error(joined(faults)), faults_(std::move(faults)) {}

}  // namespace livens
