#include "diagnostics/contour_domains.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <set>

#include <fmt/format.h>

#include <livens/mesh.hpp>

#include "mesh/core/shape.hpp"
#include "mesh/core/topology.hpp"

namespace livens {
namespace {

constexpr double parallel = 1e-6;  // cosine of what counts as a right angle

std::array<double, 3> place(const Mesh& mesh, int a) {
  std::array<double, 3> X{};
  std::copy_n(mesh.X.begin() + a * mesh.dimension(), mesh.dimension(), X.begin());
  return X;
}
std::array<double, 3> difference(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
double dot(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
double length(const std::array<double, 3>& a) { return std::sqrt(dot(a, a)); }

std::vector<bool> corners_of(const Mesh& mesh) {
  std::vector<bool> corner(at(mesh.nodes()), false);
  for (int e = 0; e < mesh.elements(); ++e)
    for (int a = 0; a < vertices_of(mesh.kind); ++a) corner[at(mesh.element(e)[a])] = true;
  return corner;
}

// The weight of a midside is the mean of those of the corners of its edge.
void give_midsides_means(const Mesh& mesh, std::vector<double>& weights) {
  if (!quadratic(mesh.kind)) return;
  for (int e = 0; e < mesh.elements(); ++e) {
    const int* nodes = mesh.element(e);
    for (int k = 0; k < edges_of(mesh.kind); ++k)
      weights[at(nodes[vertices_of(mesh.kind) + k])] =
          0.5 * (weights[at(nodes[simplex_edges[at(k)][0]])] + weights[at(nodes[simplex_edges[at(k)][1]])]);
  }
}

// Not of unit length.
std::array<double, 3> normal_of(const Mesh& mesh, const int* facet) {
  const auto first = place(mesh, facet[0]), u = difference(place(mesh, facet[1]), first);
  if (mesh.dimension() == 2) return {u[1], -u[0], 0};
  const auto v = difference(place(mesh, facet[2]), first);
  return {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
}

// Nodes where regions meet, and the two of them.
std::map<int, std::array<int, 2>> interface_nodes(const Mesh& mesh) {
  std::map<int, std::array<int, 2>> result;
  if (mesh.regions.size() <= 1) return result;
  std::vector<int> region(at(mesh.nodes()), -1);
  for (int e = 0; e < mesh.elements(); ++e)
    for (int k = 0; k < nodes_of(mesh.kind); ++k) {
      int& known = region[at(mesh.element(e)[k])];
      if (known >= 0 && known != mesh.region[at(e)]) result[mesh.element(e)[k]] = {known, mesh.region[at(e)]};
      known = mesh.region[at(e)];
    }
  return result;
}

}  // namespace

std::string crack_fault(const Mesh& mesh, const Crack& crack) {
  const Facets facets = boundary_facets(mesh);
  const std::set<int> boundary(facets.nodes.begin(), facets.nodes.end());
  const auto interface = interface_nodes(mesh);
  for (const int a : crack.tip)
    if (boundary.count(a) == 0 && interface.count(a) == 0) {
      const auto X = place(mesh, a);
      return fmt::format(
          "is not a defect: the node at ({:g}, {:g}{}) is inside the body, where no crack ends. Select the nodes of a "
          "crack tip or front, or all nodes of a hole or of an interface.",
          X[0], X[1], mesh.dimension() == 3 ? fmt::format(", {:g}", X[2]) : "");
    }
  const std::vector<bool> corner = corners_of(mesh);
  std::vector<int> tips;
  std::copy_if(crack.tip.begin(), crack.tip.end(), std::back_inserter(tips), [&](int a) { return corner[at(a)]; });
  if (tips.empty()) return "has only midsides of elements; a crack tip is a corner.";
  if (mesh.dimension() == 3 || tips.size() != 1) return "";
  bool ahead = true, any = false;
  for (std::size_t f = 0; f < facets.nodes.size(); f += at(facets.nodes_each)) {
    const int *a = facets.nodes.data() + f, *b = a + 1;
    if (*b == tips[0]) std::swap(a, b);
    if (*a != tips[0]) continue;
    const auto along = difference(place(mesh, *b), place(mesh, *a));
    any = true;
    ahead = ahead && dot(along, crack.direction) > (1 - parallel) * length(along);
  }
  return any && ahead ? "the crack faces lie in the direction given: a crack grows away from them." : "";
}

ContourDomain rings_about(const Mesh& mesh, const std::vector<int>& tip, long rings) {
  ContourDomain domain;
  domain.weights.assign(at(mesh.nodes()), 0.0);
  const std::vector<bool> corner = corners_of(mesh);
  for (const int a : tip)
    if (rings == 0 || corner[at(a)]) domain.weights[at(a)] = 1;
  domain.midsides_follow = rings > 0;
  for (long ring = 0; ring < rings; ++ring) {
    std::vector<double> next = domain.weights;
    for (int e = 0; e < mesh.elements(); ++e) {
      const int *nodes = mesh.element(e), count = vertices_of(mesh.kind);
      if (std::none_of(nodes, nodes + count, [&](int a) { return domain.weights[at(a)] > 0; })) continue;
      for (int a = 0; a < count; ++a) next[at(nodes[a])] = 1;
    }
    domain.weights.swap(next);
  }
  if (rings > 0) give_midsides_means(mesh, domain.weights);
  return domain;
}

// Corners of which something holds.
template <class Inside>
ContourDomain corners_where(const Mesh& mesh, const Inside& inside) {
  ContourDomain domain;
  domain.weights.assign(at(mesh.nodes()), 0.0);
  const std::vector<bool> corner = corners_of(mesh);
  for (int a = 0; a < mesh.nodes(); ++a)
    if (corner[at(a)] && inside(a)) domain.weights[at(a)] = 1;
  give_midsides_means(mesh, domain.weights);
  return domain;
}

ContourDomain within_radius(const Mesh& mesh, const std::vector<int>& tip, double radius) {
  return corners_where(mesh, [&](int a) {
    return std::any_of(tip.begin(), tip.end(),
                       [&](int b) { return length(difference(place(mesh, a), place(mesh, b))) <= radius; });
  });
}

ContourDomain within_box(const Mesh& mesh, const std::vector<double>& min, const std::vector<double>& max) {
  const double slack = 1e-9 * diameter(mesh);  // rounding of nodes on the faces
  return corners_where(mesh, [&](int a) {
    const auto X = place(mesh, a);
    for (std::size_t c = 0; c < min.size(); ++c)
      if (X[c] < min[c] - slack || X[c] > max[c] + slack) return false;
    return true;
  });
}

std::string interface_inside(const Mesh& mesh, const ContourDomain& domain, const Crack& crack) {
  for (const auto& [a, regions] : interface_nodes(mesh)) {
    const double zeta = domain.weights[at(a)];
    const bool own = zeta == 1 && std::binary_search(crack.tip.begin(), crack.tip.end(), a);
    if (zeta > 0 && !own)
      return "encloses an interface between the regions '" + mesh.regions[at(regions[0])] + "' and '" +
             mesh.regions[at(regions[1])] + "': its force would be counted as the crack's. Use a smaller one.";
  }
  return "";
}

bool crosses_surface(const Mesh& mesh, const ContourDomain& domain, const Crack& crack, const DefectMotion& motion) {
  const Facets facets = boundary_facets(mesh);
  const auto& zeta = domain.weights;
  const double size = diameter(mesh);
  for (std::size_t f = 0; f < facets.nodes.size(); f += at(facets.nodes_each)) {
    const int *node = facets.nodes.data() + f, *end = node + facets.nodes_each;
    if (std::none_of(node, end, [&](int a) { return zeta[at(a)] > 0; })) continue;
    if (std::all_of(node, end, [&](int a) {
          return zeta[at(a)] == 1 && std::binary_search(crack.tip.begin(), crack.tip.end(), a);
        }))
      continue;
    const auto normal = normal_of(mesh, node);
    const double unit = motion.kind == DefectMotion::Kind::translation ? 1 : size;
    for (const int* a = node; a != end; ++a)
      if (std::abs(dot(normal, motion.at(mesh.X.data() + *a * mesh.dimension(), mesh.dimension()))) >
          parallel * unit * length(normal))
        return true;
  }
  return false;
}

double angle_about(const Mesh& mesh, int node) {
  double sum = 0;
  for (int e = 0; e < mesh.elements(); ++e)
    for (int k = 0; k < 3; ++k) {
      if (mesh.element(e)[k] != node) continue;
      const auto X = place(mesh, node), u = difference(place(mesh, mesh.element(e)[(k + 1) % 3]), X),
                 v = difference(place(mesh, mesh.element(e)[(k + 2) % 3]), X);
      sum += std::acos(std::clamp(dot(u, v) / (length(u) * length(v)), -1.0, 1.0));
    }
  return sum * 180 / std::numbers::pi;
}

std::vector<int> front_of(const Mesh& mesh, const std::vector<int>& tip) {
  std::map<int, std::set<int>> next;
  const auto is_tip = [&](int a) { return std::binary_search(tip.begin(), tip.end(), a); };
  for (int e = 0; e < mesh.elements(); ++e)
    for (int k = 0; k < edges_of(mesh.kind); ++k) {
      const int a = mesh.element(e)[simplex_edges[at(k)][0]], b = mesh.element(e)[simplex_edges[at(k)][1]];
      if (!is_tip(a) || !is_tip(b)) continue;
      next[a].insert(b);
      next[b].insert(a);
    }
  const std::vector<bool> corner = corners_of(mesh);
  const auto corners = std::count_if(tip.begin(), tip.end(), [&](int a) { return corner[at(a)]; });
  // From the end with the least coordinates.
  std::vector<int> ends;
  for (const auto& [a, neighbours] : next) {
    if (neighbours.size() > 2) return {};
    if (neighbours.size() == 1) ends.push_back(a);
  }
  if (ends.size() != 2) return {};
  const bool second = place(mesh, ends[1]) < place(mesh, ends[0]);
  std::vector<int> front = {ends[second ? 1 : 0]};
  for (int before = -1; front.size() < next.size();) {
    const auto& ways = next[front.back()];
    const auto way = std::find_if(ways.begin(), ways.end(), [&](int b) { return b != before; });
    if (way == ways.end()) break;
    before = front.back();
    front.push_back(*way);
  }
  return static_cast<std::ptrdiff_t>(front.size()) == corners ? front : std::vector<int>{};
}

std::vector<FrontPiece> front_pieces(const Mesh& mesh, const ContourDomain& domain, const std::vector<int>& front) {
  std::vector<FrontPiece> pieces(front.size());
  for (FrontPiece& piece : pieces) {
    piece.domain.weights.assign(domain.weights.size(), 0.0);
    piece.domain.midsides_follow = domain.midsides_follow;
  }
  for (std::size_t k = 0; k + 1 < front.size(); ++k) {
    const double half = 0.5 * length(difference(place(mesh, front[k + 1]), place(mesh, front[k])));
    pieces[k].length += half;
    pieces[k + 1].length += half;
  }
  // The hat functions of a node are those of the nearest point of the front.
  for (int a = 0; a < mesh.nodes(); ++a) {
    if (domain.weights[at(a)] == 0) continue;
    double nearest = std::numeric_limits<double>::infinity(), share = 0;
    std::size_t best = 0;
    for (std::size_t k = 0; k + 1 < front.size(); ++k) {
      const auto from = place(mesh, front[k]), along = difference(place(mesh, front[k + 1]), from),
                 to = difference(place(mesh, a), from);
      const double s = std::clamp(dot(to, along) / dot(along, along), 0.0, 1.0);
      const double distance = length(std::array{to[0] - s * along[0], to[1] - s * along[1], to[2] - s * along[2]});
      if (distance >= nearest) continue;
      nearest = distance;
      best = k;
      share = s;
    }
    pieces[best].domain.weights[at(a)] = (1 - share) * domain.weights[at(a)];
    pieces[best + 1].domain.weights[at(a)] = share * domain.weights[at(a)];
  }
  if (domain.midsides_follow)
    for (FrontPiece& piece : pieces) give_midsides_means(mesh, piece.domain.weights);
  return pieces;
}

}  // namespace livens
