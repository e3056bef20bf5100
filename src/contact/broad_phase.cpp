#include "contact/broad_phase.hpp"

#include <algorithm>

#include "math/parallel.hpp"

namespace livens {
namespace {

// Of a task: depend on nothing but the surface.
constexpr std::size_t queries_each = 512, pairs_each = 16384;

bool share_point(const ContactSurface::Edge& a, const ContactSurface::Edge& b) {
  return a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1];
}

// Items [begin, end) in tasks, whose lists are put together in order.
template <class Search>
void collect(std::size_t begin, std::size_t end, std::size_t each, std::vector<std::vector<CandidatePair>>& chunks,
             std::vector<CandidatePair>& pairs, const Search& search) {
  const std::size_t tasks = (end - begin + each - 1) / each;
  if (chunks.size() < tasks) chunks.resize(tasks);
  for_each_index(tasks, [&](std::size_t k) {
    chunks[k].clear();
    const std::size_t from = begin + k * each;
    search(from, std::min(end, from + each), chunks[k]);
  });
  for (std::size_t k = 0; k < tasks; ++k) pairs.insert(pairs.end(), chunks[k].begin(), chunks[k].end());
}

// search(item, list) for items [begin, end): what it adds is sorted, so that all pairs are.
template <class Search>
void collect_sorted(int begin, int end, std::vector<std::vector<CandidatePair>>& chunks,
                    std::vector<CandidatePair>& pairs, const Search& search) {
  collect(begin, end, queries_each, chunks, pairs,
          [&](std::size_t from, std::size_t to, std::vector<CandidatePair>& list) {
            for (std::size_t item = from; item < to; ++item) {
              const std::size_t before = list.size();
              search(static_cast<int>(item), list);
              std::sort(list.begin() + static_cast<std::ptrdiff_t>(before), list.end());
            }
          });
}

// Those of `all` for which keep(pair).
template <class Keep>
void select(const std::vector<CandidatePair>& all, std::vector<std::vector<CandidatePair>>& chunks,
            std::vector<CandidatePair>& pairs, const Keep& keep) {
  pairs.clear();
  collect(0, all.size(), pairs_each, chunks, pairs,
          [&](std::size_t from, std::size_t to, std::vector<CandidatePair>& list) {
            for (std::size_t k = from; k < to; ++k)
              if (keep(all[k])) list.push_back(all[k]);
          });
}

// boxes[k] = box(k)
template <class Of>
void fill_boxes(std::size_t count, std::vector<Box>& boxes, const Of& of) {
  boxes.resize(count);
  for_chunks(count, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) boxes[k] = of(k);
  });
}

}  // namespace

Box box_of(std::span<const Box> points, std::span<const int> corners) {
  Box box;
  for (const int a : corners) box.take(points[a]);
  return box;
}

BroadPhase::BroadPhase(const ContactSurface& surface, std::vector<char> meets, double skin)
    : surface_(surface), meets_(std::move(meets)), bodies_(static_cast<int>(surface.bodies().size())), skin_(skin) {
  facet_trees_.resize(bodies_);
  edge_trees_.resize(bodies_);
  ball_trees_.resize(bodies_);
}

bool BroadPhase::skin_holds(std::span<const Box> points, double facet_reach, double edge_reach) const {
  if (fat_points_.size() != points.size() || facet_reach > built_facet_reach_ || edge_reach > built_edge_reach_)
    return false;
  for (std::size_t a = 0; a < points.size(); ++a)
    if (!fat_points_[a].holds(points[a])) return false;
  return true;
}

void BroadPhase::search_facets(int own) {
  const auto& body = surface_.bodies()[own];
  const int dimension = surface_.dimension();
  const auto search = [&](int a, std::vector<CandidatePair>& list) {
    Box box = fat_points_[a];
    box.grow(body.radius);
    for (int other = 0; other < bodies_; ++other) {
      if (!meet(own, other)) continue;
      const int offset = surface_.bodies()[other].facets_begin;
      facet_trees_[other].visit(box, [&](int item) {
        const int f = item + offset;
        const auto& facet = surface_.facets()[f];
        if (std::find(facet.begin(), facet.begin() + dimension, a) == facet.begin() + dimension) list.push_back({a, f});
      });
    }
  };
  collect_sorted(body.points_begin, body.points_end, chunks_, fat_point_facets_, search);
}

