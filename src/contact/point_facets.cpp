#include "contact/point_facets.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace livens {
namespace {

// Edges and vertices of one set at one position; a thread keeps its memory.
template <class T>
std::vector<T>& kept(std::size_t size) {
  thread_local std::vector<T> values;
  values.assign(size, T{});
  return values;
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

Target PointFacets::edge_target(const Edge& edge, int point, const std::vector<Point3>& x, int& place) const {
  const auto& end = surface_.edges()[edge.edge];
  const Closest found = point_edge(x[point], x[end[0]], x[end[1]]);
  place = found.inside == 1 ? -1 : found.c[2] == 0 ? edge.vertex[0] : edge.vertex[1];
  if (place >= 0) return {1, {vertices_[place].point, 0, 0}, {1, 0, 0}, found.s, found.r};
  return {2, {end[0], end[1], 0}, {-found.c[1], -found.c[2], 0}, found.s, found.r};
}

Target PointFacets::vertex_target(const Vertex& vertex, int point, const std::vector<Point3>& x) const {
  const Point3 r = x[point] - x[vertex.point];
  return {1, {vertex.point, 0, 0}, {1, 0, 0}, square(r), r};
}

SetState PointFacets::state(const FacetSet& set, const std::vector<Point3>& x, std::vector<SignedTarget>* terms) const {
  SetState state;
  state.nearest.s = std::numeric_limits<double>::infinity();
  const double reach = set.square.reach();
  struct EdgeFound : Found {};
  auto& edges = kept<EdgeFound>(set.edges_end - set.edges_begin);
  auto& vertices = kept<Found>(set.vertices_end - set.vertices_begin);
  int left = 0, lone_sign = 0;  // terms that are left, and the sign of the last
  const auto keep = [&](int sign, const Target& target) {
    if (sign == 0 || !(target.s < reach)) return;
    ++left;
    lone_sign = sign;
    if (terms != nullptr) terms->push_back({sign, target});
  };
  const auto offer = [&](const Target& target) {
    if (target.s < state.nearest.s) state.nearest = target;
  };
  for (int v = set.vertices_begin; v < set.vertices_end; ++v) {
    Found& found = vertices[v - set.vertices_begin];
    found.target = vertex_target(vertices_[v], set.point, x);
    if (vertices_[v].inner) found.sign = surface_.dimension() == 3 ? 1 : -1;
  }
  for (int e = set.edges_begin; e < set.edges_end; ++e) {
    Found& found = edges[e - set.edges_begin];
    found.target = edge_target(edges_[e], set.point, x, found.place);
    if (!edges_[e].inner) continue;
    if (found.place < 0)
      --found.sign;
    else
      --vertices[found.place - set.vertices_begin].sign;
  }
  for (int f = set.facets_begin; f < set.facets_end; ++f) {
    const Facet& facet = facets_[f];
    bool inside = false;
    const Target target = face_target(facet, set.point, x, inside);
    if (inside) {
      offer(target);
      keep(1, target);
      continue;
    }
    Found* best = nullptr;  // the nearest of its sides; ties go to the first
    for (int k = 0; k < surface_.dimension(); ++k) {
      Found& side = surface_.dimension() == 2 ? vertices[facet.side[k] - set.vertices_begin]
                                              : static_cast<Found&>(edges[facet.side[k] - set.edges_begin]);
      Found& feature = side.place < 0 ? side : vertices[side.place - set.vertices_begin];
      if (best == nullptr || feature.target.s < best->target.s) best = &feature;
    }
    ++best->sign;
    offer(best->target);
  }
  for (const Found& edge : edges) keep(edge.sign, edge.target);
  for (const Found& vertex : vertices) keep(vertex.sign, vertex.target);
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
