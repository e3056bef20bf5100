// The unstructured grid behind a VTU file: several meshes and loose points in one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mesh/files/vtu_writer.hpp"

namespace livens {

class VtuGrid {
 public:
  // positions: nodes x dimension, lower dimensions lie in z = 0. elements: the ones to take, empty = all.
  void add_mesh(const Mesh& mesh, ConstVector positions, std::span<const int> elements = {});
  void add_points(int dimension, ConstVector positions);  // a vertex cell each

  std::size_t points() const { return points_.size() / 3; }
  std::size_t cells() const { return types_.size(); }
  // Fields have a value for every point or cell, in the order of adding.
  std::string bytes(std::span<const MeshField> fields, double t) const;

 private:
  void append_points(int dimension, ConstVector positions);

  std::vector<double> points_;
  std::vector<std::int64_t> connectivity_, offsets_;
  std::vector<std::uint8_t> types_;
};

}  // namespace livens
