// What a file holds, before it is decided which of it is the body: positions in space, simplices of all four kinds,
// labels. Readers fill it; assemble_mesh makes the mesh.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <livens/meshes.hpp>

#include "mesh/files/source.hpp"

namespace livens {

// Positions of numbers that need be neither dense nor ordered.
class TagMap {
 public:
  // Gives the position of the second occurrence of a tag, -1 if there is none.
  int build(const std::vector<long>& tags);
  // The position, -1 for a tag that is not there.
  int find(long tag) const {
    if (dense_.empty()) return find_sorted(tag);
    const auto k = static_cast<unsigned long>(tag) - static_cast<unsigned long>(lowest_);
    return k < dense_.size() ? dense_[k] : -1;
  }

 private:
  int find_sorted(long tag) const;

  long lowest_ = 0;
  std::vector<int> dense_;
  std::vector<std::pair<long, int>> sorted_;
};

struct RawCells {
  std::vector<int> nodes;             // nodes_of(kind) each, VTK order
  std::vector<long> tags;             // may be empty
  std::vector<int> label;             // index of RawMesh::labels
  std::vector<std::uint64_t> offset;  // in the file
  int count() const { return static_cast<int>(label.size()); }
};

struct RawMesh {
  std::vector<double> X;                             // nodes x 3
  std::vector<long> node_tags;                       // may be empty
  std::vector<std::uint64_t> node_offset;            // in the file
  bool offsets_are_lines = true;                     // else bytes are named
  std::array<RawCells, 4> cells;                     // by ElementKind
  std::vector<std::vector<std::string>> labels{{}};  // groups of a label; the first label has none
  std::vector<std::pair<int, int>> marked;           // label and node, of points and lines
  std::vector<char> elsewhere;                       // nodes of points, lines and cells that are not read
  std::map<std::string, long> skipped;               // "hexahedra" -> 512

  int nodes() const { return static_cast<int>(X.size() / 3); }
  RawCells& of(ElementKind kind) { return cells[static_cast<int>(kind)]; }
  const RawCells& of(ElementKind kind) const { return cells[static_cast<int>(kind)]; }
};

// Readers, by format. Faults are MeshErrors with line or byte.
RawMesh read_gmsh(const MeshSource& source);
RawMesh read_vtu(const MeshSource& source);
RawMesh read_vtk(const MeshSource& source);     // legacy files
RawMesh read_abaqus(const MeshSource& source);  // input files of Abaqus and CalculiX
RawMesh read_medit(const MeshSource& source);   // text

// The body: tetrahedra, or triangles where there are none or a plane body is asked for. Checked.
Mesh assemble_mesh(RawMesh&& raw, const MeshSource& source, const MeshFileOptions& options, MeshNotes& notes);

// What read_mesh does once the file is in memory.
Mesh mesh_of(const MeshSource& source, const MeshFileOptions& options, MeshNotes& notes);

}  // namespace livens
