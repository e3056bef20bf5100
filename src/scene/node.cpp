// Nodes and faults of a scene.
#include <livens/scene.hpp>

namespace livens {
namespace {

std::string joined(const std::vector<SceneFault>& faults) {
  std::string text;
  for (const SceneFault& fault : faults) text += (text.empty() ? "" : "\n") + fault.to_string();
  return text;
}

}  // namespace

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
