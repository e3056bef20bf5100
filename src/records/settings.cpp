// Access to validated values. Asking for a key that is not there, or for another type, is a mistake of the program.
#include <livens/scene.hpp>

#include "math/expression.hpp"
#include "scene/write_toml.hpp"

namespace livens {
namespace {

template <class T>
const T& value_of(const Settings& settings, const std::string& key) {
  const auto found = settings.values.find(key);
  const T* value = found == settings.values.end() ? nullptr : std::get_if<T>(&found->second);
  if (value == nullptr) throw std::out_of_range(settings.path + "." + key + " has no value of this type");
  return *value;
}

template <class T>
Node node_of(const T& value) {
  return make_node(value);
}

template <class T>
Node node_of(const std::vector<T>& values) {
  Node node;
  node.kind = Node::Kind::array;
  for (const T& value : values) node.items.push_back(make_node(value));
  return node;
}

}  // namespace

// A function that turned out constant is a number, too: steps may be either.
double Settings::number(const std::string& key) const {
  const auto function = functions.find(key);
  if (function != functions.end() && function->second.size() == 1 && function->second[0]->constant())
    return function->second[0]->value();
  return value_of<double>(*this, key);
}

long Settings::integer(const std::string& key) const { return value_of<long>(*this, key); }
bool Settings::flag(const std::string& key) const { return value_of<bool>(*this, key); }
const std::string& Settings::text(const std::string& key) const { return value_of<std::string>(*this, key); }
const std::vector<double>& Settings::vector(const std::string& key) const {
  return value_of<std::vector<double>>(*this, key);
}
const std::vector<std::string>& Settings::names(const std::string& key) const {
  return value_of<std::vector<std::string>>(*this, key);
}

const Expression& Settings::function(const std::string& key, std::size_t index) const {
  const auto found = functions.find(key);
  if (found == functions.end() || index >= found->second.size())
    throw std::out_of_range(path + "." + key + " has no function of that index");
  return *found->second[index];
}

SceneFault Settings::fault(const std::string& key, const std::string& message) const {
  const auto node = nodes.find(key);
  const bool stood = node != nodes.end() && node->second != nullptr;
  return {stood ? node->second->place : place, key.empty() ? path : path + "." + key, message};
}

std::string Settings::to_toml() const {
  Node table;
  for (const auto& [key, value] : values) {
    Node node = std::visit([](const auto& held) { return node_of(held); }, value);
    table.entries.emplace_back(key, std::move(node));
  }
  return toml_value(table);
}

}  // namespace livens
