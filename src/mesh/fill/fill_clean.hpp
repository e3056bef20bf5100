// What stuffing leaves where the body is thinner than the lattice: loose pieces, and tetrahedra that hang together by
// an edge or a node only.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "mesh/fill/surface_geometry.hpp"

namespace livens::geometry {

struct Stuffing {
  std::vector<double> X;                 // nodes x 3
  std::vector<int> tets;                 // tetrahedra x 4
  std::vector<std::uint8_t> on_surface;  // per node: a face can be on the boundary only if all its nodes are marked
  std::vector<std::array<int, 3>> skin;  // outward faces, filled by clean
};

struct Cleaning {
  int dropped_pieces = 0;
  std::size_t dropped_tets = 0;   // of loose pieces
  std::size_t removed_tets = 0;   // that hung by an edge or a node
  std::vector<std::size_t> kept;  // tetrahedra of each piece that stays
  Vec3 dropped_near;
};

// Afterwards the boundary is a closed manifold, nodes are those in use, and pieces with less than a twentieth of the
// largest piece's tetrahedra are gone.
Cleaning clean(Stuffing& mesh);

}  // namespace livens::geometry
