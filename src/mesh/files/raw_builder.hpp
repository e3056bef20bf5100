// Puts a RawMesh together from nodes with numbers, cells that name them, and names of groups that come in any order.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mesh/files/raw_mesh.hpp"

namespace livens {

class RawBuilder {
 public:
  explicit RawBuilder(const MeshSource& source) : source_(source) {}

  void add_node(long tag, double x, double y, double z, std::size_t offset);
  // Before the first cell. Refuses a number that is there twice.
  void end_nodes();
  int nodes() const { return raw_.nodes(); }
  int node(long tag, std::size_t offset) const;  // its place; refuses numbers that are not there

  // VTK order. Returns the number of the cell among those of its kind.
  int add_cell(ElementKind kind, long tag, std::span<const int> nodes, std::size_t offset);
  void skip_cell(const std::string& plural, std::span<const int> nodes);
  void name_cell(ElementKind kind, int cell, const std::string& group);
  void name_node(int node, const std::string& group) { groups_of_nodes_.emplace(group, node); }

  RawMesh finish();

 private:
  int label_of(const std::vector<std::string>& names);

  const MeshSource& source_;
  RawMesh raw_;
  TagMap tags_;
  std::array<std::map<int, std::vector<std::string>>, 4> names_;  // of cells, by kind
  std::set<std::pair<std::string, int>> groups_of_nodes_;
  std::map<std::vector<std::string>, int> labels_;
};

}  // namespace livens
