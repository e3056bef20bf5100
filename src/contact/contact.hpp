// One contact in a step: points with their coefficients, and the discrete gradient of its part of the barrier,
//
//   DB = (k / range^2) b[u0, u1] C'(r_0 + r_1)
//
// (mean_closest.hpp), with its derivatives by q1:
//
//   general     k' [ (b_1 / range^2) C'rm (2 C1'r1)' + b[] C'n n'C ],       k' = k / range^2, rm = r_0 + r_1, n = rm /
//   |rm| symmetric   max(0, k' (2 b_1 |rm| d1 / range^2 + b[])) (C1'n1)(C1'n1)'
//
// The first leaves out how C follows q1, except that it cancels b[] C'C along the surface; the second is positive
// semi-definite, and made with the closest points at q1, where the gap is measured.
#pragma once

#include <array>

#include "contact/mean_closest.hpp"

namespace livens {

struct Contact {
  int count = 0;
  std::array<int, most_contact_points> point{};
  Coefficients c0{}, c{}, c1{};
  Point3 mean, r1;   // r_0 + r_1 with C; C1 q1
  double force = 0;  // k' b[], negative: the gradient is force C' mean
  double steep = 0;  // 2 k' b_1 / range^2
  bool edges = false;
  int body = -1;       // that is touched; -1: a plane
  int own = -1;        // that the first point belongs to, if it has a share of the arm of friction (friction.hpp)
  double own_arm = 0;  // m, that share: the radius of a ball; infinite: all
  double normal = 0;   // N, force that friction refers to, and its direction, towards the first point
  Point3 direction;
  // Of edges that are nearly parallel: D(m b) = 1/2 (m0 + m1) Db + 1/2 (b0 + b1) m[] Dc. `force` and `steep` have the
  // first factor; the gradient has bend = 1/2 (b0 + b1) m[] Dc on top, and its derivative (k' b[] C'mean) (m'(c1)/2
  // dc/dq1)' + (m[]/2 Dc) (2 k' b'(u1) C1'r1)'.
  bool bent = false;
  std::array<Point3, 4> bend{}, more{}, by_cross{};  // bend; m[]/2 Dc; m'(c1)/2 dc/dq1
  double plain_force = 0, end_force = 0;             // k' b[] without m; 2 k' b'(u1)
};

// Friction refers to the force of the contact itself. Not where it is one of several features of a set.
inline void take_normal_force(Contact& contact) {
  const double long_mean = length(contact.mean);
  contact.normal = -contact.force * long_mean;
  if (long_mean > 0) contact.direction = (1 / long_mean) * contact.mean;
}

// forces += scale * DB, point by point.
inline void add_forces(const Contact& contact, double scale, Point3* forces) {
  for (int i = 0; i < contact.count; ++i)
    forces[contact.point[i]] += (scale * contact.force * contact.c[i]) * contact.mean;
  if (!contact.bent) return;
  for (int i = 0; i < 4; ++i) forces[contact.point[i]] += scale * contact.bend[i];
}

// The 3 count x 3 count matrix d DB / d q1 in rows, times scale; false if there is nothing.
bool contact_tangent(const Contact& contact, double scale, bool symmetric, double* matrix);

}  // namespace livens
