// Meshes from arrays, from generators and from files, and closed surfaces filled with tetrahedra. All throw MeshError.
//
//   Mesh beam = box_mesh({.size = {4, 1, 1}, .cells = {16, 4, 4}});
//   Mesh part = read_mesh("part.msh");
//   Mesh bunny = fill_surface(read_closed_surface("bunny.ply"), 0.01);
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <livens/mesh.hpp>

namespace livens {

// --- arrays ----------------------------------------------------------------------------------------------------------

// Positions (nodes x dimension, m) and nodes of the elements, counted from 0, in the order of ElementKind. One region,
// "all"; groups are the caller's to add. Inverted, degenerate and duplicate elements and nodes without elements are
// refused.
Mesh mesh_from_arrays(ElementKind kind, std::vector<double> X, std::vector<int> connectivity);

// --- generators ------------------------------------------------------------------------------------------------------

struct BoxSpec {
  std::array<double, 3> size{1, 1, 1}, corner{0, 0, 0};  // m; the corner with the least coordinates
  std::array<int, 3> cells{1, 1, 1};
  std::array<double, 3> grading{1, 1, 1};  // last cell over first, per axis
  int tets_per_cell = 6;                   // 5 (alternating) or 6
  ElementKind kind = ElementKind::tet4;
};
Mesh box_mesh(const BoxSpec& spec);  // groups x_min ... z_max

struct RectangleSpec {
  std::array<double, 2> size{1, 1}, corner{0, 0};  // m
  std::array<int, 2> cells{1, 1};
  std::array<double, 2> grading{1, 1};
  ElementKind kind = ElementKind::tri3;
};
// Two triangles per cell, alternating diagonals; groups x_min ... y_max
Mesh rectangle_mesh(const RectangleSpec& spec);

enum class CrackKind { edge, center };

// [0, width] x [-height/2, height/2], cracked on y = 0 from x = 0 to x = length or in the middle of the width; with a
// thickness [0, thickness] in z. Elements are small at the tips of the crack. In m.
struct CrackedPlateSpec {
  std::array<double, 2> size{1, 1};  // width, height
  CrackKind crack = CrackKind::edge;
  double length = 0.5;       // of the crack
  double tip_size = 0.01;    // sides of the cells at a tip: between half of it and about it
  double edge_length = 0.1;  // sides of the cells far away, about
  int rings = 4;             // of cells of one size around a tip before the size doubles
  double thickness = 0;      // 0: plane
  int layers = 1;            // of cells through the thickness
  int refine = 0;            // so many times every element into 4 or 8
  ElementKind kind = ElementKind::tri6;
};
// Groups: x_min, x_max, y_min, y_max, with a thickness z_min, z_max; crack_tip, or crack_tip_left and crack_tip_right
// of a crack in the middle; crack_upper and crack_lower, the nodes of its faces without the tips.
Mesh cracked_plate_mesh(const CrackedPlateSpec& spec);

// [-width/2, width/2] x [-height/2, height/2] without the ellipse about the origin, of triangles that grow away from
// the hole. In m.
struct HoledPlateSpec {
  std::array<double, 2> size{1, 1};      // width, height
  std::array<double, 2> hole{0.1, 0.1};  // semi-axes
  double angle = 0;                      // of the first semi-axis from x, counter-clockwise, in radians
  int cells = 32;                        // around the hole; an even number is taken
  int refine = 0;                        // so many times every triangle into 4; the hole keeps its edges
  ElementKind kind = ElementKind::tri6;
};
Mesh holed_plate_mesh(const HoledPlateSpec& spec);  // groups hole, x_min, x_max, y_min, y_max

// --- changes ---------------------------------------------------------------------------------------------------------
// In this order: jitter in the grid, where faces are flat, then its image; regions and smaller elements there, midsides
// last. All but the last two functions are for linear elements.

using MeshFunction = std::function<double(std::span<const double>)>;  // of X, Y, Z

// Moves every node at random, along each axis by at most `part` (0 to 0.5) of its shortest edge along that axis; nodes
// of a group x_min, x_max, ... not along that axis, so that flat faces stay flat. A move that would leave one of the
// node's elements less than a tenth of its volume is halved, and dropped in the end. The same on every platform.
void jitter_nodes(Mesh& mesh, double part, unsigned long seed);

// X_c becomes shape[c](X). Throws MeshError where that is not finite, or where elements end up flat or inside out.
void map_nodes(Mesh& mesh, const std::vector<MeshFunction>& shape);

// An element belongs to the first region whose function is positive at its centroid, the others stay in "all".
// Throws MeshError for a region without elements.
void divide_into_regions(Mesh& mesh, const std::vector<std::string>& names, const std::vector<MeshFunction>& inside);

// Every triangle into 4 or tetrahedron into 8 by the middles of its edges; regions and groups follow. Four tetrahedra
// stand at the corners, the octahedron between them is cut along its shortest diagonal.
Mesh refined(const Mesh& mesh);

// tri3 -> tri6, tet4 -> tet10 with midsides on the straight edges; a group gets the midsides between its nodes that lie
// on the boundary or, for groups that hold whole elements, inside.
Mesh to_quadratic(const Mesh& mesh);

// Renumbers nodes so that neighbours are close in memory: by reverse Cuthill-McKee, where that makes layers of more
// nodes than `widest_layer` along Hilbert's curve. Tags keep the numbers that they had.
void order_for_locality(Mesh& mesh, int widest_layer = 2000);

// --- files -----------------------------------------------------------------------------------------------------------

// Repairs that are allowed; each one that is made is noted. What would need another one is refused.
struct MeshRepair {
  bool flip = false, weld = false, drop_degenerate = false, drop_unused = false, close_holes = false;
  bool keep_double = false;  // nodes at one place are meant to be two: the faces of a crack
};
struct MeshFileOptions {
  MeshRepair repair;
  bool plane = false;  // a 2D body: take triangles, ignore z (which must be constant)
  double scale = 1;    // multiplies positions: 0.001 for a file in millimetres
};
// Gmsh 1, 2, 4.0 and 4.1 (ASCII and binary), VTU, legacy VTK, Abaqus and MEDIT (ASCII), by content.
Mesh read_mesh(const std::filesystem::path& file, const MeshFileOptions& options, MeshNotes& notes);
Mesh read_mesh(const std::filesystem::path& file, const MeshFileOptions& options = {});

// --- surfaces --------------------------------------------------------------------------------------------------------

struct Surface {
  std::vector<double> X;       // m, vertices x 3
  std::vector<int> triangles;  // triangles x 3
};
// OBJ, STL (ASCII and binary), PLY (ASCII and binary), by content. Polygons are cut into triangles; equal points of an
// STL are merged.
Surface read_surface(const std::filesystem::path& file, MeshNotes& notes);
// A closed surface, oriented outwards: small flaws (duplicates, degenerate triangles, wrong orientation) are mended
// and noted; holes are closed if asked for, refused otherwise. `name` is for messages.
void close_surface(Surface& surface, const std::string& name, const MeshRepair& repair, MeshNotes& notes);
Surface read_closed_surface(const std::filesystem::path& file, const MeshRepair& repair = {});  // both
// Tetrahedra of about the edge length (m) inside a closed surface, by stuffing a body-centred cubic lattice. Parts
// thinner than the tetrahedra are lost: refused above `most_lost` of the volume.
Mesh fill_surface(const Surface& surface, double edge_length, MeshNotes& notes, double most_lost = 0.2);
Mesh fill_surface(const Surface& surface, double edge_length);

}  // namespace livens
