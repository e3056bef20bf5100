
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <fmt/format.h>

#include <livens/meshes.hpp>

#include "mesh/core/shape.hpp"
#include "mesh/core/size.hpp"
#include "mesh/core/topology.hpp"
#include "mesh/generate/refine.hpp"

namespace livens {
namespace {

constexpr double least_part_of_volume = 0.1;
constexpr int most_halvings = 10;

// For each node the elements around it.
std::vector<std::vector<int>> elements_of_nodes(const Mesh& mesh) {
  std::vector<std::vector<int>> elements(at(mesh.nodes()));
  for (int e = 0; e < mesh.elements(); ++e)
    for (int k = 0; k < vertices_of(mesh.kind); ++k) elements[at(mesh.element(e)[k])].push_back(e);
  return elements;
}

// The shortest extent of the node's edges along an axis. Edges across the axis differ by rounding at most.
double shortest_along(const Mesh& mesh, int node, const std::vector<int>& elements, std::size_t axis) {
  const std::size_t dim = at(mesh.dimension());
  double longest = 0, shortest = std::numeric_limits<double>::infinity();
  const auto for_each_length = [&](const auto& visit) {
    for (const int e : elements)
      for (int k = 0; k < vertices_of(mesh.kind); ++k)
        visit(std::abs(mesh.X[at(mesh.element(e)[k]) * dim + axis] - mesh.X[at(node) * dim + axis]));
  };
  for_each_length([&](double length) { longest = std::max(longest, length); });
  for_each_length([&](double length) {
    if (length > 1e-9 * longest) shortest = std::min(shortest, length);
  });
  return longest > 0 ? shortest : 0;
}

std::string place_of(const double* X, int dimension) {
  return dimension == 2 ? fmt::format("({:.4g}, {:.4g})", X[0], X[1])
                        : fmt::format("({:.4g}, {:.4g}, {:.4g})", X[0], X[1], X[2]);
}

std::array<double, 3> centroid(const Mesh& mesh, int element) {
  std::array<double, 3> centre{0, 0, 0};
  const int vertices = vertices_of(mesh.kind);
  for (int k = 0; k < vertices; ++k)
    for (std::size_t c = 0; c < at(mesh.dimension()); ++c)
      centre[c] += mesh.X[at(mesh.element(element)[k]) * at(mesh.dimension()) + c] / vertices;
  return centre;
}

double square_distance(const Mesh& mesh, int a, int b) {
  double sum = 0;
  for (std::size_t c = 0; c < at(mesh.dimension()); ++c) {
    const double d = mesh.X[at(a) * at(mesh.dimension()) + c] - mesh.X[at(b) * at(mesh.dimension()) + c];
    sum += d * d;
  }
  return sum;
}

// Children by the local nodes of the quadratic element, oriented as their parent.
constexpr int triangle_children[4][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}};
constexpr int corner_tets[4][4] = {{0, 4, 6, 7}, {4, 1, 5, 8}, {6, 5, 2, 9}, {7, 8, 9, 3}};
// A diagonal of the octahedron of midsides, and the ring of the other four around it.
struct Octahedron {
  int from, to, ring[4];
};
constexpr Octahedron octahedra[3] = {{4, 9, {5, 8, 7, 6}}, {5, 7, {4, 6, 9, 8}}, {6, 8, {4, 7, 9, 5}}};

}  // namespace

void jitter_nodes(Mesh& mesh, double part, unsigned long seed) {
  const std::size_t dim = at(mesh.dimension());
  const auto around = elements_of_nodes(mesh);
  std::vector<double> reach(mesh.X.size());
  for (int a = 0; a < mesh.nodes(); ++a)
    for (std::size_t c = 0; c < dim; ++c) reach[at(a) * dim + c] = part * shortest_along(mesh, a, around[at(a)], c);
  for (std::size_t c = 0; c < dim; ++c)
    for (const char* end : {"_min", "_max"})
      if (const auto face = mesh.groups.find(std::string(1, "xyz"[c]) + end); face != mesh.groups.end())
        for (const int a : face->second) reach[at(a) * dim + c] = 0;

  std::vector<double> least(at(mesh.elements()));
  for (int e = 0; e < mesh.elements(); ++e) least[at(e)] = least_part_of_volume * signed_volume(mesh, e);
  std::mt19937_64 bits(seed);
  const auto between_minus_one_and_one = [&] { return std::ldexp(static_cast<double>(bits() >> 11), -52) - 1; };
  for (int a = 0; a < mesh.nodes(); ++a) {
    double* X = &mesh.X[at(a) * dim];
    double from[3], move[3];
    for (std::size_t c = 0; c < dim; ++c) {
      from[c] = X[c];
      move[c] = reach[at(a) * dim + c] * between_minus_one_and_one();
    }
    const auto stays_whole = [&] {
      return std::all_of(around[at(a)].begin(), around[at(a)].end(),
                         [&](int e) { return signed_volume(mesh, e) >= least[at(e)]; });
    };
    double factor = 1;
    for (int halvings = 0; halvings <= most_halvings; ++halvings, factor /= 2) {
      for (std::size_t c = 0; c < dim; ++c) X[c] = from[c] + factor * move[c];
      if (stays_whole()) break;
      std::copy(from, from + dim, X);
    }
  }
}

