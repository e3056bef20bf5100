#include "contact/intersections.hpp"

#include <array>
#include <cmath>
#include <vector>

#include "contact/bounding_tree.hpp"

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
      tree.visit(around, [&](int item) { pair(ends, item + second.facets_begin, first.name, second.name); });
    }
  }

  void planes() {
    for (const BarrierPlane& plane : barrier_.planes()) {
      const auto& body = surface_.bodies()[plane.body];
      for (int a = body.points_begin; a < body.points_end; ++a)
        if (!(dot(plane.normal, x_[a] - plane.point) > plane.thickness))
          found(x_[a], "a node of " + body.name + " and the plane");
    }
  }
  const std::optional<Intersection>& result() const { return result_; }

 private:
  Box box(const int* corner) const {
    Box around;
    for (int k = 0; k < surface_.dimension(); ++k) around.take(x_[corner[k]]);
    return around;
  }
  void pair(const int* ends, int facet, const std::string& first, const std::string& second) {
    const auto& corner = surface_.facets()[facet];
    for (int k = 0; k < surface_.dimension(); ++k)
      if (corner[k] == ends[0] || corner[k] == ends[1]) return;
    const Point3 &p = x_[ends[0]], &q = x_[ends[1]], &a = x_[corner[0]], &b = x_[corner[1]];
    if (surface_.dimension() == 2 ? !crosses(p, q, a, b) : !crosses(p, q, a, b, x_[corner[2]])) return;
    found(0.5 * (p + q), "an edge of " + first + " and a facet of " + second);
  }
  void found(const Point3& place, const std::string& what) {
    if (result_)
      ++result_->count;
    else
      result_ = Intersection{place, what, 1};
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
      if (barrier.pair(a, b).meets) search.bodies(a, b);
  search.planes();
  return search.result();
}

}  // namespace livens
