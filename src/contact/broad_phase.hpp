// Which points may meet which facets, and which edges which edges: pairs whose boxes meet, found by trees.
//
// The trees are made with boxes that are blown up by a skin, and the pairs that they find serve until a point's box
// leaves its blown-up one. The pairs handed out are those of the boxes given, in order of their numbers: they depend
// neither on the skin nor on when the trees were made.
#pragma once

#include <vector>

#include "contact/bounding_tree.hpp"
#include "contact/surface.hpp"

namespace livens {

struct CandidatePair {
  int first, second;  // a point and a facet, or two edges, the smaller number first
  auto operator<=>(const CandidatePair&) const = default;
};

class BroadPhase {
 public:
  // meets[a * bodies + b]: whether points of body a meet facets of body b, and edges of a those of b; symmetric.
  BroadPhase(const ContactSurface& surface, std::vector<char> meets, double skin);

  // Pairs for these boxes of points; those of facets and edges are made of them, and blown up by a reach.
  void find(std::span<const Box> points, double facet_reach, double edge_reach);

  // Without pairs that share a point; sorted.
  const std::vector<CandidatePair>& point_facets() const { return point_facets_; }
  const std::vector<CandidatePair>& edge_edges() const { return edge_edges_; }
  const std::vector<CandidatePair>& point_balls() const { return point_balls_; }  // a point and a ball, not itself
  long builds() const { return builds_; }

 private:
  bool skin_holds(std::span<const Box> points, double facet_reach, double edge_reach) const;
  void build(std::span<const Box> points, double facet_reach, double edge_reach);
  void build_trees(double facet_reach, double edge_reach);
  void search_facets(int own);
  void search_edges(int own);
  void search_balls(int own);
  bool meet(int a, int b) const { return meets_[a * bodies_ + b] != 0; }

  const ContactSurface& surface_;
  std::vector<char> meets_;
  int bodies_;
  double skin_;
  long builds_ = 0;
  double built_facet_reach_ = -1, built_edge_reach_ = -1;
  // Of points, facets and edges: with the skin, and as given; those of edges in trees have their reach.
  std::vector<Box> fat_points_, fat_facets_, fat_edges_, reaching_, facet_boxes_, edge_boxes_;
  std::vector<BoundingTree> facet_trees_, edge_trees_, ball_trees_;  // of each body
  std::vector<CandidatePair> fat_point_facets_, fat_edge_edges_, fat_point_balls_, point_facets_, edge_edges_,
      point_balls_;
  std::vector<std::vector<CandidatePair>> chunks_;  // of tasks
};

// The box of a facet or edge from those of its points.
Box box_of(std::span<const Box> points, std::span<const int> corners);

}  // namespace livens
