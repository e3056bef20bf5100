#include "contact/intersections.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "contact/bounding_tree.hpp"
#include "contact/distance.hpp"

namespace livens {
namespace {

// A number as a sum of doubles, exact: every operation keeps what rounding takes from it (T. J. Dekker 1971, D. M.
// Priest 1991). Slow, and asked for only where rounding might decide.
class ExactSum {
 public:
  explicit ExactSum(std::initializer_list<double> terms = {}) {
    for (const double term : terms) add(term);
  }
  // Adds a term: what is left of each sum goes into the list.
  void add(double term) {
    std::vector<double> kept;
    for (const double part : parts_) {
      const double sum = term + part, virtual_part = sum - term,
                   lost = (term - (sum - virtual_part)) + (part - virtual_part);
      if (lost != 0) kept.push_back(lost);
      term = sum;
    }
    if (term != 0) kept.push_back(term);
    parts_ = std::move(kept);
  }
  ExactSum operator*(const ExactSum& other) const {
    ExactSum product;
    for (const double a : parts_)
      for (const double b : other.parts_) {
        const double high = a * b;
        product.add(std::fma(a, b, -high));
        product.add(high);
      }
    return product;
  }
  void add(const ExactSum& other, double sign) {
    for (const double part : other.parts_) add(sign * part);
  }
  // The last part has the largest size and decides.
  int sign() const { return parts_.empty() ? 0 : parts_.back() > 0 ? 1 : -1; }

 private:
  std::vector<double> parts_;  // by rising size, not overlapping
};

struct ExactVector {
  ExactSum x, y, z;
  ExactVector(const Point3& to, const Point3& from) : x{to.x, -from.x}, y{to.y, -from.y}, z{to.z, -from.z} {}
};

int exact_orientation(const Point3& a, const Point3& b, const Point3& c, const Point3& d) {
  const ExactVector u(b, a), v(c, a), w(d, a);
  ExactSum volume;
  volume.add(u.x * (v.y * w.z), 1);
  volume.add(u.x * (v.z * w.y), -1);
  volume.add(u.y * (v.z * w.x), 1);
  volume.add(u.y * (v.x * w.z), -1);
  volume.add(u.z * (v.x * w.y), 1);
  volume.add(u.z * (v.y * w.x), -1);
  return volume.sign();
}

constexpr double safe = 1e-14;  // of the sum of absolute products: about 60 roundings; they have fewer than 10

}  // namespace

int orientation(const Point3& a, const Point3& b, const Point3& c, const Point3& d) {
  const Point3 u = b - a, v = c - a, w = d - a;
  const double volume = dot(u, cross(v, w));
  const double size = std::abs(u.x) * (std::abs(v.y * w.z) + std::abs(v.z * w.y)) +
                      std::abs(u.y) * (std::abs(v.z * w.x) + std::abs(v.x * w.z)) +
                      std::abs(u.z) * (std::abs(v.x * w.y) + std::abs(v.y * w.x));
  if (std::abs(volume) > safe * size) return volume > 0 ? 1 : -1;
  return exact_orientation(a, b, c, d);
}

int orientation(const Point3& a, const Point3& b, const Point3& c) {
  const Point3 u = b - a, v = c - a;
  const double area = u.x * v.y - u.y * v.x, size = std::abs(u.x * v.y) + std::abs(u.y * v.x);
  if (std::abs(area) > safe * size) return area > 0 ? 1 : -1;
  const ExactVector eu(b, a), ev(c, a);
  ExactSum exact;
  exact.add(eu.x * ev.y, 1);
  exact.add(eu.y * ev.x, -1);
  return exact.sign();
}

namespace {

// The segment p q and the triangle a b c, touching included; segments within the plane of the triangle do not count.
bool crosses(const Point3& p, const Point3& q, const Point3& a, const Point3& b, const Point3& c) {
  const int at_p = orientation(a, b, c, p), at_q = orientation(a, b, c, q);
  if (at_p * at_q > 0 || (at_p == 0 && at_q == 0)) return false;
  const int ab = orientation(p, q, a, b), bc = orientation(p, q, b, c), ca = orientation(p, q, c, a);
  return (ab >= 0 && bc >= 0 && ca >= 0) || (ab <= 0 && bc <= 0 && ca <= 0);
}

bool crosses(const Point3& p, const Point3& q, const Point3& a, const Point3& b) {
  const int at_p = orientation(a, b, p), at_q = orientation(a, b, q);
  if (at_p == 0 && at_q == 0) return false;
  return at_p * at_q <= 0 && orientation(p, q, a) * orientation(p, q, b) <= 0;
}

class Search {
 public:
  Search(const ContactBarrier& barrier, ConstVector q) : barrier_(barrier), surface_(barrier.surface()) {
    surface_.positions(q, x_);
  }

