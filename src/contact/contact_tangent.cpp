#include "contact/contact_tangent.hpp"

#include <algorithm>

#include "contact/distance.hpp"

namespace livens {
namespace {

// Of |r| |g|: what is below in phi' is the rounding of its terms. There closest points hardly move, and theta is 1/2
// but for rounding.
constexpr double theta_rounding = 1e-9;

Point3 sum_of(const Coefficients& c, const Point3* x, int count) {
  Point3 sum;
  for (int i = 0; i < count; ++i) sum += c[i] * x[i];
  return sum;
}

}  // namespace

// Closest points at q1 as functions of q1: the parameters that are inside. Coefficients that are not 0 share what they
// sum to: those of the facet; of two edges each has its own. At a border those of 0 take part if r is across there: the
// derivative is then that of the side towards them.
//   dt = -f_tt^-1 f_tq dq1,  f_tq,k = 2 (C_k'r1 + C1'(C_k q1)),  f_tt,kl = 2 (C_k q1).(C_l q1)
void ContactTangent::take_parameters(const Contact& contact, const Point3* y0, const Point3* y1) {
  const Coefficients& c1 = contact.c1;
  const auto add = [&](int plus, int minus) {
    plus_[parameters_] = plus;
    minus_[parameters_++] = minus;
  };
  if (contact.edges) {
    for (int side = 0; side < 2; ++side) {
      const int a = 2 * side, b = a + 1;
      if ((c1[a] == 0 || c1[b] == 0) && !is_across(contact.r1, y1[b] - y1[a])) continue;
      if (side == 0)
        add(b, a);
      else
        add(a, b);
    }
  } else {
    int base = 1;
    while (base < contact.count && !(contact.touched[base] && c1[base] != 0)) ++base;
    for (int i = 1; i < contact.count && parameters_ < 2; ++i) {
      if (i == base || !contact.touched[i] || (c1[i] == 0 && !is_across(contact.r1, y1[i] - y1[base]))) continue;
      add(base, i);
    }
  }
  for (int k = 0; k < parameters_; ++k) {
    at1_[k] = y1[plus_[k]] - y1[minus_[k]];
    turned_[k] = y0[plus_[k]] - y0[minus_[k]];
  }
  if (parameters_ == 1) inverse_[0] = 1 / square(at1_[0]);
  if (parameters_ == 2) {
    const double t00 = square(at1_[0]), t01 = dot(at1_[0], at1_[1]), t11 = square(at1_[1]);
    const double det = t00 * t11 - t01 * t01;
    inverse_[0] = t11 / det;
    inverse_[1] = -t01 / det;
    inverse_[2] = t00 / det;
  }
}

// y0, y1: the points of the contact.
void ContactTangent::begin_general(const Contact& contact, const Point3* y0, const Point3* y1) {
  const int n = contact.count;
  const double theta = contact.theta;
  general_ = true;
  theta_ = theta;
  force_ = contact.force;
  steep_ = contact.steep * contact.mean;
  mean_ = contact.force * contact.mean;
  for (int i = 0; i < n; ++i) D_[i] = contact.c1[i] - contact.c0[i];
  if (contact.force == 0) return;
  take_parameters(contact, y0, y1);
  const int own = contact.edges ? 2 : 1;
  const Point3 g0 = slide(contact.c0, contact.c1, y0, own, n), g1 = slide(contact.c0, contact.c1, y1, own, n);
  const Point3 r10 = contact.r1 - g1, r00 = contact.mean - theta * g0 - (r10 + theta * g1);
  const double fall = 2 * theta * (square(g1) - square(g0)) + 2 * (dot(r10, g1) - dot(r00, g0));
  const bool moves = -fall > theta_rounding * (length(r00) + length(r10)) * (length(g0) + length(g1));
  const Point3 by_g1 = (2 * (theta - 1)) * r10 + (2 * (theta * theta - 1)) * g1,
               by_g0 = (-2 * theta) * (r00 + theta * g0);
  for (int k = 0; k < parameters_; ++k) {
    // From a border that held the closest point at q0 it would not begin to move: theta -> 0.
    const Point3 at0 = turned_[k];
    part_[k] = moves || is_across(r00, at0) ? theta : 0;
    turned_[k] = (force_ * part_[k]) * (at0 + at1_[k]);
    if (moves) by_t_[k] = (-1 / fall) * (dot(by_g1, at1_[k]) + dot(by_g0, at0));
  }
  if (!moves) return;
  slid_ = force_ * (g0 + g1);
  by_c0_ = ((-1 / fall) * 2 * (theta - 1)) * g1;
  by_D_ = (-1 / fall) * by_g1;
}

// The rest of D(m b), with c = |a x b|^2 of the edges a and b:
//   (k' b[] C'm) (m'(c1)/2 dc1) + m[]/2 Dc (2 k' b'(u1) C1'r1) + <b> (m[]_1 dc1 Dc + m[] dDc)
void ContactTangent::begin_bent(const Contact& contact, const Point3* y0, const Point3* y1) {
  const BentEdges& from = contact.bend;
  const Point3 a0 = y0[1] - y0[0], b0 = y0[3] - y0[2];
  bent_ = true;
  bend_.a1 = y1[1] - y1[0], bend_.b1 = y1[3] - y1[2];
  const Point3 &a1 = bend_.a1, &b1 = bend_.b1;
  bend_.am = 0.5 * (a0 + a1), bend_.bm = 0.5 * (b0 + b1);
  bend_.aa = 0.5 * (square(a0) + square(a1));
  bend_.bb = 0.5 * (square(b0) + square(b1));
  bend_.ab = 0.5 * (dot(a0, b0) + dot(a1, b1));
  bend_.Dc_a = (2 * bend_.bb) * bend_.am - (2 * bend_.ab) * bend_.bm;
  bend_.Dc_b = (2 * bend_.aa) * bend_.bm - (2 * bend_.ab) * bend_.am;
  const double a1b1 = dot(a1, b1);
  bend_.c_a = (2 * square(b1)) * a1 - (2 * a1b1) * b1;
  bend_.c_b = (2 * square(a1)) * b1 - (2 * a1b1) * a1;
  bend_.by_c = (0.5 * from.plain_force * from.end_slope) * contact.mean;
  bend_.by_r1 = (0.5 * from.slope * from.end_force) * contact.r1;
  bend_.by_slope = from.mean_energy * from.slope_by_c1;
  bend_.energy = from.mean_energy * from.slope;
}

// On the points: - on the first of an edge, + on the second.
void ContactTangent::add_bent(const Point3* dx, const Point3& X_c1, Point3& U, Point3* y) const {
  const Bent& bend = bend_;
  const Point3 a = dx[1] - dx[0], b = dx[3] - dx[2];
  const double dc = dot(bend.c_a, a) + dot(bend.c_b, b), by_c = dot(bend.by_r1, X_c1) + bend.by_slope * dc,
               aa = dot(bend.a1, a), bb = dot(bend.b1, b), ab = dot(bend.b1, a) + dot(bend.a1, b);
  U += dc * bend.by_c;
  // dDc: on a 2 bb am - 2 ab bm, on b 2 aa bm - 2 ab am
  const Point3 on_a = by_c * bend.Dc_a + bend.energy * ((2 * bb) * bend.am - ab * bend.bm + bend.bb * a - bend.ab * b),
               on_b = by_c * bend.Dc_b + bend.energy * ((2 * aa) * bend.bm - ab * bend.am + bend.aa * b - bend.ab * a);
  y[0] -= on_a, y[1] += on_a, y[2] -= on_b, y[3] += on_b;
}

// max(0, k' (2 b_1 |m| d1 / range^2 + b[])) (C1'n1)(C1'n1)'
bool ContactTangent::begin_symmetric(const Contact& contact) {
  const double d1 = length(contact.r1), stiffness = contact.steep * length(contact.mean) * d1 + contact.force;
  if (!(stiffness > 0) || d1 == 0) {
    count_ = 0;
    return false;
  }
  r1_ = (1 / d1) * contact.r1;
  steep_ = stiffness * r1_;
  return true;
}

// A plane or a sphere at rest: force (d0 + d1) D(d)
//   steep m r1' + force ((1 - curved) D n1' + curved I), with D = m / (d0 + d1), n1 = r1 / d1
bool ContactTangent::begin_plane(const Contact& contact) {
  const double d1 = length(contact.r1);
  steep_ = contact.steep * contact.mean;
  if (contact.gaps > 0 && d1 > 0) {
    steep_ += (contact.force * (1 - contact.curved) / (contact.gaps * d1)) * contact.mean;
    force_ = contact.force * contact.curved;
    general_ = true;
  }
  return true;
}

bool ContactTangent::begin(const Contact& contact, bool symmetric, const Point3* x0, const Point3* x1) {
  count_ = 0;
  if (contact.force == 0 && contact.steep == 0 && !contact.bent) return false;
  if (symmetric)
    general_ = bent_ = false;  // what multiply() asks for then is set below
  else
    *this = {};
  count_ = contact.count;
  point_ = contact.point;
  c1_ = contact.c1;
  r1_ = contact.r1;
  if (symmetric) return begin_symmetric(contact);
  if (contact.body < 0) return begin_plane(contact);
  Point3 y0[most_contact_points], y1[most_contact_points];
  for (int i = 0; i < count_; ++i) {  // only differences count, and these lose no digits
    y0[i] = x0[point_[i]] - x0[point_[0]];
    y1[i] = x1[point_[i]] - x1[point_[0]];
  }
  begin_general(contact, y0, y1);
  if (contact.bent) begin_bent(contact, y0, y1);
  return true;
}

void ContactTangent::multiply(const Point3* dx, Point3* y) const {
  const Point3 X_c1 = sum_of(c1_, dx, count_);
  Point3 U = dot(r1_, X_c1) * steep_;
  if (!general_ && !bent_) {
    for (int i = 0; i < count_; ++i) y[i] = c1_[i] * U;
    return;
  }
  for (int i = 0; i < count_; ++i) y[i] = {};
  if (bent_) add_bent(dx, X_c1, U, y);
  Point3 V;
  if (general_) {
    const Point3 X_D = sum_of(D_, dx, count_);
    U += force_ * (X_c1 - (1 - theta_) * X_D);
    double by_t[2] = {0, 0}, dtheta = dot(by_c0_, X_c1 - X_D) + dot(by_D_, X_D);
    for (int k = 0; k < parameters_; ++k) by_t[k] = -(dot(r1_, dx[plus_[k]] - dx[minus_[k]]) + dot(at1_[k], X_c1));
    const double dt[2] = {inverse_[0] * by_t[0] + inverse_[1] * by_t[1], inverse_[1] * by_t[0] + inverse_[2] * by_t[1]};
    for (int k = 0; k < parameters_; ++k) {
      dtheta += by_t_[k] * dt[k];
      U += dt[k] * turned_[k];
      const Point3 W = (part_[k] * dt[k]) * mean_;
      y[plus_[k]] += W;
      y[minus_[k]] -= W;
    }
    U += dtheta * slid_;
    V = dtheta * mean_;
  }
  V -= (1 - theta_) * U;
  for (int i = 0; i < count_; ++i) y[i] += c1_[i] * U + D_[i] * V;
}

bool contact_tangent(const Contact& contact, double scale, bool symmetric, const Point3* x0, const Point3* x1,
                     double* matrix) {
  const int n = contact.count;
  std::fill(matrix, matrix + 9 * n * n, 0.0);
  ContactTangent tangent;
  if (!tangent.begin(contact, symmetric, x0, x1)) return false;
  Point3 dx[most_contact_points] = {}, y[most_contact_points];
  const Point3 units[3] = {{scale, 0, 0}, {0, scale, 0}, {0, 0, scale}};
  for (int j = 0; j < n; ++j) {
    for (int b = 0; b < 3; ++b) {
      dx[j] = units[b];
      tangent.multiply(dx, y);
      for (int i = 0; i < n; ++i) {
        double* to = matrix + 9 * i * n + 3 * j + b;
        to[0] = y[i].x, to[3 * n] = y[i].y, to[6 * n] = y[i].z;
      }
    }
    dx[j] = {};
  }
  return true;
}

}  // namespace livens
