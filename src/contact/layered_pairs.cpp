#include "contact/layered_pairs.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace livens {
namespace {

// w pressure / range of what the rational barrier has as its strength: k |b'(1/4)| of no thickness.
LayerLaw law_of(const ScaledSquare& square, double strength) {
  const double half = square.thickness + 0.5 * square.range;
  const double load = -strength * rational_barrier::first(square.u(half * half)) / square.range;
  return LayerLaw::make(1, load, square.range, square.thickness);
}

bool before(const LayeredPairs::Term& a, const LayeredPairs::Term& b) {
  return std::tie(a.count, a.point, a.part) < std::tie(b.count, b.point, b.part);
}

}  // namespace

void LayeredPairs::begin_pair(Kind kind, int first, int second) {
  Pair pair;
  pair.kind = kind;
  pair.first = first;
  pair.second = second;
  pair.parts_begin = static_cast<int>(parts_.size());
  pair.points_begin = static_cast<int>(points_.size());
  pairs_.push_back(pair);
}

void LayeredPairs::end_pair() {
  Pair& pair = pairs_.back();
  std::sort(points_.begin() + pair.points_begin, points_.end());
  points_.erase(std::unique(points_.begin() + pair.points_begin, points_.end()), points_.end());
  pair.parts_end = static_cast<int>(parts_.size());
  pair.points_end = static_cast<int>(points_.size());
}

void LayeredPairs::add_facet_pairs() {
  const ContactSurface& surface = barrier_.surface();
  const PointFacets& facets = set_.facet_sets();
  const auto& sets = facets.sets();
  const auto body = [&](std::size_t k) { return surface.body_of_facet(facets.facet_at(sets[k].facets_begin)); };
  for (std::size_t k = 0; k < sets.size();) {
    const int point = sets[k].point, other = body(k);
    if (surface.is_fixed(point)) {  // layers of spheres at rest act on points alone
      ++k;
      continue;
    }
    begin_pair(Kind::facets, point, other);
    points_.push_back(point);
    for (; k < sets.size() && sets[k].point == point && body(k) == other; ++k) {
      parts_.push_back({law_of(sets[k].square, sets[k].strength), static_cast<int>(k)});
      for (int v = sets[k].vertices_begin; v < sets[k].vertices_end; ++v) points_.push_back(facets.vertex_at(v));
    }
    end_pair();
  }
}

void LayeredPairs::find(ConstVector q, double margin) {
  rest_.assign(q.size(), 0.0);
  set_.begin(q, rest_, margin);
  pairs_.clear();
  parts_.clear();
  points_.clear();
  add_facet_pairs();
  for (std::size_t k = 0; k < set_.edge_pairs().size(); ++k) {
    const EdgePair& edges = set_.edge_pairs()[k];
    begin_pair(Kind::edges, edges.first, edges.second);
    parts_.push_back({law_of({edges.range, 0}, edges.strength), static_cast<int>(k)});
    points_.insert(points_.end(), edges.point.begin(), edges.point.end());
    end_pair();
  }
  for (std::size_t k = 0; k < set_.ball_pairs().size(); ++k) {
    const BallPair& balls = set_.ball_pairs()[k];
    begin_pair(Kind::ball, balls.point, balls.ball);
    parts_.push_back({law_of(balls.square, balls.strength), static_cast<int>(k)});
    points_.push_back(balls.point);
    points_.push_back(balls.ball);
    end_pair();
  }
  for (std::size_t k = 0; k < set_.plane_points().size(); ++k) {
    const auto& at = set_.plane_points()[k];
    const BarrierPlane& plane = barrier_.planes()[at.plane];
    begin_pair(Kind::plane, at.point, at.plane);
    LayerLaw law = law_of({plane.range, 0}, at.strength);
    law.thickness = plane.thickness;
    parts_.push_back({law, static_cast<int>(k)});
    points_.push_back(at.point);
    end_pair();
  }
}

void LayeredPairs::see_facets(const Pair& pair, const std::vector<Point3>& x, Sight& sight) const {
  thread_local std::vector<SignedTarget> targets;
  const PointFacets& facets = set_.facet_sets();
  for (int k = pair.parts_begin; k < pair.parts_end; ++k) {
    const FacetSet& set = facets.sets()[parts_[k].item];
    targets.clear();
    const SetState state = facets.state(set, x, &targets);
    sight.gaps.push_back(set.square.gap(state.nearest.s));
    for (const auto& [sign, target] : targets) {
      Term term;
      term.part = k;
      term.factor = sign;
      const double distance = std::sqrt(target.s);
      term.gap = distance - set.square.thickness;
      term.normal = (1 / distance) * target.r;
      term.count = 1 + target.count;
      term.point[0] = set.point;
      term.c[0] = 1;
      for (int i = 0; i < target.count; ++i) {
        term.point[i + 1] = target.point[i];
        term.c[i + 1] = -target.weight[i];
      }
      sight.terms.push_back(term);
    }
  }
  if (sight.terms.size() > 1) std::sort(sight.terms.begin(), sight.terms.end(), before);
}

