#include "forces/push_apart.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "contact/bounding_tree.hpp"
#include "contact/intersections.hpp"

namespace livens {
namespace {

constexpr int most_rounds = 100;
constexpr int bisections = 30;
constexpr double more_than_range = 1.1;  // what was pushed apart begins out of reach

class Pusher {
 public:
  Pusher(Assembly& assembly, const ContactBarrier& barrier)
      : assembly_(assembly), barrier_(barrier), surface_(barrier.surface()) {
    for (const auto& body : surface_.bodies()) {
      const int number = body.fixed ? -1 : assembly.body_index(body.name);
      numbers_.push_back(number);
      free_.push_back(number >= 0 && is_free(assembly.parts.bodies[number]));
    }
    moved_.resize(numbers_.size());
  }

  // One pair, or one body and its planes; false if there is nothing to be done.
  bool round() {
    const auto found = find_intersection(barrier_, assembly_.q);
    if (!found) return false;
    for (const auto& pair : found->pairs) {
      if (pair.other >= 0 && (is_fixed(pair.body) || is_fixed(pair.other)) &&
          off_planes(is_fixed(pair.body) ? pair.other : pair.body))
        return true;
      if (pair.other < 0 ? off_planes(pair.body) : pair.body != pair.other && apart(pair.body, pair.other)) return true;
      if (pair.body == pair.other && balls_apart(pair.points)) return true;
    }
    return false;
  }

  std::vector<std::string> notes(const std::string& contact) const {
    std::vector<std::string> result;
    for (std::size_t b = 0; b < moved_.size(); ++b)
      if (const Point3& by = moved_[b]; square(by) > 0)
        result.push_back(fmt::format("contact.{}: '{}' was moved by ({:.4g}, {:.4g}, {:.4g}) m, free of what it met.",
                                     contact, surface_.bodies()[b].name, by.x, by.y, by.z));
    return result;
  }

 private:
  // No support holds a node of it, and no constraint ties it to anything else.
  bool is_free(const Body& body) const {
    const auto own = [&](int i) { return i >= body.first && i < body.first + body.size(); };
    for (const Support& support : assembly_.parts.supports)
      if (std::any_of(support.coordinates.begin(), support.coordinates.end(), own)) return false;
    for (const auto& constraint : assembly_.parts.constraints) {
      if (constraint->name() == body.name + ".shape") continue;
      const std::vector<int> all = constraint->coordinates();
      if (all.empty() || std::any_of(all.begin(), all.end(), own)) return false;
    }
    return true;
  }

  bool is_fixed(int body) const { return surface_.bodies()[body].fixed; }

  void shift(int body, const Point3& by) {
    if (is_fixed(body)) return;
    const Body& of = assembly_.parts.bodies[numbers_[body]];
    for (int a = 0; a < of.nodes; ++a) shift_node(of.first + a * of.dimension, by);
    moved_[body] += by;
  }
  void shift_node(int first, const Point3& by) {
    const double component[3] = {by.x, by.y, by.z};
    for (int c = 0; c < surface_.dimension(); ++c) assembly_.q[first + c] += component[c];
  }

  Box box_of_body(int body) const {
    std::vector<Point3> x;
    surface_.positions(assembly_.q, x);
    Box box;
    for (int a = surface_.bodies()[body].points_begin; a < surface_.bodies()[body].points_end; ++a) box.take(x[a]);
    box.grow(surface_.bodies()[body].radius);
    return box;
  }

  // Along the axis on which their boxes overlap least, as far as they need.
  bool apart(int a, int b) {
    if (!free_[a] && !free_[b]) return false;
    const Box first = box_of_body(a), second = box_of_body(b);
    const Point3 up = second.high - first.low, down = first.high - second.low;
    const Point3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double least = Box::infinite;
    Point3 direction;
    for (int c = 0; c < surface_.dimension(); ++c)
      for (const double sign : {1.0, -1.0})
        if (const double overlap = dot(axes[c], sign > 0 ? up : down); overlap < least) {
          least = overlap;
          direction = sign * axes[c];
        }
    const double own = free_[a] ? free_[b] ? 0.5 : 1 : 0;
    const auto move = [&](double by) {
      shift(a, own * by * direction);
      shift(b, (own - 1) * by * direction);
    };
    const double range = more_than_range * barrier_.pair(a, b).range;
    double low = 0, high = least + range;
    for (int k = 0; k < bisections; ++k) {
      const double middle = 0.5 * (low + high);
      move(middle);
      (bodies_intersect(barrier_, a, b, assembly_.q) ? low : high) = middle;
      move(-middle);
    }
    move(high + range);
    return true;
  }

  // Two particles of one body, along the line between them.
  bool balls_apart(const std::array<int, 2>& points) {
    const int body = surface_.body_of_point(points[0]);
    if (points[1] < 0 || !free_[body]) return false;
    std::vector<Point3> x;
    surface_.positions(assembly_.q, x);
    const Point3 way = x[points[0]] - x[points[1]];
    const double d = length(way);
    const Point3 direction = d > 0 ? (1 / d) * way : Point3{1, 0, 0};
    const double missing = 2 * surface_.bodies()[body].radius + more_than_range * barrier_.pair(body, body).range - d;
    shift_node(surface_.parts(points[0]).front().first, 0.5 * missing * direction);
    shift_node(surface_.parts(points[1]).front().first, -0.5 * missing * direction);
    return true;
  }

  // Along the normals of its planes and spheres, as deep as its deepest point is. Spheres turn their normals, and one
  // push brings other points to the surface: they take some rounds.
  bool off_planes(int body) {
    if (!free_[body]) return false;
    std::vector<Point3> x;
    bool moved = false;
    for (const BarrierPlane& plane : barrier_.planes()) {
      if (plane.body != body) continue;
      surface_.positions(assembly_.q, x);
      const auto& points = surface_.bodies()[body];
      int deepest = points.points_begin;
      for (int a = points.points_begin; a < points.points_end; ++a)
        if (plane.gap(x[a]) < plane.gap(x[deepest])) deepest = a;
      const double lowest = plane.gap(x[deepest]);
      if (lowest > 0) continue;
      shift(body, (more_than_range * plane.range - lowest) * away_from(plane, x[deepest]));
      moved = true;
    }
    return moved;
  }

  // At the centre of a sphere one way out is as good as another.
  static Point3 away_from(const BarrierPlane& plane, const Point3& x) {
    return plane.radius > 0 && square(x - plane.point) == 0 ? Point3{0, 1, 0} : plane.direction(x);
  }

  Assembly& assembly_;
  const ContactBarrier& barrier_;
  const ContactSurface& surface_;
  std::vector<int> numbers_;
  std::vector<char> free_;
  std::vector<Point3> moved_;
};

}  // namespace

void push_apart(Assembly& assembly, const ContactBarrier& barrier, const std::string& name) {
  Pusher pusher(assembly, barrier);
  for (int k = 0; k < most_rounds && pusher.round(); ++k) {}
  for (std::string& note : pusher.notes(name)) assembly.parts.notes.push_back(std::move(note));
}

}  // namespace livens
