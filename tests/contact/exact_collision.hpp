// Whether points that move along straight lines meet, decided exactly: positions x + t dx of whole numbers, t in [0,
// T].
//
// A point meets a triangle inside it, at a root of the cubic det(b - a, g - a, p - a) at which its three weights are
// positive, or on an edge. It meets an edge between its ends, at a common root of the components of (b - a) x (p - a),
// or in an end, where all components of p - a have a root. Two edges meet inside both, at a root of det(b - a, h - g,
// g - a), or an end of one lies on the other. Where the determinants vanish at all times, what does not touch at the
// start meets on the border first.
#pragma once

#include "support/exact_polynomial.hpp"

namespace livens::testing {

using WholePoint = std::array<std::int64_t, 3>;
struct WholeMoving {
  WholePoint x{}, dx{};
};

class ExactCollision {
 public:
  explicit ExactCollision(const Dyadic& until) : hi_(until) {}

  bool points(const WholeMoving& p, const WholeMoving& a) const {
    const Vector3 r = vector(a, p);
    Polynomial common;
    for (const Polynomial& c : r) common = common_divisor(common, c);
    return common.zero() || (common.degree() > 0 && has_root(common, {}, lo_, hi_));
  }
  bool point_edge(const WholeMoving& p, const WholeMoving& a, const WholeMoving& b) const {
    if (points(p, a) || points(p, b)) return true;
    const Vector3 e = vector(a, b), r = vector(a, p), n = cross(e, r);
    const Polynomial along = dot(e, r), ee = dot(e, e);
    const std::vector<Condition> between{{ee, true}, {along}, {ee - along}};
    Polynomial common;
    for (const Polynomial& c : n) common = common_divisor(common, c);
    if (common.zero()) return hold_at_start(between);
    return common.degree() > 0 && has_root(common, between, lo_, hi_);
  }
  bool point_triangle(const WholeMoving& p, const WholeMoving& a, const WholeMoving& b, const WholeMoving& g) const {
    if (point_edge(p, a, b) || point_edge(p, b, g) || point_edge(p, g, a)) return true;
    const Vector3 e1 = vector(a, b), e2 = vector(a, g), n = cross(e1, e2), pa = vector(p, a), pb = vector(p, b),
                  pg = vector(p, g);
    return meets(dot(n, pa),
                 {{dot(n, n), true}, {dot(cross(pa, pb), n)}, {dot(cross(pb, pg), n)}, {dot(cross(pg, pa), n)}});
  }
  bool edges(const WholeMoving& a, const WholeMoving& b, const WholeMoving& g, const WholeMoving& h) const {
    if (point_edge(a, g, h) || point_edge(b, g, h) || point_edge(g, a, b) || point_edge(h, a, b)) return true;
    const Vector3 e1 = vector(a, b), e2 = vector(g, h), r = vector(a, g), n = cross(e1, e2);
    const Polynomial nn = dot(n, n), s = dot(cross(r, e2), n), t = dot(cross(r, e1), n);
    return meets(dot(n, r), {{nn, true}, {s}, {nn - s}, {t}, {nn - t}});
  }
  // Balls: |p - a| <= reach.
  bool balls(const WholeMoving& p, const WholeMoving& a, std::int64_t reach) const {
    const Vector3 r = vector(a, p);
    const Polynomial s = dot(r, r) - Polynomial{Integer(reach) * Integer(reach)};
    return s.zero() || s.sign_at(lo_) <= 0 || has_root(s, {}, lo_, hi_);
  }

 private:
  using Vector3 = std::array<Polynomial, 3>;

  static Vector3 vector(const WholeMoving& from, const WholeMoving& to) {
    Vector3 r;
    for (std::size_t c = 0; c < 3; ++c) r[c] = {Integer(to.x[c] - from.x[c]), Integer(to.dx[c] - from.dx[c])};
    return r;
  }
  static Vector3 cross(const Vector3& a, const Vector3& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  }
  static Polynomial dot(const Vector3& a, const Vector3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
  bool hold_at_start(const std::vector<Condition>& conditions) const {
    for (const Condition& condition : conditions)
      if (!condition.holds(condition.g.sign_at(lo_))) return false;
    return true;
  }
  bool meets(const Polynomial& volume, const std::vector<Condition>& inside) const {
    return volume.zero() ? hold_at_start(inside) : has_root(volume, inside, lo_, hi_);
  }

  Dyadic lo_{0, 0}, hi_;
};

}  // namespace livens::testing
