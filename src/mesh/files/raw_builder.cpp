#include "mesh/files/raw_builder.hpp"

#include <algorithm>

#include "mesh/core/topology.hpp"
#include "mesh/core/words.hpp"

namespace livens {

void RawBuilder::add_node(long tag, double x, double y, double z, std::size_t offset) {
  raw_.node_tags.push_back(tag);
  raw_.node_offset.push_back(offset);
  raw_.X.insert(raw_.X.end(), {x, y, z});
}

void RawBuilder::end_nodes() {
  if (const int twin = tags_.build(raw_.node_tags); twin >= 0)
    source_.fail_line(raw_.node_offset[twin],
                      "node " + std::to_string(raw_.node_tags[twin]) +
                          " is there twice. Several parts with numbers of their own? Write them "
                          "as one, with numbers that go on");
  raw_.elsewhere.assign(at(raw_.nodes()), 0);
}

int RawBuilder::node(long tag, std::size_t offset) const {
  const int place = tags_.find(tag);
  if (place < 0) source_.fail_line(offset, "node " + std::to_string(tag) + " is not in the file");
  return place;
}

int RawBuilder::add_cell(ElementKind kind, long tag, std::span<const int> nodes, std::size_t offset) {
  RawCells& cells = raw_.of(kind);
  cells.nodes.insert(cells.nodes.end(), nodes.begin(), nodes.end());
  cells.tags.push_back(tag);
  cells.label.push_back(0);
  cells.offset.push_back(offset);
  if (static_cast<double>(cells.nodes.size()) > most_entries)
    source_.fail_line(offset, "too many elements to be numbered");
  return cells.count() - 1;
}

void RawBuilder::skip_cell(const std::string& plural, std::span<const int> nodes) {
  ++raw_.skipped[plural];
  for (const int node : nodes) raw_.elsewhere[node] = 1;
}

void RawBuilder::name_cell(ElementKind kind, int cell, const std::string& group) {
  auto& names = names_[static_cast<int>(kind)][cell];
  if (std::find(names.begin(), names.end(), group) == names.end()) names.push_back(group);
}

int RawBuilder::label_of(const std::vector<std::string>& names) {
  const auto [known, fresh] = labels_.try_emplace(names, static_cast<int>(raw_.labels.size()));
  if (fresh) raw_.labels.push_back(names);
  return known->second;
}

RawMesh RawBuilder::finish() {
  for (std::size_t kind = 0; kind < names_.size(); ++kind)
    for (const auto& [cell, names] : names_[kind]) raw_.cells[kind].label[cell] = label_of(names);
  for (const auto& [group, node] : groups_of_nodes_) raw_.marked.emplace_back(label_of({group}), node);
  return std::move(raw_);
}

}  // namespace livens