void LayeredPairs::see_edges(const Pair& pair, const std::vector<Point3>& x, Sight& sight) const {
  const EdgePair& edges = set_.edge_pairs()[parts_[pair.parts_begin].item];
  const EdgePairState state = edge_pair_state(edges, x);
  Term term;
  term.gap = std::sqrt(state.closest.s);
  sight.gaps.push_back(term.gap);
  if (!(term.gap < edges.range)) return;
  const EdgeWeakening weakening = edge_pair_weakening(edges, state, x);
  term.part = pair.parts_begin;
  term.factor = weakening.value;
  term.normal = (1 / term.gap) * state.closest.r;
  term.count = 4;
  term.point = edges.point;
  term.c = state.closest.c;
  term.bent = weakening.varies;
  term.by_point = weakening.by_point;
  sight.terms.push_back(term);
}

void LayeredPairs::see(const Pair& pair, const std::vector<Point3>& x, Sight& sight) const {
  sight.terms.clear();
  sight.gaps.clear();
  if (pair.kind == Kind::facets) return see_facets(pair, x, sight);
  if (pair.kind == Kind::edges) return see_edges(pair, x, sight);
  const LayerLaw& law = parts_[pair.parts_begin].law;
  Term term;
  term.part = pair.parts_begin;
  term.point[0] = pair.first;
  term.c[0] = 1;
  if (pair.kind == Kind::ball) {
    const Point3 r = x[pair.first] - x[pair.second];
    const double distance = length(r);
    term.gap = distance - law.thickness;
    term.normal = (1 / distance) * r;
    term.count = 2;
    term.point[1] = pair.second;
    term.c[1] = -1;
  } else {
    const BarrierPlane& plane = barrier_.planes()[pair.second];
    term.gap = plane.gap(x[pair.first]);
    term.normal = plane.direction(x[pair.first]);
    term.count = 1;
  }
  sight.gaps.push_back(term.gap);
  if (term.gap < law.range) sight.terms.push_back(term);
}

LayeredPairs::Corners LayeredPairs::held(const Pair& pair, const Term& nearest) const {
  const ContactSurface& surface = barrier_.surface();
  const auto corners = [&](int facet) {
    const auto& corner = surface.facets()[facet];
    Corners found{surface.dimension(), {corner[0], corner[1], corner[2]}};
    return found;
  };
  if (pair.kind == Kind::edges) return {4, nearest.point};
  if (pair.kind == Kind::plane) return {};
  if (pair.kind == Kind::ball) {
    const auto around = surface.facets_at_point(pair.first);
    return around.empty() ? Corners{} : corners(around.front());
  }
  for (const int facet : surface.facets_at_point(nearest.point[1])) {
    const Corners own = corners(facet);
    bool all = true;
    for (int i = 1; i < nearest.count; ++i)
      all = all && std::find(own.point.begin(), own.point.begin() + own.count, nearest.point[i]) !=
                       own.point.begin() + own.count;
    if (all) return own;
  }
  return {};
}

void add_term_forces(const LayeredPairs::Term& term, const LayerSum& sum, double scale, Point3* forces) {
  const Point3 push = (scale * term.factor * sum.push) * term.normal;
  for (int i = 0; i < term.count; ++i) forces[term.point[i]] += term.c[i] * push;
  if (!term.bent) return;
  for (int i = 0; i < term.count; ++i) forces[term.point[i]] -= (scale * sum.energy) * term.by_point[i];
}

LayeredState layered_state(const ContactBarrier& barrier, ConstVector q, const Between& between) {
  const ContactSurface& surface = barrier.surface();
  LayeredPairs pairs(barrier);
  pairs.find(q, 0);
  std::vector<Point3> x;
  surface.positions(q, x);
  LayeredState state;
  state.forces.assign(x.size(), Point3{});
  LayeredPairs::Sight sight;
  for (const auto& pair : pairs.pairs()) {
    const bool plane = pair.kind == LayeredPairs::Kind::plane, edges = pair.kind == LayeredPairs::Kind::edges;
    const int own = edges ? surface.body_of_edge(pair.first) : surface.body_of_point(pair.first);
    const int other = plane                                     ? Between::plane
                      : edges                                   ? surface.body_of_edge(pair.second)
                      : pair.kind == LayeredPairs::Kind::facets ? pair.second
                                                                : surface.body_of_point(pair.second);
    if (!between.has(own, other)) continue;
    pairs.see(pair, x, sight);
    state.count += sight.terms.empty() ? 0 : 1;
    for (const auto& term : sight.terms) {
      const LayerSum sum = pairs.parts()[term.part].law.all(term.gap);
      state.energy += term.gap > 0 ? term.factor * sum.energy : std::numeric_limits<double>::infinity();
      add_term_forces(term, sum, 1, state.forces.data());
      if (plane) state.plane_force += sum.push * term.normal;
    }
  }
  return state;
}

}  // namespace livens
