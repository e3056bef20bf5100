// Shapes of rigid bodies and obstacles: closed surfaces of facets, and balls; and what is inside them.
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include <Eigen/Geometry>

#include "bodies/rotation.hpp"
#include "bodies/solid.hpp"
#include "mesh/core/topology.hpp"

namespace livens {
namespace {

constexpr int fewest_segments = 3, most_segments = 1000;

void check_positive(double value, const char* key) {
  if (!(value > 0) || !std::isfinite(value)) throw AssemblyError(key, "must be positive.");
}

void check_segments(int segments) {
  if (segments < fewest_segments || segments > most_segments)
    throw AssemblyError("segments", "must be between 3 and 1000.");
}

// Rings of points around the z axis, from below to above, and a pole at both ends.
BodyShape turned_shape(const std::vector<std::array<double, 2>>& rings, double bottom, double top, int segments) {
  BodyShape shape;
  for (const auto& [r, z] : rings)
    for (int k = 0; k < segments; ++k) {
      const double angle = 2 * std::numbers::pi * k / segments;
      shape.points.push_back({r * std::cos(angle), r * std::sin(angle), z});
    }
  const int below = static_cast<int>(shape.points.size()), above = below + 1, last = below - segments;
  shape.points.push_back({0, 0, bottom});
  shape.points.push_back({0, 0, top});
  for (int k = 0; k < segments; ++k) {
    const int next = (k + 1) % segments;
    shape.facets.push_back({below, next, k});
    for (int ring = 0; ring < last; ring += segments) {
      const int a = ring + k, b = ring + next, c = a + segments, d = b + segments;
      shape.facets.push_back({a, b, d});
      shape.facets.push_back({a, d, c});
    }
    shape.facets.push_back({above, last + k, last + next});
  }
  return shape;
}

// Volume, its first moment and its matrix of second moments about the origin, of the simplices between it and the
// facets: of one with corners 0 and x_a, whose sum is s, the last is V/((n + 1)(n + 2)) (s s' + sum x_a x_a'), n = D.
struct ShapeMoments {
  double volume = 0;
  Eigen::Vector3d first = Eigen::Vector3d::Zero();
  Eigen::Matrix3d second = Eigen::Matrix3d::Zero();

