// Masses lumped by Voronoi cells [K06 5.1]: every node has the part of a straight element that is nearest to it,
//
//   triangle      m_a = rho/8 sum over its edges |e|^2 cot(angle opposite e)
//   tetrahedron   m_a = rho/6 sum over orders (a, b, c, d) of its vertices sign det(m_ab - a, c_abc - a, c_abcd - a)
//
// with m the middle of an edge and c the centres of circumscribed circles and spheres. Where these lie outside, parts
// count negative: sums over elements are Voronoi cells in Delaunay meshes, and the mass of the body in all.
#pragma once

#include "bodies/solid.hpp"

namespace livens {

// Throws AssemblyError with the key mass_matrix for quadratic elements, and where a node has no mass left.
SolidMass voronoi_mass(const Mesh& mesh, const std::vector<double>& density_of_element, double thickness);

}  // namespace livens