  void bodies(int a, int b) {
    const auto &first = surface_.bodies()[a], &second = surface_.bodies()[b];
    std::vector<Box> boxes;
    for (int f = second.facets_begin; f < second.facets_end; ++f) boxes.push_back(box(surface_.facets()[f].data()));
    BoundingTree tree;
    tree.build(boxes);
    const bool plane = surface_.dimension() == 2;
    const int begin = plane ? first.facets_begin : first.edges_begin, end = plane ? first.facets_end : first.edges_end;
    for (int e = begin; e < end; ++e) {
      const int* ends = plane ? surface_.facets()[e].data() : surface_.edges()[e].data();
      Box around;
      around.take(x_[ends[0]]);
      around.take(x_[ends[1]]);
      tree.visit(around, [&](int item) { pair(ends, item + second.facets_begin, a, b); });
    }
  }

  // Where nothing crosses, a body is inside another if one of its points is; balls are one by one.
  void inside(int a, int b) {
    const auto &first = surface_.bodies()[a], &second = surface_.bodies()[b];
    if (result_ || first.points_begin == first.points_end || second.radius > 0) return;
    const int end = first.radius > 0 ? first.points_end : first.points_begin + 1;
    for (int p = first.points_begin; p < end; ++p)
      if (is_inside(x_[p], second)) found(x_[p], first.name + " inside " + second.name, {a, b, -1, {p, -1}});
  }

  // Balls of the first body against facets and balls of the second.
  void balls(int a, int b) {
    const auto &first = surface_.bodies()[a], &second = surface_.bodies()[b];
    if (first.radius == 0) return;
    std::vector<Box> boxes;
    for (int f = second.facets_begin; f < second.facets_end; ++f) boxes.push_back(box(surface_.facets()[f].data()));
    if (second.radius > 0)
      for (int p = second.points_begin; p < second.points_end; ++p) boxes.emplace_back().take(x_[p]);
    BoundingTree tree;
    tree.build(boxes);
    const double reach = first.radius + second.radius;
    const int facets = second.facets_end - second.facets_begin;
    for (int p = first.points_begin; p < first.points_end; ++p) {
      Box around;
      around.take(x_[p]);
      around.grow(reach);
      tree.visit(around, [&](int item) {
        const bool facet = item < facets;
        const int target = facet ? second.facets_begin + item : second.points_begin + item - facets;
        if (!facet && (target == p || (a == b && target < p))) return;
        const double s = facet ? square_distance(p, target) : square(x_[p] - x_[target]);
        if (!(s > reach * reach))
          found(x_[p], "a ball of " + first.name + " and a " + (facet ? "facet of " : "ball of ") + second.name,
                {a, b, facet ? target : -1, {p, facet ? -1 : target}});
      });
    }
  }

  void planes() {
    for (const BarrierPlane& plane : barrier_.planes()) {
      const auto& body = surface_.bodies()[plane.body];
      for (int a = body.points_begin; a < body.points_end; ++a)
        if (!(plane.gap(x_[a]) > 0))
          found(x_[a], "a node of " + body.name + (plane.radius > 0 ? " and the sphere" : " and the plane"),
                {plane.body, -1, -1, {a, -1}});
    }
  }
  const std::optional<Intersection>& result() const { return result_; }

