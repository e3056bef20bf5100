#include "contact/distance.hpp"

#include <limits>

#include "contact/closest_parts.hpp"

namespace livens {
namespace {

constexpr double parallel = 1e-14;  // sin^2 of the angle between edges: below, the solution for both is rounding

}  // namespace

// At a corner r is that to the corner, to the bit, whichever edge asks.
Closest point_edge(const Point3& p, const Point3& a, const Point3& b) {
  const Point3 e = b - a, from = p - a;
  double t = 0;
  const EdgePart part = part_of_edge(from, e, t);
  Closest found;
  if (part == EdgePart::first) {
    found.r = from;
    found.c = {1, -1, 0, 0};
  } else if (part == EdgePart::second) {
    found.r = p - b;
    found.c = {1, 0, -1, 0};
  } else {
    found.r = from - t * e;
    found.c = {1, -(1 - t), -t, 0};
    found.inside = 1;
  }
  found.s = square(found.r);
  return found;
}

bool point_face(const Point3& p, const Point3& a, const Point3& b, const Point3& g, Closest& found) {
  const Point3 e1 = b - a, e2 = g - a, from = p - a;
  double alpha = 0, beta = 0;
  if (!inside_face(from, e1, e2, alpha, beta)) return false;
  found.r = from - alpha * e1 - beta * e2;
  found.s = square(found.r);
  found.c = {1, -(1 - alpha - beta), -alpha, -beta};
  found.inside = 2;
  found.part = 0;
  return true;
}

Closest point_triangle(const Point3& p, const Point3& a, const Point3& b, const Point3& g) {
  Closest best;
  if (point_face(p, a, b, g, best)) return best;
  const Point3* corner[3] = {&a, &b, &g};
  best.s = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 3; ++k) {
    const int next = (k + 1) % 3;
    const Closest edge = point_edge(p, *corner[k], *corner[next]);
    if (!(edge.s < best.s)) continue;
    best = edge;
    best.part = k;
    best.c = {1, 0, 0, 0};
    best.c[k + 1] += edge.c[1];
    best.c[next + 1] += edge.c[2];
  }
  return best;
}

Closest edge_edge(const Point3& a, const Point3& b, const Point3& g, const Point3& h) {
  const Point3 e1 = b - a, e2 = h - g, from = a - g;
  const double a11 = square(e1), a12 = dot(e1, e2), a22 = square(e2), b1 = dot(e1, from), b2 = dot(e2, from);
  const double det = a11 * a22 - a12 * a12;
  Closest best;
  if (det > parallel * a11 * a22) {
    const double sigma = (a12 * b2 - a22 * b1) / det, tau = (a11 * b2 - a12 * b1) / det;
    if (sigma >= 0 && sigma <= 1 && tau >= 0 && tau <= 1) {
      best.r = from + sigma * e1 - tau * e2;
      best.s = square(best.r);
      best.c = {1 - sigma, sigma, -(1 - tau), -tau};
      best.inside = 2;
      return best;
    }
  }
  best.s = std::numeric_limits<double>::infinity();
  const auto offer = [&](const Closest& found, bool first, bool end) {
    if (!(found.s < best.s)) return;
    best = found;
    best.part = first ? 1 : 0;
    const double t = -found.c[2];
    const std::array<double, 2> own = {end ? 0.0 : 1.0, end ? 1.0 : 0.0}, other = {1 - t, t};
    const auto& left = first ? own : other;
    const auto& right = first ? other : own;
    best.c = {left[0], left[1], -right[0], -right[1]};
    if (!first) best.r = -1.0 * found.r;
  };
  offer(point_edge(a, g, h), true, false);
  offer(point_edge(b, g, h), true, true);
  offer(point_edge(g, a, b), false, false);
  offer(point_edge(h, a, b), false, true);
  return best;
}

ParameterDerivatives point_edge_derivatives() { return {{{0, 1, -1, 0}, {}}}; }

ParameterDerivatives point_triangle_derivatives(const Closest& at) {
  if (at.inside == 2) return {{{0, 1, -1, 0}, {0, 1, 0, -1}}};
  constexpr ParameterDerivatives::value_type along[3] = {{0, 1, -1, 0}, {0, 0, 1, -1}, {0, -1, 0, 1}};
  return {{along[at.part], {}}};
}

ParameterDerivatives edge_edge_derivatives(const Closest& at) {
  constexpr ParameterDerivatives::value_type along[2] = {{-1, 1, 0, 0}, {0, 0, 1, -1}};
  if (at.inside == 2) return {{along[0], along[1]}};
  return {{along[at.part], {}}};
}

void second_derivatives(const Closest& at, const ParameterDerivatives& derivative, const Point3* x, int count,
                        double* hessian) {
  const int n = 3 * count;
  Point3 rk[2];
  for (int k = 0; k < at.inside; ++k)
    for (int i = 0; i < count; ++i) rk[k] += derivative[k][i] * x[i];
  // f_tt^-1
  double inverse[2][2] = {{0, 0}, {0, 0}};
  if (at.inside == 1) inverse[0][0] = 1 / (2 * square(rk[0]));
  if (at.inside == 2) {
    const double t00 = 2 * square(rk[0]), t01 = 2 * dot(rk[0], rk[1]), t11 = 2 * square(rk[1]);
    const double det = t00 * t11 - t01 * t01;
    inverse[0][0] = t11 / det;
    inverse[1][1] = t00 / det;
    inverse[0][1] = inverse[1][0] = -t01 / det;
  }
  const auto component = [](const Point3& p, int k) { return k == 0 ? p.x : k == 1 ? p.y : p.z; };
  double mixed[2][12] = {};
  for (int k = 0; k < at.inside; ++k)
    for (int i = 0; i < n; ++i)
      mixed[k][i] = 2 * (derivative[k][i / 3] * component(at.r, i % 3) + at.c[i / 3] * component(rk[k], i % 3));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double value = i % 3 == j % 3 ? 2 * at.c[i / 3] * at.c[j / 3] : 0;
      for (int k = 0; k < at.inside; ++k)
        for (int l = 0; l < at.inside; ++l) value -= mixed[k][i] * inverse[k][l] * mixed[l][j];
      hessian[i * n + j] = value;
    }
}

}  // namespace livens
