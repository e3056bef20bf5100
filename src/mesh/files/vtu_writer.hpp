// VTU files: one unstructured grid with point and cell fields, appended raw binary.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <livens/energy.hpp>
#include <livens/mesh.hpp>

namespace livens {

struct MeshField {
  std::string name;
  int components = 1;  // vectors of 2 are written with 3
  bool per_cell = false;
  std::vector<double> values;
};

// The bytes of a VTU file of the mesh with its nodes at `positions` (nodes x dimension). elements: the ones to write,
// empty = all.
std::string vtu_bytes(const Mesh& mesh, ConstVector positions, std::span<const MeshField> fields, double t = 0,
                      std::span<const int> elements = {});

}  // namespace livens
