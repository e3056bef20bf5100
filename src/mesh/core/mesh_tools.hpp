// Meshes by generators and from files, their checks, and selections of nodes.
#pragma once

#include <array>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <livens/mesh.hpp>

namespace livens {

// A mesh that cannot be used; what() is ready to show: file:line, entity, what is wrong, what to try.
class MeshError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What was skipped, repaired or looks odd: a sentence each, beginning with the file's name.
struct MeshNotes {
  std::vector<std::string> warnings, repairs;
};

// --- generators ------------------------------------------------------------------------------------------------------

struct BoxSpec {
  std::array<double, 3> size{1, 1, 1}, corner{0, 0, 0};
  std::array<int, 3> cells{1, 1, 1};
  std::array<double, 3> grading{1, 1, 1};  // last cell over first, per axis
  int tets_per_cell = 6;                   // 5 (alternating) or 6
  ElementKind kind = ElementKind::tet4;
};
Mesh box_mesh(const BoxSpec& spec);  // groups x_min ... z_max

struct RectangleSpec {
  std::array<double, 2> size{1, 1}, corner{0, 0};
  std::array<int, 2> cells{1, 1};
  std::array<double, 2> grading{1, 1};
  ElementKind kind = ElementKind::tri3;
};
Mesh rectangle_mesh(const RectangleSpec& spec);  // two triangles a cell, alternating diagonals; groups x_min ... y_max

// tri3 -> tri6, tet4 -> tet10 with midsides on the straight edges; a group gets the midsides between its nodes that lie
// on the boundary or, for groups that hold whole elements, inside.
Mesh to_quadratic(const Mesh& mesh);

// --- files -----------------------------------------------------------------------------------------------------------

struct MeshRepair {
  bool flip = false, weld = false, drop_degenerate = false, drop_unused = false, close_holes = false;
  bool keep_double = false;  // nodes at one place are meant to be two: the faces of a crack
};
struct MeshFileOptions {
  MeshRepair repair;
  bool plane = false;  // a 2D body: take triangles, ignore z (which must be constant)
  double scale = 1;    // multiplies positions: 0.001 for a file in millimetres
};
// Gmsh 2.2 and 4.1 (ASCII and binary) and VTU, by content. Checked by check_mesh.
Mesh read_mesh(const std::filesystem::path& file, const MeshFileOptions& options, MeshNotes& notes);

// Finds inverted, degenerate, duplicate, unreferenced and non-finite entities; repairs what was asked for, refuses the
// rest. `place` names the source of an element or node for messages (line or byte); may be empty.
using MeshPlace = std::string (*)(const void* source, bool element, int index);
void check_mesh(Mesh& mesh, const std::string& name, const MeshRepair& repair, MeshNotes& notes,
                MeshPlace place = nullptr, const void* source = nullptr);

// Renumbers nodes (reverse Cuthill-McKee) so that neighbours are close in memory; tags keep the file's numbers.
void order_for_locality(Mesh& mesh);

// --- surfaces --------------------------------------------------------------------------------------------------------

struct Surface {
  std::vector<double> X;       // vertices x 3
  std::vector<int> triangles;  // triangles x 3
};
// OBJ, STL (ASCII and binary), PLY (ASCII and binary), by content. Polygons are cut into triangles; equal points of an
// STL are merged.
Surface read_surface(const std::filesystem::path& file, MeshNotes& notes);
// A closed surface, oriented outwards: small flaws (duplicates, degenerate triangles, wrong orientation) are mended
// and noted; holes are closed if asked for, refused otherwise.
void close_surface(Surface& surface, const std::string& name, const MeshRepair& repair, MeshNotes& notes);
// Tetrahedra of about the edge length inside a closed surface, by stuffing a body-centred cubic lattice.
Mesh fill_surface(const Surface& surface, double edge_length, MeshNotes& notes);

// --- selections (reference shape; sorted nodes) ----------------------------------------------------------------------

std::vector<int> select_box(const Mesh& mesh, const std::array<double, 3>& min, const std::array<double, 3>& max,
                            double within);
std::vector<int> select_plane(const Mesh& mesh, const std::array<double, 3>& point, const std::array<double, 3>& normal,
                              double within);
std::vector<int> select_sphere(const Mesh& mesh, const std::array<double, 3>& centre, double radius, double within);
std::vector<int> select_nearest(const Mesh& mesh, const std::array<double, 3>& point);
std::vector<int> select_boundary(const Mesh& mesh);

// Facets that belong to one element only, with outward orientation: edges (2 or 3 nodes) or triangles (3 or 6 nodes,
// VTK order), nodes_of_facet(kind) each.
struct Facets {
  int nodes_each = 3;
  std::vector<int> nodes;
  std::vector<int> element;  // that each belongs to
  int count() const { return static_cast<int>(element.size()); }
};
Facets boundary_facets(const Mesh& mesh);

// Length of the diagonal of the bounding box; what relative distances refer to.
double diameter(const Mesh& mesh);
double signed_volume(const Mesh& mesh, int element);  // of the straight simplex of the vertices

}  // namespace livens