  explicit ShapeMoments(const BodyShape& shape) {
    const int n = shape.dimension;
    for (const auto& facet : shape.facets) {
      Eigen::Matrix3d x = Eigen::Matrix3d::Zero();
      for (int k = 0; k < n; ++k) x.col(k) = Eigen::Map<const Eigen::Vector3d>(shape.points[at(facet[at(k)])].data());
      const double part =
          n == 3 ? x.col(0).dot(x.col(1).cross(x.col(2))) / 6 : (x(0, 0) * x(1, 1) - x(1, 0) * x(0, 1)) / 2;
      const Eigen::Vector3d sum = x.rowwise().sum();
      volume += part;
      first += part / (n + 1) * sum;
      second += part / ((n + 1) * (n + 2)) * (sum * sum.transpose() + x * x.transpose());
    }
  }
};

void add_flat(const int* n, ElementKind kind, std::vector<std::array<int, 3>>& facets) {
  using Facet = std::array<int, 3>;
  switch (kind) {
    case ElementKind::tri3: facets.push_back({n[0], n[1], -1}); return;
    case ElementKind::tri6: facets.insert(facets.end(), {Facet{n[0], n[2], -1}, Facet{n[2], n[1], -1}}); return;
    case ElementKind::tet4: facets.push_back({n[0], n[1], n[2]}); return;
    case ElementKind::tet10:
      facets.insert(facets.end(), {Facet{n[0], n[3], n[5]}, Facet{n[3], n[1], n[4]}, Facet{n[5], n[4], n[2]},
                                   Facet{n[3], n[4], n[5]}});
      return;
  }
}

}  // namespace

std::vector<std::array<int, 3>> flat_facets(const Mesh& mesh, const Facets& boundary) {
  std::vector<std::array<int, 3>> facets;
  for (int f = 0; f < boundary.count(); ++f)
    add_flat(boundary.nodes.data() + at(f * boundary.nodes_each), mesh.kind, facets);
  return facets;
}

BodyShape box_shape(const Vec3& size) {
  check_positive(size[0], "size");
  check_positive(size[1], "size");
  const double x = size[0] / 2, y = size[1] / 2, z = size[2] / 2;
  if (size[2] == 0) return polygon_shape({{-x, -y, 0}, {x, -y, 0}, {x, y, 0}, {-x, y, 0}});
  check_positive(size[2], "size");
  BodyShape shape;
  for (const double side : {-z, z}) {
    shape.points.insert(shape.points.end(), {{-x, -y, side}, {x, -y, side}, {x, y, side}, {-x, y, side}});
  }
  for (const auto& [a, b, c, d] : std::initializer_list<std::array<int, 4>>{
           {0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}) {
    shape.facets.push_back({a, b, c});
    shape.facets.push_back({a, c, d});
  }
  return shape;
}

BodyShape ball_shape(double radius, int dimension) {
  check_positive(radius, "radius");
  return {dimension, {Vec3{}}, {}, radius};
}

BodyShape cylinder_shape(double radius, double length, int segments) {
  check_positive(radius, "radius");
  check_positive(length, "length");
  check_segments(segments);
  const double z = length / 2;
  return turned_shape({{radius, -z}, {radius, z}}, -z, z, segments);
}

BodyShape capsule_shape(double radius, double length, int segments) {
  check_positive(radius, "radius");
  check_positive(length, "length");
  check_segments(segments);
  const int rings = std::max(1, segments / 4);
  std::vector<std::array<double, 2>> all;
  for (int k = rings - 1; k >= 0; --k) {
    const double angle = 0.5 * std::numbers::pi * k / rings;
    all.push_back({radius * std::cos(angle), -length / 2 - radius * std::sin(angle)});
  }
  for (int k = 0; k < rings; ++k) {
    const double angle = 0.5 * std::numbers::pi * k / rings;
    all.push_back({radius * std::cos(angle), length / 2 + radius * std::sin(angle)});
  }
  return turned_shape(all, -length / 2 - radius, length / 2 + radius, segments);
}

BodyShape polygon_shape(const std::vector<Vec3>& corners) {
  const int n = static_cast<int>(corners.size());
  if (n < 3) throw AssemblyError("corners", "a polygon has three or more.");
  BodyShape shape;
  shape.dimension = 2;
  shape.points = corners;
  for (int k = 0; k < n; ++k) shape.facets.push_back({k, (k + 1) % n, -1});
  if (!(ShapeMoments(shape).volume > 0))
    throw AssemblyError("corners", "must go around the polygon counterclockwise, with an area inside.");
  return shape;
}

BodyShape surface_shape(const Surface& surface) {
  BodyShape shape;
  for (std::size_t k = 0; k + 2 < surface.X.size(); k += 3)
    shape.points.push_back({surface.X[k], surface.X[k + 1], surface.X[k + 2]});
  for (std::size_t k = 0; k + 2 < surface.triangles.size(); k += 3)
    shape.facets.push_back({surface.triangles[k], surface.triangles[k + 1], surface.triangles[k + 2]});
  if (!(ShapeMoments(shape).volume > 0)) throw AssemblyError("file", "the surface has no inside.");
  return shape;
}

BodyShape mesh_shape(const Mesh& mesh) {
  BodyShape shape;
  shape.dimension = mesh.dimension();
  shape.facets = flat_facets(mesh, boundary_facets(mesh));
  std::map<int, int> place;
  for (auto& facet : shape.facets)
    for (int k = 0; k < shape.dimension; ++k) {
      int& node = facet[at(k)];
      const auto [found, is_new] = place.try_emplace(node, static_cast<int>(shape.points.size()));
      if (is_new) {
        Vec3 X{};
        for (int c = 0; c < shape.dimension; ++c) X[at(c)] = mesh.X[at(node * shape.dimension + c)];
        shape.points.push_back(X);
      }
      node = found->second;
    }
  return shape;
}

BodyShape moved(BodyShape shape, const Vec3& rotation, const Vec3& by) {
  const Rotation turn(shape.dimension == 3 ? rotation : Vec3{0, 0, rotation[2]});
  for (Vec3& point : shape.points) {
    point = turn.of(point);
    for (int c = 0; c < shape.dimension; ++c) point[at(c)] += by[at(c)];
  }
  return shape;
}

Rigid rigid_from_shape(const BodyShape& shape, double density) {
  check_positive(density, "density");
  Rigid rigid;
  rigid.shape = shape;
  const bool plane = shape.dimension == 2;
  if (shape.radius > 0) {
    const double r = shape.radius, pi = std::numbers::pi;
    rigid.mass = density * (plane ? pi * r * r : 4.0 / 3 * pi * r * r * r);
    rigid.center = shape.points.front();
    const double J = (plane ? 0.5 : 0.4) * rigid.mass * r * r;
    rigid.inertia = diagonal_inertia(plane ? Vec3{0, 0, J} : Vec3{J, J, J});
    return rigid;
  }
  const ShapeMoments moments(shape);
  rigid.mass = density * moments.volume;
  const Eigen::Vector3d center = moments.first / moments.volume;
  const Eigen::Matrix3d second = density * (moments.second - moments.volume * center * center.transpose());
  for (int c = 0; c < 3; ++c) {
    rigid.center[at(c)] = center(c);
    for (int d = 0; d < 3; ++d) rigid.inertia[at(c)][at(d)] = (c == d ? second.trace() : 0) - second(c, d);
  }
  if (plane) rigid.inertia = diagonal_inertia({0, 0, second.trace()});
  return rigid;
}

}  // namespace livens
