#include "run/scene_difference.hpp"

#include <algorithm>
#include <set>

#include "records/values.hpp"
#include "scene/files.hpp"
#include "scene/schema.hpp"
#include "scene/write_toml.hpp"

namespace livens {
namespace {

using Kind = Node::Kind;

// What a run shows and where it stops, not what it computes.
bool may_differ(const std::string& path) {
  static const std::set<std::string> free = {"time.end", "output", "checkpoint", "report", "title", "format"};
  return free.count(path) != 0;
}

bool is_number(const Node& node) { return node.kind == Kind::number || node.kind == Kind::integer; }

bool same_value(const Node& a, const Node& b) {
  if (is_number(a) && is_number(b)) return a.number == b.number;
  if (a.kind != b.kind) return false;
  if (a.kind == Kind::boolean) return a.flag == b.flag;
  if (a.kind == Kind::array)
    return std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), same_value);
  return a.text == b.text && toml_value(a) == toml_value(b);
}

bool is_list_of_tables(const Node& node) {
  return node.kind == Kind::array && !node.items.empty() &&
         std::all_of(node.items.begin(), node.items.end(), [](const Node& item) { return item.kind == Kind::table; });
}

// Entries of lists go by their names, as in paths.
Node as_table(const Node& node) {
  if (!is_list_of_tables(node)) return node;
  Node table;
  for (std::size_t k = 0; k < node.items.size(); ++k) {
    const std::string name = entry_name(node.items[k]);
    table.entries.emplace_back(name.empty() ? std::to_string(k + 1) : name, node.items[k]);
  }
  return table;
}

void compare(const Node* there_node, const Node* here_node, const std::string& path,
             std::vector<SceneDifference>& found) {
  if (may_differ(path)) return;
  const Node there = there_node != nullptr ? as_table(*there_node) : Node{};
  const Node here = here_node != nullptr ? as_table(*here_node) : Node{};
  if (there.kind == Kind::table && here.kind == Kind::table) {
    std::vector<std::string> keys;
    for (const Node* node : {&there, &here})
      for (const auto& entry : node->entries)
        if (std::find(keys.begin(), keys.end(), entry.first) == keys.end()) keys.push_back(entry.first);
    for (const std::string& key : keys)
      compare(there.find(key), here.find(key), path.empty() ? key : path + "." + key, found);
    return;
  }
  const auto shown = [](const Node* node) { return node != nullptr ? toml_value(*node) : std::string("not given"); };
  if (there_node == nullptr || here_node == nullptr || !same_value(there, here))
    found.push_back({path, shown(there_node), shown(here_node)});
}

}  // namespace

std::vector<SceneDifference> scene_differences(const Scene& there, const Scene& here) {
  std::vector<SceneDifference> found;
  const Node there_root = with_absolute_files(there.root), here_root = with_absolute_files(here.root);
  compare(&there_root, &here_root, "", found);
  return found;
}

bool may_change(const SceneDifference& difference) { return difference.path.starts_with("solver"); }

}  // namespace livens
