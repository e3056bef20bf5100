// The size of a mesh, and whether its elements are usable: signed volume, and the Jacobian determinant where midsides
// bend them.
#pragma once

#include <livens/mesh.hpp>

namespace livens {

// Length of the diagonal of the bounding box; what relative distances refer to.
double diameter(const Mesh& mesh);
double signed_volume(const Mesh& mesh, int element);  // of the straight simplex of the vertices

// An element is degenerate if |V| <= 1e-9 L^dim, L its longest straight edge: below that the digits in which files
// give positions decide about the sign.
inline constexpr double degenerate_volume = 1e-9;

struct ElementShape {
  double volume = 0;          // of the straight simplex
  double longest_edge = 0;    // between vertices
  int repeated = -1;          // a node that occurs twice, -1 for none
  double least_jacobian = 0;  // det(dX/d reference) at vertices, midsides, quadrature points; 6 V or 2 V if straight
  int least_at = -1;          // the local node where it is least, -1: inside
  bool degenerate() const;
  int dimension = 3;
};

ElementShape shape_of(const Mesh& mesh, int element);

}  // namespace livens
