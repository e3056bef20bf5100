#include "contact/broad_phase.hpp"

#include <algorithm>

#include "math/parallel.hpp"

namespace livens {
namespace {

constexpr int queries_each = 512;  // of a task: depends on nothing but the surface

bool share_point(const ContactSurface::Edge& a, const ContactSurface::Edge& b) {
  return a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1];
}

// search(item, list) for items [begin, end), in tasks whose lists are put together in order.
template <class Search>
void collect(int begin, int end, std::vector<std::vector<CandidatePair>>& chunks, std::vector<CandidatePair>& pairs,
             const Search& search) {
  const auto tasks = static_cast<std::size_t>((end - begin + queries_each - 1) / queries_each);
  if (chunks.size() < tasks) chunks.resize(tasks);
  for_each_index(tasks, [&](std::size_t k) {
    chunks[k].clear();
    const int from = begin + static_cast<int>(k) * queries_each;
    for (int item = from; item < std::min(end, from + queries_each); ++item) search(item, chunks[k]);
  });
  for (std::size_t k = 0; k < tasks; ++k) pairs.insert(pairs.end(), chunks[k].begin(), chunks[k].end());
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

void BroadPhase::search_facets(int own, int other) {
  const auto& body = surface_.bodies()[own];
  const int dimension = surface_.dimension(), offset = surface_.bodies()[other].facets_begin;
  collect(body.points_begin, body.points_end, chunks_, fat_point_facets_, [&](int a, std::vector<CandidatePair>& list) {
    Box box = fat_points_[a];
    box.grow(body.radius);
    facet_trees_[other].visit(box, [&](int item) {
      const int f = item + offset;
      const auto& facet = surface_.facets()[f];
      if (std::find(facet.begin(), facet.begin() + dimension, a) == facet.begin() + dimension) list.push_back({a, f});
    });
  });
}

void BroadPhase::search_edges(int own, int other) {
  const auto& body = surface_.bodies()[own];
  const int offset = surface_.bodies()[other].edges_begin;
  collect(body.edges_begin, body.edges_end, chunks_, fat_edge_edges_, [&](int e, std::vector<CandidatePair>& list) {
    edge_trees_[other].visit(fat_edges_[e], [&](int item) {
      const int f = item + offset;
      if (e < f && !share_point(surface_.edges()[e], surface_.edges()[f])) list.push_back({e, f});
    });
  });
}

void BroadPhase::search_balls(int own, int other) {
  const auto& body = surface_.bodies()[own];
  const int offset = surface_.bodies()[other].points_begin;
  collect(body.points_begin, body.points_end, chunks_, fat_point_balls_, [&](int a, std::vector<CandidatePair>& list) {
    Box box = fat_points_[a];
    box.grow(body.radius);
    ball_trees_[other].visit(box, [&](int item) {
      if (item + offset != a) list.push_back({a, item + offset});
    });
  });
}

void BroadPhase::build(std::span<const Box> points, double facet_reach, double edge_reach) {
  ++builds_;
  built_facet_reach_ = facet_reach;
  built_edge_reach_ = edge_reach;
  fat_points_.assign(points.begin(), points.end());
  for (Box& box : fat_points_) box.grow(skin_);
  fat_facets_.resize(surface_.facets().size());
  for (std::size_t f = 0; f < fat_facets_.size(); ++f) {
    fat_facets_[f] = box_of(fat_points_, {surface_.facets()[f].data(), static_cast<std::size_t>(surface_.dimension())});
    fat_facets_[f].grow(facet_reach);
  }
  fat_edges_.resize(surface_.edges().size());
  std::vector<Box>& reaching = edge_boxes_;  // of the trees; the edges that ask have no reach
  reaching.resize(fat_edges_.size());
  for (std::size_t e = 0; e < fat_edges_.size(); ++e) {
    fat_edges_[e] = reaching[e] = box_of(fat_points_, surface_.edges()[e]);
    reaching[e].grow(edge_reach);
  }
  for (int b = 0; b < bodies_; ++b) {
    const auto& body = surface_.bodies()[b];
    facet_trees_[b].build({fat_facets_.data() + body.facets_begin, fat_facets_.data() + body.facets_end});
    edge_trees_[b].build({reaching.data() + body.edges_begin, reaching.data() + body.edges_end});
    if (body.radius == 0) continue;
    std::vector<Box>& balls = facet_boxes_;
    balls.assign(fat_points_.begin() + body.points_begin, fat_points_.begin() + body.points_end);
    for (Box& box : balls) box.grow(body.radius + facet_reach);
    ball_trees_[b].build(balls);
  }
  fat_point_facets_.clear();
  fat_edge_edges_.clear();
  fat_point_balls_.clear();
  for (int a = 0; a < bodies_; ++a)
    for (int b = 0; b < bodies_; ++b) {
      if (!meet(a, b)) continue;
      search_facets(a, b);
      search_balls(a, b);
      if (a <= b) search_edges(a, b);
    }
  std::sort(fat_point_facets_.begin(), fat_point_facets_.end());
  std::sort(fat_edge_edges_.begin(), fat_edge_edges_.end());
  std::sort(fat_point_balls_.begin(), fat_point_balls_.end());
}

void BroadPhase::find(std::span<const Box> points, double facet_reach, double edge_reach) {
  if (!skin_holds(points, facet_reach, edge_reach)) build(points, facet_reach, edge_reach);
  const auto dimension = static_cast<std::size_t>(surface_.dimension());
  point_facets_.clear();
  for (const CandidatePair& pair : fat_point_facets_)
    if (box_of(points, {surface_.facets()[pair.second].data(), dimension})
            .meets(points[pair.first], facet_reach + surface_.radius(pair.first)))
      point_facets_.push_back(pair);
  edge_edges_.clear();
  for (const CandidatePair& pair : fat_edge_edges_)
    if (box_of(points, surface_.edges()[pair.second]).meets(box_of(points, surface_.edges()[pair.first]), edge_reach))
      edge_edges_.push_back(pair);
  point_balls_.clear();
  for (const CandidatePair& pair : fat_point_balls_)
    if (points[pair.second].meets(points[pair.first],
                                  facet_reach + surface_.radius(pair.first) + surface_.radius(pair.second)))
      point_balls_.push_back(pair);
}

}  // namespace livens
