#include "contact/edge_pairs.hpp"

#include "contact/rational_barrier.hpp"

namespace livens {
namespace {

// m, m' and m[c0, c1]
double weakening(double c, double cx) { return c < cx ? c / cx * (2 - c / cx) : 1; }
double weakening_slope(double c, double cx) { return c < cx ? 2 * (1 - c / cx) / cx : 0; }

double weakening_difference(double c0, double c1, double cx) {
  if (c0 < cx && c1 < cx) return (2 - (c0 + c1) / cx) / cx;
  if (c0 >= cx && c1 >= cx) return 0;
  const double low = std::min(c0, c1), high = std::max(c0, c1), rest = 1 - low / cx;
  return rest * rest / (high - low);  // 1 - m(low) = (1 - low/cx)^2
}

// d m[c0, c1] / dc1
double weakening_difference_slope(double c0, double c1, double cx) {
  if (c0 < cx && c1 < cx) return -1 / (cx * cx);
  if (c0 >= cx && c1 >= cx) return 0;
  const double rest = 1 - std::min(c0, c1) / cx, apart = c1 - c0;
  if (c0 < c1) return -rest * rest / (apart * apart);
  return (2 * rest / cx + rest * rest / apart) / apart;
}

// On the points of both edges: dc/dx for equal ends, Dc otherwise.
std::array<Point3, 4> cross_difference(const EdgePair& pair, const std::vector<Point3>& x0,
                                       const std::vector<Point3>& x1) {
  const auto& p = pair.point;
  const Point3 a0 = x0[p[1]] - x0[p[0]], a1 = x1[p[1]] - x1[p[0]], b0 = x0[p[3]] - x0[p[2]], b1 = x1[p[3]] - x1[p[2]];
  const Point3 am = 0.5 * (a0 + a1), bm = 0.5 * (b0 + b1);
  const double aa = 0.5 * (square(a0) + square(a1)), bb = 0.5 * (square(b0) + square(b1)),
               ab = 0.5 * (dot(a0, b0) + dot(a1, b1));
  const Point3 by_a = (2 * bb) * am - (2 * ab) * bm, by_b = (2 * aa) * bm - (2 * ab) * am;
  return {-1.0 * by_a, by_a, -1.0 * by_b, by_b};
}

double u_of(const EdgePair& pair, const EdgePairState& at) { return at.closest.s / (pair.range * pair.range); }

}  // namespace

EdgePairState edge_pair_state(const EdgePair& pair, const std::vector<Point3>& x) {
  const auto& p = pair.point;
  return {edge_edge(x[p[0]], x[p[1]], x[p[2]], x[p[3]]), square(cross(x[p[1]] - x[p[0]], x[p[3]] - x[p[2]]))};
}

EdgeWeakening edge_pair_weakening(const EdgePair& pair, const EdgePairState& at, const std::vector<Point3>& x) {
  EdgeWeakening found;
  found.value = weakening(at.cross, pair.cross_scale);
  const double slope = weakening_slope(at.cross, pair.cross_scale);
  found.varies = slope != 0;
  if (!found.varies) return found;
  const auto by_cross = cross_difference(pair, x, x);
  for (int i = 0; i < 4; ++i) found.by_point[i] = slope * by_cross[i];
  return found;
}

double edge_pair_energy(const EdgePair& pair, const EdgePairState& at) {
  return pair.strength * weakening(at.cross, pair.cross_scale) * rational_barrier::value(u_of(pair, at));
}

void add_edge_pair_gradient(const EdgePair& pair, const EdgePairState& at, const std::vector<Point3>& x, double scale,
                            Point3* forces) {
  const double u = u_of(pair, at);
  if (!(u < 1)) return;
  const double factor = 2 * scale * pair.strength / (pair.range * pair.range) * rational_barrier::first(u) *
                        weakening(at.cross, pair.cross_scale);
  for (int i = 0; i < 4; ++i) forces[pair.point[i]] += (factor * at.closest.c[i]) * at.closest.r;
  const double slope = weakening_slope(at.cross, pair.cross_scale);
  if (slope == 0) return;
  const auto by_cross = cross_difference(pair, x, x);
  for (int i = 0; i < 4; ++i)
    forces[pair.point[i]] += (scale * pair.strength * rational_barrier::value(u) * slope) * by_cross[i];
}

bool edge_pair_contact(const EdgePair& pair, const EdgePairState& at0, const EdgePairState& at1,
                       const std::vector<Point3>& x0, const std::vector<Point3>& x1, Contact& contact) {
  const double u0 = u_of(pair, at0), u1 = u_of(pair, at1), cx = pair.cross_scale;
  if (!(u0 < 1) && !(u1 < 1)) return false;
  const double k = pair.strength, scaled = k / (pair.range * pair.range);
  contact.count = 4;
  contact.edges = true;
  Point3 y0[4], y1[4];
  Coefficients c0{};
  for (int i = 0; i < 4; ++i) {
    contact.point[i] = pair.point[i];
    c0[i] = at0.closest.c[i];
    contact.c1[i] = at1.closest.c[i];
    y0[i] = x0[pair.point[i]];
    y1[i] = x1[pair.point[i]];
  }
  contact.c0 = c0;
  const MeanClosest mean = mean_closest({c0, at0.closest.r, y0}, {contact.c1, at1.closest.r, y1}, 2, 4);
  const auto b = rational_barrier::difference(u0, u1);
  const double middle = 0.5 * (weakening(at0.cross, cx) + weakening(at1.cross, cx));
  contact.c = mean.c;
  contact.theta = mean.theta;
  contact.mean = mean.r0 + mean.r1;
  contact.r1 = at1.closest.r;
  contact.force = middle * scaled * b.slope;
  contact.steep = middle * 2 * scaled * b.by_u1 / (pair.range * pair.range);
  BentEdges& bend = contact.bend;
  bend.slope = weakening_difference(at0.cross, at1.cross, cx);
  contact.bent = bend.slope != 0;
  if (!contact.bent) return true;
  bend.plain_force = scaled * b.slope;
  bend.end_force = 2 * scaled * rational_barrier::first(u1);
  bend.mean_energy = 0.5 * k * (rational_barrier::value(u0) + rational_barrier::value(u1));
  bend.slope_by_c1 = weakening_difference_slope(at0.cross, at1.cross, cx);
  bend.end_slope = weakening_slope(at1.cross, cx);
  const auto Dc = cross_difference(pair, x0, x1);
  for (int i = 0; i < 4; ++i) bend.force[i] = (bend.mean_energy * bend.slope) * Dc[i];
  return true;
}

}  // namespace livens
