// A point against the facets of a body that it may meet in a step.
//
//   B(x) = sum over facets b(x, facet) - sum over inner edges b(x, edge) + sum over inner vertices b(x, vertex)
//
// (in the plane: facets - vertices; M. Li et al., Convergent incremental potential contact, 2023) takes away what
// neighbouring facets count twice. Closest points that coincide are merged: a face has +1, an edge the number of faces
// whose closest point lies inside it less one if its own does, a vertex its faces less its edges plus one. On flat and
// convex surfaces one term is left, that of the nearest point of all; at concave edges both faces push.
//
// The facets are split into sets that hang together (facets that share a vertex). A set is idle at a position if it is
// out of reach, simple if exactly one term with +1 is left, and several otherwise.
#pragma once

#include <vector>

#include "contact/ball_pairs.hpp"
#include "contact/distance.hpp"
#include "contact/surface.hpp"

namespace livens {

// The closest point of a facet, an edge or a vertex: weights of its corners.
struct Target {
  int count = 0;
  std::array<int, 3> point{};
  std::array<double, 3> weight{};
  double s = 0;
  Point3 r;  // to the point
};

struct SignedTarget {
  int sign;  // how often it counts
  Target target;
};

// Facets that hang together, with their edges and vertices. All numbers of edges and vertices below are places in the
// lists of PointFacets.
struct FacetSet {
  int point;
  ScaledSquare square;  // range, and the radius of the point if it is a ball
  double strength;      // J; (2/27) w kappa range without a radius
  int facets_begin, facets_end, edges_begin, edges_end, vertices_begin, vertices_end;
};

enum class Reach { idle, simple, several };

// What a set is at one position.
struct SetState {
  Reach reach = Reach::idle;
  Target nearest;  // of all features
};

class PointFacets {
 public:
  explicit PointFacets(const ContactSurface& surface) : surface_(surface) {}

  void clear();
  // Facets of one body that a point may meet at its full range. exclude(f): of the same body, and left out of the sum
  // or handled alone, whatever the position; edges and vertices at such facets are not inner ones.
  template <class Exclude>
  void add(int point, std::span<const int> facets, const ScaledSquare& square, double strength, const Exclude& exclude);
  // A facet by itself, with a range of its own.
  void add_alone(int point, int facet, const ScaledSquare& square, double strength);

  const std::vector<FacetSet>& sets() const { return sets_; }
  // The facet at a place between facets_begin and facets_end of a set, and the point at one of its vertices.
  int facet_at(int place) const { return facets_[place].facet; }
  int vertex_at(int place) const { return vertices_[place].point; }
  // The state of a set at positions x, and the terms that are left there, if a list for them is given.
  SetState state(const FacetSet& set, const std::vector<Point3>& x, std::vector<SignedTarget>* terms) const;
  // Of a closest point on an edge or a vertex: that of a facet of the set which has it on its border and r across, with
  // weights 0. There the closest point moves over the facet, whatever moves. Otherwise the target itself.
  Target widened(const FacetSet& set, const Target& target, const std::vector<Point3>& x) const;
  // The features of a set one by one, each with its sign: the same number of them in the same order at every position.
  void features(const FacetSet& set, const std::vector<Point3>& x, std::vector<SignedTarget>& all) const;

 private:
  struct Facet {
    int facet;
    std::array<int, 3> side;  // edges in space, vertices in the plane
  };
  struct Edge {
    int edge;
    std::array<int, 2> vertex;
    bool inner;
  };
  struct Vertex {
    int point;
    bool inner;
  };

  int begin_set(int point, const ScaledSquare& square, double strength);
  void end_set();
  void add_facet(int facet);
  int edge_place(int edge, int from);
  int vertex_place(int point, int from);
  void split(std::span<const int> facets);
  Target face_target(const Facet& facet, int point, const std::vector<Point3>& x, bool& inside) const;
  Target vertex_target(const Vertex& vertex, int point, const std::vector<Point3>& x) const;

  const ContactSurface& surface_;
  std::vector<FacetSet> sets_;
  std::vector<Facet> facets_;
  std::vector<Edge> edges_;
  std::vector<Vertex> vertices_;
  std::vector<int> group_, members_;
};

template <class Exclude>
void PointFacets::add(int point, std::span<const int> facets, const ScaledSquare& square, double strength,
                      const Exclude& exclude) {
  split(facets);
  const int groups = facets.empty() ? 0 : *std::max_element(group_.begin(), group_.end()) + 1;
  for (int g = 0; g < groups; ++g) {
    begin_set(point, square, strength);
    for (std::size_t k = 0; k < facets.size(); ++k)
      if (group_[k] == g) add_facet(facets[k]);
    end_set();
    const FacetSet& set = sets_.back();
    const auto free = [&](std::span<const int> around) { return std::none_of(around.begin(), around.end(), exclude); };
    for (int e = set.edges_begin; e < set.edges_end; ++e)
      edges_[e].inner = surface_.inner_edge(edges_[e].edge) && free(surface_.facets_at_edge(edges_[e].edge));
    for (int v = set.vertices_begin; v < set.vertices_end; ++v)
      vertices_[v].inner =
          surface_.inner_point(vertices_[v].point) && free(surface_.facets_at_point(vertices_[v].point));
  }
}

}  // namespace livens