void map_nodes(Mesh& mesh, const std::vector<MeshFunction>& shape) {
  const std::size_t dim = at(mesh.dimension());
  const std::vector<double> before = mesh.X;
  for (std::size_t i = 0; i < before.size(); i += dim) {
    double X[3] = {0, 0, 0};
    std::copy_n(&before[i], dim, X);
    for (std::size_t c = 0; c < dim; ++c) {
      mesh.X[i + c] = shape[c](std::span<const double>(X, dim));
      if (!std::isfinite(mesh.X[i + c]))
        throw MeshError(
            fmt::format("mesh.shape: component {} is not finite at {}", c + 1, place_of(X, mesh.dimension())));
    }
  }
  int bad = 0, first = -1;
  for (int e = 0; e < mesh.elements(); ++e) {
    const ElementShape element = shape_of(mesh, e);
    if (element.volume > 0 && !element.degenerate()) continue;
    ++bad;
    if (first < 0) first = e;
  }
  if (bad == 0) return;
  Mesh grid = mesh;
  grid.X = before;
  const auto centre = centroid(grid, first);
  throw MeshError(
      fmt::format("mesh.shape: {} of {} elements end up flat or inside out, the first is that about {} of the grid{}",
                  bad, mesh.elements(), place_of(centre.data(), mesh.dimension()),
                  bad == mesh.elements() ? ": does the shape mirror the body? Change the sign of one component" : ""));
}

void divide_into_regions(Mesh& mesh, const std::vector<std::string>& names, const std::vector<MeshFunction>& inside) {
  std::vector<int> region(at(mesh.elements()), static_cast<int>(names.size()));
  std::vector<int> count(names.size() + 1, 0);
  for (int e = 0; e < mesh.elements(); ++e) {
    const auto centre = centroid(mesh, e);
    const std::span<const double> X(centre.data(), at(mesh.dimension()));
    int& own = region[at(e)];
    for (std::size_t r = names.size(); r-- > 0;)
      if (inside[r](X) > 0) own = static_cast<int>(r);
    ++count[at(own)];
  }
  for (std::size_t r = 0; r < names.size(); ++r)
    if (count[r] == 0)
      throw MeshError(fmt::format("mesh.region.{}: is positive at the centroid of no element{}", names[r],
                                  r > 0 ? " that the regions before it leave" : ""));
  mesh.region = std::move(region);
  mesh.regions = names;
  if (count.back() > 0) mesh.regions.push_back("all");
}

Mesh refined(const Mesh& mesh) {
  const bool plane = mesh.dimension() == 2;
  const double children = plane ? 4 : 8;
  if (quadratic(mesh.kind)) throw MeshError("refine: elements are refined before they get midsides");
  // Midsides are made on the way.
  require_elements(mesh.elements() * children, mesh.kind, "refine", "Refine less often, or begin with fewer elements");
  Mesh result = to_quadratic(mesh);
  const Mesh parent = result;
  result.kind = mesh.kind;
  result.connectivity.clear();
  result.region.clear();
  result.element_tags.clear();
  result.connectivity.reserve(static_cast<std::size_t>(children) * mesh.connectivity.size());
  for (int e = 0; e < mesh.elements(); ++e) {
    const int* node = parent.element(e);
    const auto add = [&](std::initializer_list<int> local) {
      for (const int k : local) result.connectivity.push_back(node[k]);
      result.region.push_back(mesh.region[at(e)]);
    };
    if (plane) {
      for (const auto& child : triangle_children) add({child[0], child[1], child[2]});
      continue;
    }
    for (const auto& child : corner_tets) add({child[0], child[1], child[2], child[3]});
    const auto diagonal = [&](const Octahedron& cut) { return square_distance(parent, node[cut.from], node[cut.to]); };
    const Octahedron& cut = *std::min_element(std::begin(octahedra), std::end(octahedra),
                                              [&](const auto& a, const auto& b) { return diagonal(a) < diagonal(b); });
    for (int k = 0; k < 4; ++k) add({cut.to, cut.from, cut.ring[k], cut.ring[(k + 1) % 4]});
  }
  return result;
}

Mesh refined_as(Mesh mesh, long times, ElementKind kind, const std::string& what) {
  const double children = mesh.dimension() == 2 ? 4 : 8;
  if (times > 0)
    require_elements(mesh.elements() * std::pow(children, static_cast<double>(times)), kind, what + ": refine",
                     "Refine less often, or begin with fewer elements");
  for (long k = 0; k < times; ++k) mesh = refined(mesh);
  return quadratic(kind) ? to_quadratic(mesh) : mesh;
}

}  // namespace livens
