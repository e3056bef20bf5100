#include "adapt/freedom.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <livens/mesh.hpp>

#include "mesh/core/topology.hpp"

namespace livens {
namespace {

using Point = std::array<double, 3>;

double dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

constexpr double straight = 1e-6;  // sine of the angle between normals that count as parallel

// Normals of the facets at a node, made orthonormal.
struct Normals {
  std::vector<Point> all, orthonormal;
  bool slit = false;  // two facets back to back

  void add(const Point& normal) {
    for (const Point& other : all) slit = slit || dot(normal, other) < -1 + straight;
    all.push_back(normal);
    Point rest = normal;
    for (const Point& n : orthonormal) {
      const double part = dot(rest, n);
      for (std::size_t c = 0; c < 3; ++c) rest[c] -= part * n[c];
    }
    const double length = std::sqrt(dot(rest, rest));
    if (length < straight) return;
    for (double& c : rest) c /= length;
    orthonormal.push_back(rest);
  }
};

Point normal_of(const Mesh& mesh, const int* corner) {
  const int d = mesh.dimension();
  double u[2][3] = {};
  for (int k = 0; k < d - 1; ++k)
    for (int c = 0; c < d; ++c) u[k][c] = mesh.X[at(corner[k + 1] * d + c)] - mesh.X[at(corner[0] * d + c)];
  Point n{};
  if (d == 2) {
    n = {u[0][1], -u[0][0], 0};
  } else {
    for (int c = 0; c < 3; ++c)
      n[at(c)] = u[0][(c + 1) % 3] * u[1][(c + 2) % 3] - u[0][(c + 2) % 3] * u[1][(c + 1) % 3];
  }
  const double length = std::sqrt(dot(n, n));
  for (double& c : n) c /= length;
  return n;
}

// The facets of an element by their corners, sorted.
template <class Body>
void each_facet(const Mesh& mesh, int e, const Body& body) {
  const int v = vertices_of(mesh.kind);
  for (int left_out = 0; left_out < v; ++left_out) {
    std::vector<int> corner;
    for (int a = 0; a < v; ++a)
      if (a != left_out) corner.push_back(mesh.element(e)[a]);
    std::sort(corner.begin(), corner.end());
    body(corner);
  }
}

std::vector<Normals> normals_at_nodes(const Mesh& mesh) {
  std::vector<Normals> normals(at(mesh.nodes()));
  const Facets facets = boundary_facets(mesh);
  for (std::size_t f = 0; f < facets.nodes.size(); f += at(facets.nodes_each)) {
    const Point n = normal_of(mesh, facets.nodes.data() + f);
    for (int k = 0; k < mesh.dimension(); ++k) normals[at(facets.nodes[f + at(k)])].add(n);
  }
  if (mesh.regions.size() < 2) return normals;
  // Between regions: facets that two of them share.
  std::map<std::vector<int>, int> seen;  // region of the first element
  for (int e = 0; e < mesh.elements(); ++e)
    each_facet(mesh, e, [&](const std::vector<int>& corner) {
      const auto [known, fresh] = seen.emplace(corner, mesh.region[at(e)]);
      if (fresh || known->second == mesh.region[at(e)]) return;
      Point n = normal_of(mesh, corner.data());
      // An interface has no outside: one of the two normals, so that its sides do not count as a slit.
      const double sign = n[0] != 0 ? n[0] : n[1] != 0 ? n[1] : n[2];
      for (double& c : n) c *= sign < 0 ? -1 : 1;
      for (const int a : corner) normals[at(a)].add(n);
    });
  return normals;
}

// Directions orthogonal to all normals.
std::vector<Point> complement(const std::vector<Point>& normals, int dimension) {
  std::vector<Point> basis;
  Normals taken;
  for (const Point& n : normals) taken.add(n);
  // The axes farthest from what is already spanned come first, so that the result does not depend on rounding.
  while (static_cast<int>(taken.orthonormal.size()) < dimension) {
    Point best{};
    double most = -1;
    for (int c = 0; c < dimension; ++c) {
      Point axis{};
      axis[at(c)] = 1;
      for (const Point& n : taken.orthonormal) {
        const double part = dot(axis, n);
        for (std::size_t i = 0; i < 3; ++i) axis[i] -= part * n[i];
      }
      if (dot(axis, axis) > most + 1e-9) {
        most = dot(axis, axis);
        best = axis;
      }
    }
    for (double& c : best) c /= std::sqrt(most);
    taken.orthonormal.push_back(best);
    basis.push_back(best);
  }
  return basis;
}

// The one direction, if it is orthogonal to all normals.
std::vector<Point> along_if_free(const Point& direction, const std::vector<Point>& normals) {
  for (const Point& n : normals)
    if (std::abs(dot(direction, n)) > 1e-9) return {};
  return {direction};
}

}  // namespace

Freedom::Freedom(const Mesh& mesh, const std::vector<bool>& held, const std::array<double, 3>& direction)
    : dimension_(mesh.dimension()), nodes_(mesh.nodes()) {
  std::vector<bool> corner(at(nodes_), false), known(at(nodes_), false);
  const int v = vertices_of(mesh.kind);
  for (int e = 0; e < mesh.elements(); ++e) {
    const int* nodes = mesh.element(e);
    for (int a = 0; a < v; ++a) corner[at(nodes[a])] = true;
    for (int k = v; k < nodes_of(mesh.kind); ++k) {
      if (known[at(nodes[k])]) continue;
      known[at(nodes[k])] = true;
      middle_.push_back({nodes[k], nodes[simplex_edges[at(k - v)][0]], nodes[simplex_edges[at(k - v)][1]]});
    }
  }
  // A midside that is held holds the ends of its edge.
  std::vector<bool> stays = held;
  for (const Midside& m : middle_)
    if (held[at(m.node)]) stays[at(m.a)] = stays[at(m.b)] = true;
  const std::vector<Normals> normals = normals_at_nodes(mesh);
  for (int a = 0; a < nodes_; ++a) {
    if (!corner[at(a)] || stays[at(a)] || normals[at(a)].slit) continue;
    const std::vector<Point> basis = dot(direction, direction) > 0
                                         ? along_if_free(direction, normals[at(a)].orthonormal)
                                         : complement(normals[at(a)].orthonormal, dimension_);
    moving_nodes_ += !basis.empty();
    for (const Point& along : basis) {
      node_.push_back(a);
      along_.insert(along_.end(), along.begin(), along.begin() + dimension_);
    }
  }
}

void Freedom::expand(ConstVector y, Vector motion) const {
  const auto d = at(dimension_);
  std::fill(motion.begin(), motion.end(), 0.0);
  for (std::size_t k = 0; k < node_.size(); ++k)
    for (std::size_t c = 0; c < d; ++c) motion[at(node_[k]) * d + c] += y[k] * along_[k * d + c];
  for (const Midside& m : middle_)
    for (std::size_t c = 0; c < d; ++c)
      motion[at(m.node) * d + c] = 0.5 * (motion[at(m.a) * d + c] + motion[at(m.b) * d + c]);
}

void Freedom::reduce(ConstVector G, Vector g) const {
  const auto d = at(dimension_);
  std::vector<double> of_corners(G.begin(), G.end());
  for (const Midside& m : middle_)
    for (std::size_t c = 0; c < d; ++c) {
      of_corners[at(m.a) * d + c] += 0.5 * G[at(m.node) * d + c];
      of_corners[at(m.b) * d + c] += 0.5 * G[at(m.node) * d + c];
    }
  for (std::size_t k = 0; k < node_.size(); ++k) {
    g[k] = 0;
    for (std::size_t c = 0; c < d; ++c) g[k] += of_corners[at(node_[k]) * d + c] * along_[k * d + c];
  }
}

}  // namespace livens
