#include "contact/free_path.hpp"

#include <array>
#include <limits>

#include "contact/distance.hpp"

namespace livens {
namespace {

constexpr double left_over = 0.1;  // eta
constexpr int most_advances = 10000;

// distance(points) of `count` points, the first `own` of which are one side.
template <int count, class Distance>
double advance(std::array<MovingPoint, count> points, int own, double thickness, const Distance& distance) {
  Point3 mean;
  double largest = 0;
  for (const MovingPoint& p : points) {
    mean += (1.0 / count) * p.dx;
    largest = std::max({largest, largest_of(p.x), largest_of(p.x + p.dx)});
  }
  double side[2] = {0, 0};
  for (int i = 0; i < count; ++i) {
    points[i].dx -= mean;
    double& fastest = side[i < own ? 0 : 1];
    fastest = std::max(fastest, square(points[i].dx));
  }
  const double L = std::sqrt(side[0]) + std::sqrt(side[1]);
  const double floor = floor_roundings * std::numeric_limits<double>::epsilon() * (largest + thickness);
  std::array<Point3, count> x;
  const auto distance_at = [&](double t) {
    for (int i = 0; i < count; ++i) x[i] = points[i].x + t * points[i].dx;
    return std::sqrt(distance(x)) - thickness;
  };
  double d = distance_at(0), t = 0;
  if (!(d > floor)) return 0;
  const double near = std::max(left_over * d, floor);
  for (int k = 0; k < most_advances; ++k) {
    const double next = t + (1 - left_over) * d / L;
    if (!(next < 1)) return 1;  // also without motion
    d = distance_at(next);
    if ((k > 0 && d < near) || !(d > floor)) return t;
    t = next;
  }
  return t;
}

}  // namespace

double free_fraction_point_point(const MovingPoint& p, const MovingPoint& a, double thickness) {
  return advance<2>({p, a}, 1, thickness, [](const std::array<Point3, 2>& x) { return square(x[0] - x[1]); });
}

double free_fraction_point_edge(const MovingPoint& p, const MovingPoint& a, const MovingPoint& b, double thickness) {
  return advance<3>({p, a, b}, 1, thickness,
                    [](const std::array<Point3, 3>& x) { return point_edge(x[0], x[1], x[2]).s; });
}

double free_fraction_point_triangle(const MovingPoint& p, const MovingPoint& a, const MovingPoint& b,
                                    const MovingPoint& g, double thickness) {
  return advance<4>({p, a, b, g}, 1, thickness,
                    [](const std::array<Point3, 4>& x) { return point_triangle(x[0], x[1], x[2], x[3]).s; });
}

double free_fraction_edge_edge(const MovingPoint& a, const MovingPoint& b, const MovingPoint& g, const MovingPoint& h) {
  return advance<4>({a, b, g, h}, 2, 0,
                    [](const std::array<Point3, 4>& x) { return edge_edge(x[0], x[1], x[2], x[3]).s; });
}

double free_fraction_line(double d, double change) {
  if (!(d > 0)) return 0;
  return d + change > 0 ? 1 : d / -change;
}

}  // namespace livens
