#include "scene/set_value.hpp"

#include <algorithm>

#include "model/assembly.hpp"
#include "records/suggest.hpp"
#include "records/values.hpp"
#include "scene/kinds.hpp"
#include "scene/schema.hpp"
#include "scene/sections.hpp"
#include "scene/toml.hpp"
#include "scene/write_toml.hpp"

namespace livens {
namespace {

using Kind = Node::Kind;

const Place override_place = {override_file, 0, 0};

[[noreturn]] void fail(const std::string& path, const std::string& message) {
  throw SceneError({{override_place, path, message}});
}

std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts(1);
  for (const char c : path) {
    if (c == '.')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  if (std::find(parts.begin(), parts.end(), "") != parts.end())
    fail(path, "is not a path such as integrator.step or force.NAME.KEY.");
  if (parts.size() > 20) fail(path, "has more than 20 parts.");
  return parts;
}

Node placed(Node node) {
  node.place = node.key_place = override_place;
  for (auto& [key, value] : node.entries) value = placed(std::move(value));
  for (Node& item : node.items) item = placed(std::move(item));
  return node;
}

Node& child(Node& table, const std::string& key) {
  if (Node* node = table.find(key)) return *node;
  table.entries.emplace_back(key, placed(Node{}));
  return table.entries.back().second;
}

std::vector<std::string> names_in(const Node& list) {
  std::vector<std::string> names;
  for (const Node& item : list.items) names.push_back(entry_name(item));
  return names;
}

bool is_kind(const std::string& section, const std::string& name) {
  const auto records = records_of(section);
  return std::any_of(records.begin(), records.end(), [&](const Record* record) { return record->name == name; });
}

// Outputs exist without being written down, so their path does, too.
Node& add_output(Node& list, const std::string& kind) {
  list.kind = Kind::array;
  Node entry = placed(Node{});
  entry.entries.emplace_back("kind", placed(make_node(kind)));
  list.items.push_back(std::move(entry));
  return list.items.back();
}

Node& entry_of(Node& list, const std::string& section, const std::string& name, const std::string& path) {
  for (Node& item : list.items)
    if (entry_name(item) == name) return item;
  if (section == "output" && is_kind(section, name)) return add_output(list, name);
  fail(path, "the scene has no " + section + " '" + name + "'." + suggestion(name, names_in(list), "There are"));
}

void drop_foreign_keys(Scene& scene, Node& table, const std::string& section, const std::string& path,
                       const std::string& kind) {
  for (const Record* record : records_of(section)) {
    if (record->name != kind) continue;
    std::erase_if(table.entries, [&](const auto& entry) {
      const std::string& key = entry.first;
      const auto has = [&](const auto& parameters) {
        return std::any_of(parameters.begin(), parameters.end(), [&](const Parameter& p) { return p.key == key; });
      };
      if (has(record->parameters) || has(common_parameters())) return false;
      scene.notes.push_back(path + "." + key + " dropped: " + section + " '" + kind + "' has no such key.");
      return true;
    });
  }
}

// `section` is where the kinds of this table come from: the name of its section, or of its key for a nested table.
void assign(Scene& scene, Node& table, const std::string& section, const std::string& path, const std::string& key,
            const Node& value);

void assign_table(Scene& scene, Node& table, const std::string& section, const std::string& path, const Node& value) {
  // The kind first: the other keys are meant for it.
  if (const Node* kind = value.find("kind")) assign(scene, table, section, path, "kind", *kind);
  for (const auto& [key, inner] : value.entries)
    if (key != "kind") assign(scene, table, section, path, key, inner);
}

void assign(Scene& scene, Node& table, const std::string& section, const std::string& path, const std::string& key,
            const Node& value) {
  Node* old = table.find(key);
  if (old != nullptr && old->kind == Kind::table && value.kind == Kind::table)
    return assign_table(scene, *old, key, path.empty() ? key : path + "." + key, value);
  const bool changed_kind = key == "kind" && value.kind == Kind::text && (old == nullptr || old->text != value.text);
  child(table, key) = placed(value);
  if (changed_kind) drop_foreign_keys(scene, table, section, path, value.text);
}

// The table that holds the last part, and where its kinds come from.
struct Target {
  Node* table;
  std::string section, path;
};

Target target_of(Scene& scene, const std::vector<std::string>& parts, const std::string& path) {
  Target target{&scene.root, "", ""};
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    Node* node = &child(*target.table, parts[i]);
    target.section = parts[i];
    target.path += (target.path.empty() ? "" : ".") + parts[i];
    const Section* section = i == 0 ? find_section(parts[0]) : nullptr;
    if (section != nullptr && section->shape == Section::Shape::list) {
      if (parts.size() == 2) fail(path, "is a whole list entry. Set one of its keys: " + path + ".KEY.");
      if (node->kind == Kind::table && node->entries.empty()) node->kind = Kind::array;
      node = &entry_of(*node, parts[0], parts[++i], path);
      target.path += "." + parts[i];
    }
    if (node->kind != Kind::table) fail(path, "cannot be reached: " + target.path + " is " + found(*node) + ".");
    target.table = node;
  }
  return target;
}

void check_section(const std::string& name, const std::string& path) {
  if (find_section(name) != nullptr) return;
  std::vector<std::string> names;
  for (const Section& section : sections()) names.push_back(section.name);
  fail(path, "unknown section." + suggestion(name, names, "There are"));
}

Node value_of(const std::string& text) {
  const auto value = parse_toml_value(text, override_place);
  return value ? *value : make_node(text);
}

}  // namespace

void set_value(Scene& scene, const std::string& path, const Node& value, const std::string& shown_as) {
  const auto parts = parts_of(path);
  check_section(parts[0], path);
  Scene changed = scene;  // a path that cannot be reached leaves nothing behind
  const Target target = target_of(changed, parts, path);
  assign(changed, *target.table, target.section, target.path, parts.back(), value);
  changed.overrides.emplace_back(path, shown_as);
  scene = std::move(changed);
}

void Scene::set(const std::string& where, const std::string& value) { set_value(*this, where, value_of(value), value); }

void Scene::set(const std::string& where, double value) {
  const Node node = make_node(value);
  set_value(*this, where, node, toml_value(node));
}

void Scene::set(const std::string& where, bool value) {
  const Node node = make_node(value);
  set_value(*this, where, node, toml_value(node));
}

}  // namespace livens
