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
  // Pairs of boxes that are blown up by the skin: for every item a row of others, in lists of the tasks that found it.
  struct FatPairs {
    struct Row {
      std::size_t list = 0, begin = 0, end = 0;
    };
    std::vector<Row> rows;
    std::vector<std::vector<int>> lists;
  };
  struct BodyTree {
    BoundingTree tree;
    int first = 0;  // number of its first item
    // Of the items of each group: their numbers, and their points, -1 where they have less.
    struct Group {
      EightNumbers number, point[3];
    };
    std::vector<Group> groups;
  };
  using Trees = std::vector<BodyTree>;
  struct Task {
    int body;
    std::size_t begin, end;  // groups of its tree
  };

  bool skin_holds(std::span<const Box> points, double facet_reach, double edge_reach) const;
  void build(std::span<const Box> points, double facet_reach, double edge_reach);
  void build_trees(double facet_reach, double edge_reach);
  template <class Points>
  void build_tree(BodyTree& made, std::span<const Box> boxes, int begin, int end, const Points& points) const;
  enum class Asked { others, itself, balls };
  void search(const Trees& asking, const Trees& asked, Asked what, FatPairs& pairs);
  template <class Keep>
  void select(const FatPairs& all, std::vector<CandidatePair>& pairs, const Keep& keep);
  bool meet(int a, int b) const { return meets_[a * bodies_ + b] != 0; }

  const ContactSurface& surface_;
  std::vector<char> meets_;
  int bodies_;
  bool has_balls_ = false;
  double skin_;
  long builds_ = 0;
  double built_facet_reach_ = -1, built_edge_reach_ = -1;
  std::vector<Box> fat_points_;  // with the skin
  std::vector<Box> facet_boxes_, edge_boxes_, point_boxes_;
  Trees facet_trees_, edge_trees_, point_trees_;
  std::vector<Task> tasks_;
  FatPairs fat_point_facets_, fat_edge_edges_, fat_point_balls_;
  std::vector<CandidatePair> point_facets_, edge_edges_, point_balls_;
  std::vector<std::vector<CandidatePair>> chunks_;  // of tasks
};

// The box of a facet or edge from those of its points.
Box box_of(std::span<const Box> points, std::span<const int> corners);

}  // namespace livens
