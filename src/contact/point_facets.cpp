#include "contact/point_facets.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "contact/closest_parts.hpp"

namespace livens {
namespace {

// What is known of the vertices and edges of a set at one position.
class SetSight {
 public:
  struct SeenVertex {
    Point3 x, r;  // r: to the point
    double s = 0;
    int sign = 0, point = 0;
  };
  struct SeenEdge {
    double s = 0, t = 0;  // t: of the closest point inside it
    int vertex = -1;      // that has the closest point; -1: inside
    int sign = 0;
    std::array<int, 2> end{};  // vertices
  };

  // p: where the point is; x: all points; vertices of the edges are numbered from first_vertex on.
  template <class Vertex, class Edge>
  void see(const Point3& p, const std::vector<Point3>& x, int dimension, std::span<const Vertex> own_vertices,
           std::span<const Edge> own_edges, int first_vertex) {
    vertex_count_ = own_vertices.size();
    edge_count_ = own_edges.size();
    if (vertices_.size() < vertex_count_) vertices_.resize(vertex_count_);
    if (edges_.size() < edge_count_) edges_.resize(edge_count_);
    for (std::size_t v = 0; v < vertex_count_; ++v) {
      SeenVertex& seen = vertices_[v];
      seen.point = own_vertices[v].point;
      seen.x = x[seen.point];
      seen.r = p - seen.x;
      seen.s = square(seen.r);
      seen.sign = !own_vertices[v].inner ? 0 : dimension == 3 ? 1 : -1;
    }
    for (std::size_t e = 0; e < edge_count_; ++e) {
      SeenEdge& seen = edges_[e];
      seen.end = {own_edges[e].vertex[0] - first_vertex, own_edges[e].vertex[1] - first_vertex};
      const SeenVertex &a = vertices_[seen.end[0]], &b = vertices_[seen.end[1]];
      const Point3 along = b.x - a.x;
      const EdgePart part = part_of_edge(a.r, along, seen.t);
      seen.vertex = part == EdgePart::inside ? -1 : seen.end[part == EdgePart::first ? 0 : 1];
      seen.s = seen.vertex >= 0 ? vertices_[seen.vertex].s : square(a.r - seen.t * along);
      seen.sign = 0;
      if (own_edges[e].inner) --sign_of(static_cast<int>(e));
    }
  }
  std::span<const SeenVertex> vertices() const { return {vertices_.data(), vertex_count_}; }
  std::span<const SeenEdge> edges() const { return {edges_.data(), edge_count_}; }
  int& sign(int vertex) { return vertices_[vertex].sign; }
  // Of an edge, or of its end that has the closest point.
  int& sign_of(int edge) { return edges_[edge].vertex < 0 ? edges_[edge].sign : vertices_[edges_[edge].vertex].sign; }

  static Target target(const SeenVertex& seen) { return {1, {seen.point, 0, 0}, {1, 0, 0}, seen.s, seen.r}; }
  Target target(const SeenEdge& seen) const {
    if (seen.vertex >= 0) return target(vertices_[seen.vertex]);
    const SeenVertex &a = vertices_[seen.end[0]], &b = vertices_[seen.end[1]];
    return {2, {a.point, b.point, 0}, {1 - seen.t, seen.t, 0}, seen.s, a.r - seen.t * (b.x - a.x)};
  }