 private:
  // If the facets fill the whole angle around the point.
  bool is_inside(const Point3& p, const ContactSurface::Body& body) const {
    double angle = 0;
    for (int f = body.facets_begin; f < body.facets_end; ++f) {
      const auto& corner = surface_.facets()[f];
      angle += surface_.dimension() == 2 ? seen(x_[corner[0]] - p, x_[corner[1]] - p) / 2
                                         : seen(x_[corner[0]] - p, x_[corner[1]] - p, x_[corner[2]] - p) / 4;
    }
    return angle > 0.5 * std::numbers::pi;
  }
  // The angle of an edge, and the solid angle of a triangle (A. van Oosterom, J. Strackee 1983), seen from the origin.
  static double seen(const Point3& a, const Point3& b) { return std::atan2(cross(a, b).z, dot(a, b)); }
  static double seen(const Point3& a, const Point3& b, const Point3& c) {
    const double la = length(a), lb = length(b), lc = length(c);
    return 2 * std::atan2(dot(a, cross(b, c)), la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
  }
  Box box(const int* corner) const {
    Box around;
    for (int k = 0; k < surface_.dimension(); ++k) around.take(x_[corner[k]]);
    return around;
  }
  double square_distance(int p, int facet) const {
    const auto& corner = surface_.facets()[facet];
    if (surface_.dimension() == 2) return point_edge(x_[p], x_[corner[0]], x_[corner[1]]).s;
    return point_triangle(x_[p], x_[corner[0]], x_[corner[1]], x_[corner[2]]).s;
  }
  void pair(const int* ends, int facet, int first, int second) {
    const auto& corner = surface_.facets()[facet];
    for (int k = 0; k < surface_.dimension(); ++k)
      if (corner[k] == ends[0] || corner[k] == ends[1]) return;
    const Point3 &p = x_[ends[0]], &q = x_[ends[1]], &a = x_[corner[0]], &b = x_[corner[1]];
    if (surface_.dimension() == 2 ? !crosses(p, q, a, b) : !crosses(p, q, a, b, x_[corner[2]])) return;
    found(0.5 * (p + q),
          "an edge of " + surface_.bodies()[first].name + " and a facet of " + surface_.bodies()[second].name,
          {first, second, facet, {ends[0], ends[1]}});
  }
  void found(const Point3& place, const std::string& what, const Intersection::Pair& pair) {
    if (result_)
      ++result_->count;
    else
      result_ = Intersection{place, what, 1, {}};
    result_->pairs.push_back(pair);
  }

  const ContactBarrier& barrier_;
  const ContactSurface& surface_;
  std::vector<Point3> x_;
  std::optional<Intersection> result_;
};

}  // namespace

std::optional<Intersection> find_intersection(const ContactBarrier& barrier, ConstVector q) {
  Search search(barrier, q);
  const int bodies = static_cast<int>(barrier.surface().bodies().size());
  for (int a = 0; a < bodies; ++a)
    for (int b = 0; b < bodies; ++b)
      if (barrier.pair(a, b).meets) {
        search.bodies(a, b);
        if (barrier.surface().bodies()[b].radius == 0 || a <= b) search.balls(a, b);
      }
  for (int a = 0; a < bodies; ++a)
    for (int b = 0; b < bodies; ++b)
      if (a != b && barrier.pair(a, b).meets) search.inside(a, b);
  search.planes();
  return search.result();
}

bool bodies_intersect(const ContactBarrier& barrier, int a, int b, ConstVector q) {
  Search search(barrier, q);
  for (const auto& [own, other] : {std::array{a, b}, std::array{b, a}}) {
    search.bodies(own, other);
    search.balls(own, other);
    search.inside(own, other);
  }
  return search.result().has_value();
}

std::string intersection_obj(const ContactBarrier& barrier, ConstVector q, const Intersection& found) {
  const ContactSurface& surface = barrier.surface();
  std::vector<Point3> x;
  surface.positions(q, x);
  std::string text =
      fmt::format("# {} near ({:.9g}, {:.9g}, {:.9g}) m\n", found.what, found.place.x, found.place.y, found.place.z);
  for (const Point3& p : x) text += fmt::format("v {:.9g} {:.9g} {:.9g}\n", p.x, p.y, p.z);
  const auto facet = [&](int f) {
    const auto& corner = surface.facets()[f];
    text += surface.dimension() == 3 ? fmt::format("f {} {} {}\n", corner[0] + 1, corner[1] + 1, corner[2] + 1)
                                     : fmt::format("l {} {}\n", corner[0] + 1, corner[1] + 1);
  };
  for (const auto& body : surface.bodies()) {
    text += "o " + body.name + "\n";
    for (int f = body.facets_begin; f < body.facets_end; ++f) facet(f);
    for (int p = body.points_begin; p < body.points_end && body.radius > 0; ++p) text += fmt::format("p {}\n", p + 1);
  }
  text += "o intersecting\n";
  for (const Intersection::Pair& pair : found.pairs) {
    if (pair.facet >= 0) facet(pair.facet);
    text += pair.points[1] < 0 ? fmt::format("p {}\n", pair.points[0] + 1)
                               : fmt::format("l {} {}\n", pair.points[0] + 1, pair.points[1] + 1);
  }
  return text;
}

}  // namespace livens
