#include "scene/merge.hpp"

#include <algorithm>

#include "records/values.hpp"
#include "scene/schema.hpp"

namespace livens {
namespace {

using Kind = Node::Kind;

bool is_list_of_tables(const Node& node) {
  return node.kind == Kind::array &&
         std::all_of(node.items.begin(), node.items.end(), [](const Node& item) { return item.kind == Kind::table; });
}

void merge_table(Node& base, const Node& over) {
  for (const auto& [key, value] : over.entries) {
    if (Node* old = base.find(key))
      merge(*old, value);
    else
      base.entries.emplace_back(key, value);
  }
}

void merge_list(Node& base, const Node& over) {
  // Only entries that were there before are met again: two new ones of one name stay two, and are reported.
  const auto old_size = static_cast<std::ptrdiff_t>(base.items.size());
  for (const Node& entry : over.items) {
    const std::string name = entry_name(entry);
    const auto old_end = base.items.begin() + old_size;
    const auto old = std::find_if(base.items.begin(), old_end, [&](const Node& b) { return entry_name(b) == name; });
    if (old != old_end && !name.empty())
      merge(*old, entry);
    else
      base.items.push_back(entry);
  }
}

}  // namespace

void merge(Node& base, const Node& over) {
  if (base.kind == Kind::table && over.kind == Kind::table && over.find("kind") == nullptr) {
    merge_table(base, over);
  } else if (is_list_of_tables(base) && is_list_of_tables(over) && !over.items.empty()) {
    merge_list(base, over);
  } else {
    base = over;
  }
}

}  // namespace livens