 private:
  std::size_t vertex_count_ = 0, edge_count_ = 0;
  std::vector<SeenVertex> vertices_;
  std::vector<SeenEdge> edges_;
};

// Whether the closest point of a facet to p lies inside it, and that.
bool is_above(const ContactSurface& surface, int facet, const Point3& p, const std::vector<Point3>& x, Target& found) {
  const auto& corner = surface.facets()[facet];
  const Point3& a = x[corner[0]];
  const Point3 from = p - a, e1 = x[corner[1]] - a;
  double alpha = 0, beta = 0;
  if (surface.dimension() == 2) {
    if (part_of_edge(from, e1, alpha) != EdgePart::inside) return false;
    found.r = from - alpha * e1;
  } else {
    const Point3 e2 = x[corner[2]] - a;
    if (!inside_face(from, e1, e2, alpha, beta)) return false;
    found.r = from - alpha * e1 - beta * e2;
  }
  found.count = surface.dimension();
  found.point = corner;
  found.weight = {1 - alpha - beta, alpha, beta};
  found.s = square(found.r);
  return true;
}

}  // namespace

void PointFacets::clear() {
  sets_.clear();
  facets_.clear();
  edges_.clear();
  vertices_.clear();
}

int PointFacets::begin_set(int point, const ScaledSquare& square, double strength) {
  const int f = static_cast<int>(facets_.size()), e = static_cast<int>(edges_.size()),
            v = static_cast<int>(vertices_.size());
  sets_.push_back({point, square, strength, f, f, e, e, v, v});
  return static_cast<int>(sets_.size()) - 1;
}

void PointFacets::end_set() {
  FacetSet& set = sets_.back();
  set.facets_end = static_cast<int>(facets_.size());
  set.edges_end = static_cast<int>(edges_.size());
  set.vertices_end = static_cast<int>(vertices_.size());
}

int PointFacets::vertex_place(int point, int from) {
  for (int k = from; k < static_cast<int>(vertices_.size()); ++k)
    if (vertices_[k].point == point) return k;
  vertices_.push_back({point, false});
  return static_cast<int>(vertices_.size()) - 1;
}

int PointFacets::edge_place(int edge, int from) {
  for (int k = from; k < static_cast<int>(edges_.size()); ++k)
    if (edges_[k].edge == edge) return k;
  const auto& points = surface_.edges()[edge];
  const int first = sets_.back().vertices_begin;
  const int a = vertex_place(points[0], first), b = vertex_place(points[1], first);
  edges_.push_back({edge, {a, b}, false});
  return static_cast<int>(edges_.size()) - 1;
}

void PointFacets::add_facet(int facet) {
  Facet added{facet, {-1, -1, -1}};
  const FacetSet& set = sets_.back();
  if (surface_.dimension() == 3)
    for (int k = 0; k < 3; ++k) added.side[k] = edge_place(surface_.edges_of_facet(facet)[k], set.edges_begin);
  else
    for (int k = 0; k < 2; ++k) added.side[k] = vertex_place(surface_.facets()[facet][k], set.vertices_begin);
  facets_.push_back(added);
}

void PointFacets::add_alone(int point, int facet, const ScaledSquare& square, double strength) {
  begin_set(point, square, strength);
  add_facet(facet);
  end_set();
}

// group_[k]: number of the set that facet k belongs to, in order of the first facet of each.
void PointFacets::split(std::span<const int> facets) {
  const int n = static_cast<int>(facets.size()), corners = surface_.dimension();
  group_.assign(facets.size(), -1);
  int groups = 0;
  for (int seed = 0; seed < n; ++seed) {
    if (group_[seed] >= 0) continue;
    members_.assign(1, seed);
    group_[seed] = groups;
    for (std::size_t next = 0; next < members_.size(); ++next) {
      const auto& mine = surface_.facets()[facets[members_[next]]];
      for (int k = 0; k < n; ++k) {
        if (group_[k] >= 0) continue;
        const auto& other = surface_.facets()[facets[k]];
        const bool touches = std::find_first_of(mine.begin(), mine.begin() + corners, other.begin(),
                                                other.begin() + corners) != mine.begin() + corners;
        if (!touches) continue;
        group_[k] = groups;
        members_.push_back(k);
      }
    }
    ++groups;
  }
}

// In the plane a face is an edge, and its ends are its sides.
Target PointFacets::face_target(const Facet& facet, int point, const std::vector<Point3>& x, bool& inside) const {
  const auto& corner = surface_.facets()[facet.facet];
  Closest found;
  if (surface_.dimension() == 3) {
    inside = point_face(x[point], x[corner[0]], x[corner[1]], x[corner[2]], found);
  } else {
    found = point_edge(x[point], x[corner[0]], x[corner[1]]);
    inside = found.inside == 1;
  }
  return {surface_.dimension(), corner, {-found.c[1], -found.c[2], -found.c[3]}, found.s, found.r};
}

Target PointFacets::vertex_target(const Vertex& vertex, int point, const std::vector<Point3>& x) const {
  const Point3 r = x[point] - x[vertex.point];
  return {1, {vertex.point, 0, 0}, {1, 0, 0}, square(r), r};
}

SetState PointFacets::state(const FacetSet& set, const std::vector<Point3>& x, std::vector<SignedTarget>* terms) const {
  thread_local SetSight sight;  // a thread keeps its memory
  const bool space = surface_.dimension() == 3;
  const auto part = [](const auto& all, int begin, int end) {
    return std::span(all).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  };
  sight.see(x[set.point], x, surface_.dimension(), part(vertices_, set.vertices_begin, set.vertices_end),
            part(edges_, set.edges_begin, set.edges_end), set.vertices_begin);
  SetState state;
  Target above;
  double least = std::numeric_limits<double>::infinity();
  int nearest_side = -1;  // that has the nearest point of all, unless a face has it
  const double reach = set.square.reach();
  int left = 0, lone_sign = 0;  // terms that are left, and the sign of the last
  const auto keep = [&](int sign, double s, const auto& target) {
    if (sign == 0 || !(s < reach)) return;
    ++left;
    lone_sign = sign;
    if (terms != nullptr) terms->push_back({sign, target()});
  };
  const auto of_side = [&](int side) { return space ? sight.edges()[side].s : sight.vertices()[side].s; };
  for (int f = set.facets_begin; f < set.facets_end; ++f) {
    const Facet& facet = facets_[f];
    if (is_above(surface_, facet.facet, x[set.point], x, above)) {
      if (above.s < least) {
        least = above.s;
        state.nearest = above;
        nearest_side = -1;
      }
      keep(1, above.s, [&] { return above; });
      continue;
    }
    const int first = space ? set.edges_begin : set.vertices_begin;
    int best = facet.side[0] - first;  // the nearest of its sides; ties go to the first
    for (int k = 1; k < surface_.dimension(); ++k)
      if (of_side(facet.side[k] - first) < of_side(best)) best = facet.side[k] - first;
    ++(space ? sight.sign_of(best) : sight.sign(best));
    if (!(of_side(best) < least)) continue;
    least = of_side(best);
    nearest_side = best;
  }
  if (nearest_side >= 0)
    state.nearest =
        space ? sight.target(sight.edges()[nearest_side]) : SetSight::target(sight.vertices()[nearest_side]);
  else if (!(least < std::numeric_limits<double>::infinity()))
    state.nearest.s = least;
  for (const auto& edge : sight.edges()) keep(edge.sign, edge.s, [&] { return sight.target(edge); });
  for (const auto& vertex : sight.vertices()) keep(vertex.sign, vertex.s, [&] { return SetSight::target(vertex); });
  if (left == 1 && lone_sign == 1)
    state.reach = Reach::simple;
  else if (left > 0)
    state.reach = Reach::several;
  return state;
}

Target PointFacets::widened(const FacetSet& set, const Target& target, const std::vector<Point3>& x) const {
  const int corners = surface_.dimension();
  if (target.count >= corners) return target;
  for (int f = set.facets_begin; f < set.facets_end; ++f) {
    const auto& corner = surface_.facets()[facets_[f].facet];
    Target wide{corners, corner, {0, 0, 0}, target.s, target.r};
    int found = 0;
    bool across = true;
    for (int k = 0; k < corners; ++k) {
      across = across && is_across(target.r, x[corner[k]] - x[target.point[0]]);
      for (int i = 0; i < target.count; ++i)
        if (corner[k] == target.point[i]) {
          wide.weight[k] = target.weight[i];
          ++found;
        }
    }
    if (found == target.count && across) return wide;
  }
  return target;
}

void PointFacets::features(const FacetSet& set, const std::vector<Point3>& x, std::vector<SignedTarget>& all) const {
  all.clear();
  for (int f = set.facets_begin; f < set.facets_end; ++f) {
    bool inside = false;
    Target target = face_target(facets_[f], set.point, x, inside);
    if (!inside && surface_.dimension() == 3) {
      const auto& corner = surface_.facets()[facets_[f].facet];
      const Closest found = point_triangle(x[set.point], x[corner[0]], x[corner[1]], x[corner[2]]);
      target = {3, corner, {-found.c[1], -found.c[2], -found.c[3]}, found.s, found.r};
    }
    all.push_back({1, target});
  }
  for (int e = set.edges_begin; e < set.edges_end; ++e) {
    if (!edges_[e].inner) continue;
    const auto& end = surface_.edges()[edges_[e].edge];
    const Closest found = point_edge(x[set.point], x[end[0]], x[end[1]]);
    all.push_back({-1, {2, {end[0], end[1], 0}, {-found.c[1], -found.c[2], 0}, found.s, found.r}});
  }
  for (int v = set.vertices_begin; v < set.vertices_end; ++v)
    if (vertices_[v].inner)
      all.push_back({surface_.dimension() == 3 ? 1 : -1, vertex_target(vertices_[v], set.point, x)});
}

}  // namespace livens