void BroadPhase::search_edges(int own) {
  const auto& body = surface_.bodies()[own];
  const auto search = [&](int e, std::vector<CandidatePair>& list) {
    for (int other = own; other < bodies_; ++other) {
      if (!meet(own, other)) continue;
      const int offset = surface_.bodies()[other].edges_begin;
      edge_trees_[other].visit(fat_edges_[e], [&](int item) {
        const int f = item + offset;
        if (e < f && !share_point(surface_.edges()[e], surface_.edges()[f])) list.push_back({e, f});
      });
    }
  };
  collect_sorted(body.edges_begin, body.edges_end, chunks_, fat_edge_edges_, search);
}

void BroadPhase::search_balls(int own) {
  const auto& body = surface_.bodies()[own];
  const auto search = [&](int a, std::vector<CandidatePair>& list) {
    Box box = fat_points_[a];
    box.grow(body.radius);
    for (int other = 0; other < bodies_; ++other) {
      if (!meet(own, other)) continue;
      const int offset = surface_.bodies()[other].points_begin;
      ball_trees_[other].visit(box, [&](int item) {
        if (item + offset != a) list.push_back({a, item + offset});
      });
    }
  };
  collect_sorted(body.points_begin, body.points_end, chunks_, fat_point_balls_, search);
}

void BroadPhase::build_trees(double facet_reach, double edge_reach) {
  const auto corners = static_cast<std::size_t>(surface_.dimension());
  fill_boxes(surface_.facets().size(), fat_facets_, [&](std::size_t f) {
    Box box = box_of(fat_points_, {surface_.facets()[f].data(), corners});
    box.grow(facet_reach);
    return box;
  });
  fill_boxes(surface_.edges().size(), fat_edges_,
             [&](std::size_t e) { return box_of(fat_points_, surface_.edges()[e]); });
  // The edges that ask have no reach.
  fill_boxes(fat_edges_.size(), reaching_, [&](std::size_t e) {
    Box box = fat_edges_[e];
    box.grow(edge_reach);
    return box;
  });
  for (int b = 0; b < bodies_; ++b) {
    const auto& body = surface_.bodies()[b];
    facet_trees_[b].build({fat_facets_.data() + body.facets_begin, fat_facets_.data() + body.facets_end});
    edge_trees_[b].build({reaching_.data() + body.edges_begin, reaching_.data() + body.edges_end});
    if (body.radius == 0) continue;
    std::vector<Box>& balls = facet_boxes_;
    balls.assign(fat_points_.begin() + body.points_begin, fat_points_.begin() + body.points_end);
    for (Box& box : balls) box.grow(body.radius + facet_reach);
    ball_trees_[b].build(balls);
  }
}

void BroadPhase::build(std::span<const Box> points, double facet_reach, double edge_reach) {
  ++builds_;
  built_facet_reach_ = facet_reach;
  built_edge_reach_ = edge_reach;
  fat_points_.assign(points.begin(), points.end());
  for (Box& box : fat_points_) box.grow(skin_);
  build_trees(facet_reach, edge_reach);
  fat_point_facets_.clear();
  fat_edge_edges_.clear();
  fat_point_balls_.clear();
  for (int a = 0; a < bodies_; ++a) {
    search_facets(a);
    search_balls(a);
    search_edges(a);
  }
}

void BroadPhase::find(std::span<const Box> points, double facet_reach, double edge_reach) {
  if (!skin_holds(points, facet_reach, edge_reach)) build(points, facet_reach, edge_reach);
  const auto corners = static_cast<std::size_t>(surface_.dimension());
  fill_boxes(surface_.facets().size(), facet_boxes_, [&](std::size_t f) {
    return box_of(points, {surface_.facets()[f].data(), corners});
  });
  fill_boxes(surface_.edges().size(), edge_boxes_, [&](std::size_t e) { return box_of(points, surface_.edges()[e]); });
  select(fat_point_facets_, chunks_, point_facets_, [&](const CandidatePair& pair) {
    return facet_boxes_[pair.second].meets(points[pair.first], facet_reach + surface_.radius(pair.first));
  });
  select(fat_edge_edges_, chunks_, edge_edges_, [&](const CandidatePair& pair) {
    return edge_boxes_[pair.second].meets(edge_boxes_[pair.first], edge_reach);
  });
  select(fat_point_balls_, chunks_, point_balls_, [&](const CandidatePair& pair) {
    return points[pair.second].meets(points[pair.first],
                                     facet_reach + surface_.radius(pair.first) + surface_.radius(pair.second));
  });
}

}  // namespace livens
