#include "contact/contact.hpp"

#include <algorithm>

#include "contact/distance.hpp"

namespace livens {
namespace {

constexpr int most_rows = 3 * most_contact_points;
// Of |r| |g|: what is below in phi' is the rounding of its terms. There closest points hardly move, and theta is 1/2
// but for rounding.
constexpr double theta_rounding = 1e-9;

using Row = std::array<Point3, most_contact_points>;  // a vector, or a linear function of dq1

// Adds outer products to the matrix of a contact.
struct Blocks {
  int n;
  double scale;
  double* matrix;

  template <class Left, class Right>
  void add_outer(const Left& left, const Right& right) const {
    for (int i = 0; i < n; ++i) {
      const Point3 l = left(i);
      const double rows[3] = {scale * l.x, scale * l.y, scale * l.z};
      for (int j = 0; j < n; ++j) {
        const Point3 r = right(j);
        const double columns[3] = {r.x, r.y, r.z};
        for (int a = 0; a < 3; ++a)
          for (int b = 0; b < 3; ++b) matrix[(3 * i + a) * 3 * n + 3 * j + b] += rows[a] * columns[b];
      }
    }
  }
  // + factor * weight I between i and j
  void add_identity(int i, int j, double factor) const {
    for (int a = 0; a < 3; ++a) matrix[(3 * i + a) * 3 * n + 3 * j + a] += scale * factor;
  }
};

// Closest points at q1 as functions of q1: the parameters that are inside, and their derivatives.
struct Parameters {
  int count = 0;
  std::array<Coefficients, 2> C{};  // dC1/dt_k
  std::array<Point3, 2> at0, at1;   // C_k q0, C_k q1
  std::array<Row, 2> dt{};
};

// Coefficients that are not 0 share what they sum to: those of the facet; of two edges each has its own. At a border
// those of 0 take part if r is across there: the derivative is then that of the side towards them.
void take_parameters(const Contact& contact, const Point3* y1, Parameters& found) {
  const Coefficients& c1 = contact.c1;
  if (contact.edges) {
    for (int side = 0; side < 2; ++side) {
      const int a = 2 * side, b = a + 1;
      if ((c1[a] == 0 || c1[b] == 0) && !is_across(contact.r1, y1[b] - y1[a])) continue;
      found.C[found.count][a] = side == 0 ? -1 : 1;
      found.C[found.count++][b] = side == 0 ? 1 : -1;
    }
    return;
  }
  int base = 1;
  while (base < contact.count && !(contact.touched[base] && c1[base] != 0)) ++base;
  for (int i = 1; i < contact.count && found.count < 2; ++i) {
    if (i == base || !contact.touched[i] || (c1[i] == 0 && !is_across(contact.r1, y1[i] - y1[base]))) continue;
    found.C[found.count][base] = 1;
    found.C[found.count++][i] = -1;
  }
}

// dt = -f_tt^-1 f_tq dq1,  f_tq,k = 2 (C_k'r1 + C1'(C_k q1)),  f_tt,kl = 2 (C_k q1).(C_l q1)
Parameters parameters_of(const Contact& contact, const Point3* y0, const Point3* y1) {
  Parameters found;
  take_parameters(contact, y1, found);
  const int n = contact.count;
  for (int k = 0; k < found.count; ++k)
    for (int i = 0; i < n; ++i) {
      found.at0[k] += found.C[k][i] * y0[i];
      found.at1[k] += found.C[k][i] * y1[i];
    }
  double inverse[2][2] = {{0, 0}, {0, 0}};
  if (found.count == 1) inverse[0][0] = 1 / square(found.at1[0]);
  if (found.count == 2) {
    const double t00 = square(found.at1[0]), t01 = dot(found.at1[0], found.at1[1]), t11 = square(found.at1[1]);
    const double det = t00 * t11 - t01 * t01;
    inverse[0][0] = t11 / det;
    inverse[1][1] = t00 / det;
    inverse[0][1] = inverse[1][0] = -t01 / det;
  }
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < found.count; ++k)
      for (int l = 0; l < found.count; ++l)
        found.dt[k][i] -= inverse[k][l] * (found.C[l][i] * contact.r1 + contact.c1[i] * found.at1[l]);
  return found;
}

// The exact derivative of force C'm. y0, y1: the points of the contact.
void add_general(const Contact& contact, const Point3* y0, const Point3* y1, const Blocks& blocks) {
  const int n = contact.count;
  const Coefficients &c0 = contact.c0, &c = contact.c, &c1 = contact.c1;
  const double theta = contact.theta, force = contact.force;
  const Point3& mean = contact.mean;
  blocks.add_outer([&](int i) { return (contact.steep * c[i]) * mean; }, [&](int j) { return c1[j] * contact.r1; });
  if (force == 0) return;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) blocks.add_identity(i, j, force * c[i] * c[j]);
  const Parameters t = parameters_of(contact, y0, y1);
  const int own = contact.edges ? 2 : 1;
  const Point3 g0 = slide(c0, c1, y0, own, n), g1 = slide(c0, c1, y1, own, n);
  const Point3 r10 = contact.r1 - g1, r00 = mean - theta * g0 - (r10 + theta * g1);
  const double fall = 2 * theta * (square(g1) - square(g0)) + 2 * (dot(r10, g1) - dot(r00, g0));
  const bool moves = -fall > theta_rounding * (length(r00) + length(r10)) * (length(g0) + length(g1));
  for (int k = 0; k < t.count; ++k) {
    // From a border that held the closest point at q0 it would not begin to move: theta -> 0.
    const double part = moves || is_across(r00, t.at0[k]) ? force * theta : 0;
    const Point3 turned = t.at0[k] + t.at1[k];
    blocks.add_outer([&](int i) { return (part * t.C[k][i]) * mean + (part * c[i]) * turned; },
                     [&](int j) { return t.dt[k][j]; });
  }
  if (!moves) return;
  const Point3 by_r10 = (2 * (theta - 1)) * g1, by_g1 = (2 * (theta - 1)) * r10 + (2 * (theta * theta - 1)) * g1,
               by_g0 = (-2 * theta) * (r00 + theta * g0);
  const auto dtheta = [&](int j) {
    Point3 by_q = c0[j] * by_r10 + (c1[j] - c0[j]) * by_g1;
    for (int k = 0; k < t.count; ++k) by_q += (dot(by_g1, t.at1[k]) + dot(by_g0, t.at0[k])) * t.dt[k][j];
    return (-1 / fall) * by_q;
  };
  const Point3 turned = g0 + g1;
  blocks.add_outer([&](int i) { return (force * (c1[i] - c0[i])) * mean + (force * c[i]) * turned; }, dtheta);
}

