// Distances between points, edges and triangles. Every pair of features has coefficients c of closest points, with sum
// 0, so that r = sum_i c_i x_i is the shortest vector between its sides and s = |r|^2. The parameters of c minimise s:
//
//   ds/dx_i = 2 c_i r,
//   d2s/dx2 = 2 C'C - f_xt f_tt^-1 f_tx over the parameters t strictly inside, f_xt,k = 2 (C_k'r + C'r_k),
//   f_tt,kl = 2 r_k.r_l,   C_k = dC/dt_k,   r_k = C_k x
//
// with one formula for all pairs. s is once continuously differentiable; that of two edges is not where they are
// parallel.
#pragma once

#include <array>

#include "contact/point3.hpp"

namespace livens {

struct Closest {
  double s = 0;               // squared distance
  Point3 r;                   // from the second side to the first
  std::array<double, 4> c{};  // of the points in the order of the arguments
  int inside = 0;             // parameters strictly inside: 0 of corners, 1 of an edge, 2 of a face or of two edges
  int part = 0;               // with one inside: the edge ab, bg, ga of a triangle; of two edges the one that has it
};

// Point p and the edge from a to b: c of p, a, b.
Closest point_edge(const Point3& p, const Point3& a, const Point3& b);

// The closest point within the plane of a triangle, if it lies inside: c of p, a, b, g. False if it does not, or if the
// triangle is too thin to say so; then one of its edges has it.
bool point_face(const Point3& p, const Point3& a, const Point3& b, const Point3& g, Closest& found);
// Point p and the triangle a, b, g. Ties go to the feature named first: edges ab, bg, ga.
Closest point_triangle(const Point3& p, const Point3& a, const Point3& b, const Point3& g);

// Edges a b and g h: c of a, b, g, h.
Closest edge_edge(const Point3& a, const Point3& b, const Point3& g, const Point3& h);

// Whether the shortest vector r of a pair has a right angle with an edge e up to rounding: closest points at an end of
// e then move along it, whatever moves.
inline bool is_across(const Point3& r, const Point3& e) {
  const double along = dot(r, e);
  return along * along <= 1e-18 * square(r) * square(e);
}

// Second derivatives of s for a pair with `count` points (2, 3 or 4), the 3 count x 3 count matrix in rows.
// `derivative` are the coefficients of C_k, one array for each parameter that is inside.
using ParameterDerivatives = std::array<std::array<double, 4>, 2>;
ParameterDerivatives point_edge_derivatives();
ParameterDerivatives point_triangle_derivatives(const Closest& at);
ParameterDerivatives edge_edge_derivatives(const Closest& at);
void second_derivatives(const Closest& at, const ParameterDerivatives& derivative, const Point3* x, int count,
                        double* hessian);

}  // namespace livens
