// One contact in a step: points with their coefficients, and the discrete gradient of its part of the barrier,
//
//   DB = k' b[u0, u1] C'm,   m = r_0 + r_1,   k' = k / range^2
//
// (mean_closest.hpp), with its derivatives by q1. The general form is exact. c = c0 + theta (c1 - c0) follows q1 by the
// parameters t of the closest point at q1, which minimise s1, and by theta, at which phi(theta, q1) = 0:
//
//   dDB = k' { b_1 (C'm) du1 + b[] [ C'C dq1 + sum_k theta (C_k'm + C'(C_k (q0 + q1))) dt_k
//              + (D'm + C'(D (q0 + q1))) dtheta ] },   C_k = dC1/dt_k,   D = C1 - C0,
//   dt = -f_tt^-1 f_tq dq1 (distance.hpp),   du1 = 2 r1.C1 dq1 / range^2,
//   dtheta = -(1/phi') { 2 (theta - 1) g1.C0 + 2 [(theta - 1) C0 q1 + (theta^2 - 1) g1].dg1 - 2 theta r_0.dg0 },
//   g_k = D q_k,   dg1 = D dq1 + sum_k C_k q1 dt_k,   dg0 = sum_k C_k q0 dt_k
//
// Planes and spheres at rest (contact_barrier.hpp) are functions of one gap d, with D(d) = n, or (r_0 + r_1) / (|r_0| +
// |r_1|): m = (d_0 + d_1) D(d), whose derivative is D n1' + (d_0 + d_1) / (|r_0| + |r_1|) (1 - D n1').
//
// The symmetric one, max(0, k' (2 b_1 |m| d1 / range^2 + b[])) (C1'n1)(C1'n1)', is positive semi-definite, and made
// with the closest points at q1, where the gap is measured.
#pragma once

#include <array>

#include "contact/mean_closest.hpp"

namespace livens {

// Of edges that are nearly parallel: D(m b) = 1/2 (m0 + m1) Db + 1/2 (b0 + b1) m[] Dc (edge_pairs.hpp).
struct BentEdges {
  std::array<Point3, 4> force{};                     // 1/2 (b0 + b1) m[] Dc
  double plain_force = 0;                            // k' b[], without m
  double end_force = 0;                              // 2 k' b'(u1)
  double mean_energy = 0;                            // 1/2 (b0 + b1)
  double slope = 0, slope_by_c1 = 0, end_slope = 0;  // m[], its derivative by c1, m'(c1)
};

struct Contact {
  int count = 0;
  std::array<int, most_contact_points> point{};
  Coefficients c0{}, c{}, c1{};
  double theta = 0.5;
  Point3 mean, r1;   // r_0 + r_1 with C; C1 q1
  double force = 0;  // k' b[], negative: the gradient is force C' mean
  double steep = 0;  // 2 k' b_1 / range^2
  bool edges = false;
  std::array<bool, most_contact_points> touched{};  // corners of the feature at q1 that the closest point moves over
  int body = -1;                                    // that is touched; -1: a plane
  int own = -1;        // that the first point belongs to, if it has a share of the arm of friction (friction.hpp)
  double own_arm = 0;  // m, that share: the radius of a ball; infinite: all
  // Of sides that are alike, edges and balls that turn: each has half of the gap beside its arm, so that it does not
  // matter which one is the first.
  bool alike = false;
  double other_arm = 0;  // m, the radius of the other ball
  double normal = 0;     // N, force that friction refers to, and its direction, towards the first point
  Point3 direction;
  double gap = 0;       // m, the smaller of those at both ends of the step
  double gaps = 0;      // m, d_0 + d_1, of planes and spheres at rest
  double curved = 0;    // its share of |r_0| + |r_1| of a sphere, negative inside; 0: a plane
  double withheld = 0;  // J, that it keeps of what it releases in the step (restitution.hpp)
  bool bent = false;    // `force` and `steep` then have the factor 1/2 (m0 + m1)
  BentEdges bend;
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
  for (int i = 0; i < 4; ++i) forces[contact.point[i]] += scale * contact.bend.force[i];
}

// The 3 count x 3 count matrix d DB / d q1 in rows, times scale; false if there is nothing. x0, x1: of all points of
// the surfaces at both ends of the step.
bool contact_tangent(const Contact& contact, double scale, bool symmetric, const Point3* x0, const Point3* x1,
                     double* matrix);

}  // namespace livens