// The rest of D(m b), with c = |a x b|^2 of the edges a and b:
//   (k' b[] C'm) (m'(c1)/2 dc1) + m[]/2 Dc (2 k' b'(u1) C1'r1) + <b> (m[]_1 dc1 Dc + m[] dDc)
void add_bent(const Contact& contact, const Point3* y0, const Point3* y1, const Blocks& blocks) {
  const BentEdges& bend = contact.bend;
  const Point3 a0 = y0[1] - y0[0], a1 = y1[1] - y1[0], b0 = y0[3] - y0[2], b1 = y1[3] - y1[2];
  const Point3 am = 0.5 * (a0 + a1), bm = 0.5 * (b0 + b1);
  const double aa = 0.5 * (square(a0) + square(a1)), bb = 0.5 * (square(b0) + square(b1)),
               ab = 0.5 * (dot(a0, b0) + dot(a1, b1));
  // On the points: - on the first of an edge, + on the second.
  const auto on = [](const Point3& by_a, const Point3& by_b) {
    return [by_a, by_b](int i) { return (i % 2 == 0 ? -1.0 : 1.0) * (i < 2 ? by_a : by_b); };
  };
  const auto Dc = on((2 * bb) * am - (2 * ab) * bm, (2 * aa) * bm - (2 * ab) * am);
  const double a1b1 = dot(a1, b1);
  const auto dc1 = on((2 * square(b1)) * a1 - (2 * a1b1) * b1, (2 * square(a1)) * b1 - (2 * a1b1) * a1);
  blocks.add_outer([&](int i) { return (bend.plain_force * contact.c[i]) * contact.mean; },
                   [&](int j) { return (0.5 * bend.end_slope) * dc1(j); });
  blocks.add_outer([&](int i) { return (0.5 * bend.slope) * Dc(i); },
                   [&](int j) { return (bend.end_force * contact.c1[j]) * contact.r1; });
  blocks.add_outer([&](int i) { return (bend.mean_energy * bend.slope_by_c1) * Dc(i); }, dc1);
  // dDc: by_a = 2 bb am - 2 ab bm, by_b = 2 aa bm - 2 ab am
  const double w = bend.mean_energy * bend.slope;
  const Point3 none;
  blocks.add_outer([&](int i) { return w * on(2.0 * am, none)(i); }, on(none, b1));
  blocks.add_outer([&](int i) { return w * on(none, 2.0 * bm)(i); }, on(a1, none));
  blocks.add_outer([&](int i) { return -w * on(bm, am)(i); }, on(b1, a1));
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      const double sign = (i + j) % 2 == 0 ? 1 : -1;
      blocks.add_identity(i, j, sign * w * (i < 2 ? (j < 2 ? bb : -ab) : (j < 2 ? -ab : aa)));
    }
}

}  // namespace

bool contact_tangent(const Contact& contact, double scale, bool symmetric, const Point3* x0, const Point3* x1,
                     double* matrix) {
  const int n = contact.count;
  std::fill(matrix, matrix + 9 * n * n, 0.0);
  if (contact.force == 0 && contact.steep == 0 && !contact.bent) return false;
  const Blocks blocks{n, scale, matrix};
  if (symmetric) {
    const double d1 = length(contact.r1), stiffness = contact.steep * length(contact.mean) * d1 + contact.force;
    if (!(stiffness > 0) || d1 == 0) return false;
    const Point3 n1 = (1 / d1) * contact.r1;
    blocks.add_outer([&](int i) { return (stiffness * contact.c1[i]) * n1; },
                     [&](int j) { return contact.c1[j] * n1; });
    return true;
  }
  Point3 y0[most_contact_points], y1[most_contact_points];
  for (int i = 0; i < n; ++i) {  // only differences count, and these lose no digits
    y0[i] = x0[contact.point[i]] - x0[contact.point[0]];
    y1[i] = x1[contact.point[i]] - x1[contact.point[0]];
  }
  if (contact.body < 0) {  // a plane or a sphere at rest: force (d0 + d1) D(d)
    const double d1 = length(contact.r1);
    blocks.add_outer([&](int) { return contact.steep * contact.mean; }, [&](int) { return contact.r1; });
    if (contact.gaps > 0 && d1 > 0) {
      const Point3 D = (1 / contact.gaps) * contact.mean, n1 = (1 / d1) * contact.r1;
      blocks.add_outer([&](int) { return (contact.force * (1 - contact.curved)) * D; }, [&](int) { return n1; });
      blocks.add_identity(0, 0, contact.force * contact.curved);
    }
    return true;
  }
  add_general(contact, y0, y1, blocks);
  if (contact.bent) add_bent(contact, y0, y1, blocks);
  return true;
}

}  // namespace livens
