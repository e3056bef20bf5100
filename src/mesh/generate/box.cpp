// Boxes and bars of tetrahedra.
//
// Six a cell: the Kuhn simplices 0, e_a, e_a + e_b, e_a + e_b + e_c of all permutations (a, b, c); all cells have the
// same cut, so faces match (H. W. Kuhn, Some combinatorial lemmas in topology, 1960). Five a cell: the nodes of even
// i + j + k of a cell are a regular tetrahedron, each odd one makes a corner with its three neighbours; faces match
// because the diagonal of a face always joins its even nodes.
#include <algorithm>

#include <livens/meshes.hpp>

#include "mesh/core/size.hpp"
#include "mesh/core/topology.hpp"
#include "mesh/generate/grading.hpp"

namespace livens {
namespace {

using Corner = std::array<int, 3>;

// Corners of a unit cell, as bits: x 1, y 2, z 4.
constexpr int six[6][4] = {{0, 1, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 3, 2, 7}, {0, 6, 4, 7}, {0, 5, 1, 7}};
constexpr int five_even[5][4] = {{0, 3, 5, 6}, {1, 0, 3, 5}, {2, 3, 0, 6}, {4, 5, 6, 0}, {7, 6, 5, 3}};

// Sixfold volume in a unit cell; only its sign is used.
int orientation(const int* corners) {
  int d[3][3];
  for (int k = 0; k < 3; ++k)
    for (int c = 0; c < 3; ++c) d[k][c] = ((corners[k + 1] >> c) & 1) - ((corners[0] >> c) & 1);
  return d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) - d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) +
         d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
}

// The tetrahedra of a cell, all of positive volume. For cells whose first corner is odd, five is mirrored in x.
std::vector<std::array<int, 4>> cell_tets(int tets_per_cell, bool odd) {
  std::vector<std::array<int, 4>> tets;
  for (int k = 0; k < tets_per_cell; ++k) {
    std::array<int, 4> tet;
    for (std::size_t a = 0; a < 4; ++a) tet[a] = tets_per_cell == 6 ? six[k][a] : five_even[k][a] ^ (odd ? 1 : 0);
    if (orientation(tet.data()) < 0) std::swap(tet[2], tet[3]);
    tets.push_back(tet);
  }
  return tets;
}

}  // namespace

Mesh box_mesh(const BoxSpec& spec) {
  if (dimension_of(spec.kind) != 3) throw MeshError("box: its elements are tet4 or tet10, not " + to_string(spec.kind));
  if (spec.tets_per_cell != 5 && spec.tets_per_cell != 6) throw MeshError("box: a cell has 5 or 6 tetrahedra");

  double cells = 1;
  for (const int n : spec.cells) cells *= std::max(n, 1);
  require_elements(cells * spec.tets_per_cell, spec.kind, "box", "Take fewer cells");

  std::array<std::vector<double>, 3> axis;
  for (std::size_t c = 0; c < 3; ++c)
    axis[c] = graded_points(spec.corner[c], spec.size[c], spec.cells[c], spec.grading[c], "box", "xyz"[c]);

  Mesh mesh;
  mesh.kind = ElementKind::tet4;
  mesh.regions = {"all"};
  const auto [nx, ny, nz] = spec.cells;
  const Corner strides{1, nx + 1, (nx + 1) * (ny + 1)};
  mesh.X.reserve(3 * axis[0].size() * axis[1].size() * axis[2].size());
  for (const double z : axis[2])
    for (const double y : axis[1])
      for (const double x : axis[0]) mesh.X.insert(mesh.X.end(), {x, y, z});

  const std::array<std::vector<std::array<int, 4>>, 2> tets{cell_tets(spec.tets_per_cell, false),
                                                            cell_tets(spec.tets_per_cell, true)};
  const std::size_t count = static_cast<std::size_t>(cells) * at(spec.tets_per_cell);
  mesh.connectivity.reserve(4 * count);
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) {
        const int first = i * strides[0] + j * strides[1] + k * strides[2];
        for (const auto& tet : tets[at((i + j + k) % 2)])
          for (const int corner : tet)
            mesh.connectivity.push_back(first + (corner & 1) * strides[0] + ((corner >> 1) & 1) * strides[1] +
                                        ((corner >> 2) & 1) * strides[2]);
      }
  mesh.region.assign(count, 0);

  for (int node = 0; node < mesh.nodes(); ++node)
    for (std::size_t c = 0; c < 3; ++c) {
      const int place = node / strides[c] % (spec.cells[c] + 1);
      const std::string name(1, "xyz"[c]);
      if (place == 0) mesh.groups[name + "_min"].push_back(node);
      if (place == spec.cells[c]) mesh.groups[name + "_max"].push_back(node);
    }
  return spec.kind == ElementKind::tet10 ? to_quadratic(mesh) : mesh;
}

}  // namespace livens
