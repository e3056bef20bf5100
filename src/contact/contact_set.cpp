#include "contact/contact_set.hpp"

#include <algorithm>
#include <limits>

#include "contact/free_path.hpp"
#include "math/parallel.hpp"

namespace livens {
namespace {

constexpr double widening = 2.5;
constexpr double parallel_edges = 1e-3;  // sin^2 of the angle below which pairs of edges are weakened
constexpr double own_body = 2;           // ranges: what is closer at rest has a shorter range
constexpr double surely_apart = 0.9;     // of a distance: gaps that are left are more than rounding
constexpr std::size_t pairs_each = 256;  // of a task

}  // namespace

ContactSet::ContactSet(const ContactBarrier& barrier)
    : barrier_(barrier),
      law_(barrier.friction()),
      broad_(barrier.surface(), barrier.meets(), barrier.skin()),
      sets_(barrier.surface()) {}

void ContactSet::begin(ConstVector q0, ConstVector way, double margin, double h) {
  step_ = h;
  const ContactSurface& surface = barrier_.surface();
  surface.positions(q0, x0_);
  surface.movements(way, dx_);
  double largest = 0;
  tight_.assign(x0_.size(), Box{});
  for (std::size_t a = 0; a < x0_.size(); ++a) {
    tight_[a].take(x0_[a]);
    tight_[a].take(x0_[a] + dx_[a]);
    largest = std::max({largest, largest_of(tight_[a].low), largest_of(tight_[a].high)});
  }
  moves_ = margin > 0;
  margin_ = margin + floor_roundings * std::numeric_limits<double>::epsilon() * largest;
  find_pairs();
}

void ContactSet::widen() {
  double longest = 0;
  for (const Box& box : tight_) longest = std::max(longest, largest_of(box.high - box.low));
  margin_ = widening * margin_ + 0.5 * (widening - 1) * longest;
  find_pairs();
}

void ContactSet::find_pairs() {
  const ContactSurface& surface = barrier_.surface();
  boxes_ = tight_;
  for (Box& box : boxes_) box.grow(margin_);
  const double range = barrier_.largest_range();
  broad_.find(boxes_, range, 0.5 * range);
  sets_.clear();
  point_facets_.clear();
  const auto& pairs = broad_.point_facets();
  for (std::size_t i = 0; i < pairs.size();) {
    const int point = pairs[i].first, body = surface.body_of_facet(pairs[i].second);
    facets_.clear();
    for (; i < pairs.size() && pairs[i].first == point && surface.body_of_facet(pairs[i].second) == body; ++i)
      if (!surface.is_fixed(point) || reaches(pairs[i], range)) facets_.push_back(pairs[i].second);
    if (surface.body_of_point(point) == body)
      add_own_sets(point, body, facets_);
    else
      add_sets(point, body, facets_);
  }
  find_edge_pairs();
  balls_.clear();
  for (const CandidatePair& pair : broad_.point_balls()) add_ball_pair(pair);
  add_plane_points();

  at0_.resize(sets_.sets().size());
  for_each_index((at0_.size() + pairs_each - 1) / pairs_each, [&](std::size_t k) {
    for (std::size_t i = k * pairs_each; i < std::min(at0_.size(), (k + 1) * pairs_each); ++i)
      at0_[i] = sets_.state(sets_.sets()[i], x0_, nullptr);
  });
  find_edge_states();
  find_gaps();
}

// Of all facets of a body that a point may meet, by the nearest one.
void ContactSet::find_gaps() {
  const ContactSurface& surface = barrier_.surface();
  gaps_at0_.resize(point_facets_.size());
  std::size_t set = 0;
  const auto is_of = [&](int point, int facet, int other_point, int other_facet) {
    return point == other_point && surface.body_of_facet(facet) == surface.body_of_facet(other_facet);
  };
  for (std::size_t i = 0; i < gaps_at0_.size();) {
    const auto [point, facet] = point_facets_[i];
    double least = std::numeric_limits<double>::infinity();
    for (; set < at0_.size(); ++set) {
      const FacetSet& own = sets_.sets()[set];
      if (surface.is_sample(own.point)) continue;
      if (!is_of(own.point, sets_.facet_at(own.facets_begin), point, facet)) break;
      least = std::min(least, at0_[set].nearest.s);
    }
    const double gap = std::sqrt(least) - surface.radius(point);
    for (; i < gaps_at0_.size() && is_of(point_facets_[i].first, point_facets_[i].second, point, facet); ++i)
      gaps_at0_[i] = gap;
  }
}

// Boxes of large balls have far more facets than the balls.
bool ContactSet::reaches(const CandidatePair& pair, double range) const {
  const ContactSurface& surface = barrier_.surface();
  const Box box = box_of(boxes_, {surface.facets()[pair.second].data(), static_cast<std::size_t>(surface.dimension())});
  const Point3& p = x0_[pair.first];
  const auto beyond = [](double x, double low, double high) { return std::max({low - x, 0.0, x - high}); };
  return length({beyond(p.x, box.low.x, box.high.x), beyond(p.y, box.low.y, box.high.y),
                 beyond(p.z, box.low.z, box.high.z)}) < surface.radius(pair.first) + range;
}

// The vector from any point of the facet to the point changes by a mean of those from its corners.
double ContactSet::closed(const CandidatePair& pair, const std::vector<Point3>& dx, double part) const {
  const auto& corner = barrier_.surface().facets()[pair.second];
  const Point3 gone = x1_[pair.first] - x0_[pair.first], going = dx[pair.first];
  double before = 0, now = 0;
  for (int k = 0; k < barrier_.surface().dimension(); ++k) {
    before = std::max(before, square(gone - (x1_[corner[k]] - x0_[corner[k]])));
    now = std::max(now, square(going - dx[corner[k]]));
  }
  return std::sqrt(before) + part * std::sqrt(now);
}

// Where no corner passes through a facet and no edge through an edge, samples do not.
void ContactSet::keep_apart(int point, int facet) {
  if (!barrier_.surface().is_sample(point)) point_facets_.push_back({point, facet});
}

void ContactSet::add_sets(int point, int body, std::span<const int> facets) {
  const BarrierPair& pair = barrier_.pair(barrier_.surface().body_of_point(point), body);
  const ScaledSquare square{pair.range, barrier_.surface().radius(point)};
  const double strength = square.strength(barrier_.weight(point, body), pair.pressure);
  for (const int f : facets) keep_apart(point, f);
  sets_.add(point, facets, square, strength, [](int) { return false; });
}

void ContactSet::add_ball_pair(const CandidatePair& pair) {
  const ContactSurface& surface = barrier_.surface();
  // Balls at rest meet points as the sphere that they are (add_plane_points).
  if (surface.is_fixed(pair.first) || surface.is_fixed(pair.second)) return;
  const int own = surface.body_of_point(pair.first), other = surface.body_of_point(pair.second);
  const BarrierPair& law = barrier_.pair(own, other);
  const ScaledSquare square{law.range, surface.radius(pair.first) + surface.radius(pair.second)};
  balls_.push_back(
      {pair.first, pair.second, square, square.strength(barrier_.weight(pair.first, other), law.pressure)});
}

double ContactSet::reference_distance(int point, int facet) const {
  const ContactSurface& surface = barrier_.surface();
  const auto& corner = surface.facets()[facet];
  const Point3 &p = surface.reference(point), &a = surface.reference(corner[0]), &b = surface.reference(corner[1]);
  if (surface.dimension() == 2) return std::sqrt(point_edge(p, a, b).s);
  return std::sqrt(point_triangle(p, a, b, surface.reference(corner[2])).s);
}

// Facets of the point's own body that are near at rest act alone, with half of that distance as their range, so that
// the rest shape is free of force. Those that touch the point at rest without having it (cracks that are closed) are
// left out.
void ContactSet::add_own_sets(int point, int body, std::span<const int> facets) {
  const ContactSurface& surface = barrier_.surface();
  const BarrierPair& pair = barrier_.pair(body, body);
  const double weight = barrier_.weight(point, body);
  const auto near = [&](int f) {
    return surface.adjoins(point, f) || reference_distance(point, f) < own_body * pair.range;
  };
  full_.clear();
  for (const int f : facets) {
    const double at_rest = reference_distance(point, f);
    if (!(at_rest > 0)) continue;
    keep_apart(point, f);
    if (at_rest >= own_body * pair.range) {
      full_.push_back(f);
      continue;
    }
    const double range = std::min(pair.range, at_rest / own_body);
    sets_.add_alone(point, f, {range, 0}, barrier_strength(weight, pair.pressure, range));
  }
  sets_.add(point, full_, {pair.range, 0}, barrier_strength(weight, pair.pressure, pair.range), near);
}

// Those that a plane along the surface at the first keeps further apart than any range, wherever they go in their
// boxes, are left out: most of those between faces that touch.
void ContactSet::find_edge_pairs() {
  const ContactSurface& surface = barrier_.surface();
  const auto& pairs = broad_.edge_edges();
  const double range = 0.5 * barrier_.largest_range();
  const auto normal = [&](int e) {
    Point3 sum;
    for (const int f : surface.facets_at_edge(e)) {
      const auto& corner = surface.facets()[f];
      sum += cross(x0_[corner[1]] - x0_[corner[0]], x0_[corner[2]] - x0_[corner[0]]);
    }
    return sum;
  };
  struct Extent {
    double low, high, way_low, way_high;  // along n, at q0 and on the way
  };
  const auto extent = [&](const Point3& n, const ContactSurface::Edge& ends) {
    const double a = dot(n, x0_[ends[0]]), b = dot(n, x0_[ends[1]]), a1 = a + dot(n, dx_[ends[0]]),
                 b1 = b + dot(n, dx_[ends[1]]), low = std::min(a, b), high = std::max(a, b);
    return Extent{low, high, std::min({low, a1, b1}), std::max({high, a1, b1})};
  };
  edges_apart_.assign(pairs.size(), 0.0);
  for_each_index(moves_ ? (pairs.size() + pairs_each - 1) / pairs_each : 0, [&](std::size_t task) {
    Point3 n;
    Extent own{};
    double limit = 0;
    for (std::size_t k = task * pairs_each; k < std::min(pairs.size(), (task + 1) * pairs_each); ++k) {
      if (k % pairs_each == 0 || pairs[k].first != pairs[k - 1].first) {
        n = normal(pairs[k].first);
        if (const double size = length(n); size > 0) n = (1 / size) * n;
        own = extent(n, surface.edges()[pairs[k].first]);
        limit = range + 2 * margin_ * (std::abs(n.x) + std::abs(n.y) + std::abs(n.z));
      }
      const Extent other = extent(n, surface.edges()[pairs[k].second]);
      const bool apart = std::max(other.way_low - own.way_high, own.way_low - other.way_high) > limit;
      edges_apart_[k] = apart ? -1 : std::max({0.0, other.low - own.high, own.low - other.high});
    }
  });
  edges_.clear();
  edge_gaps_at0_.clear();
  for (std::size_t k = 0; k < pairs.size(); ++k)
    if (edges_apart_[k] >= 0) add_edge_pair(pairs[k], edges_apart_[k]);
}

// Of the others it is enough to know that they are out of range.
void ContactSet::find_edge_states() {
  edges_at0_.resize(edges_.size());
  for_chunks(edges_.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      if (out_of_range_at0(k)) continue;
      edges_at0_[k] = edge_pair_state(edges_[k], x0_);
      edge_gaps_at0_[k] = std::sqrt(edges_at0_[k].closest.s);
    }
  });
}

// By more than rounding.
bool ContactSet::out_of_range_at0(std::size_t k) const { return surely_apart * edge_gaps_at0_[k] > edges_[k].range; }

void ContactSet::add_edge_pair(const CandidatePair& pair, double apart) {
  const ContactSurface& surface = barrier_.surface();
  const auto &first = surface.edges()[pair.first], &second = surface.edges()[pair.second];
  const int a = surface.body_of_edge(pair.first), b = surface.body_of_edge(pair.second);
  const BarrierPair& law = barrier_.pair(a, b);
  double range = 0.5 * law.range;
  if (a == b) {
    const double at_rest = std::sqrt(edge_edge(surface.reference(first[0]), surface.reference(first[1]),
                                               surface.reference(second[0]), surface.reference(second[1]))
                                         .s);
    if (!(at_rest > 0)) return;
    range = std::min(range, at_rest / own_body);
  }
  const double weight = 0.5 * std::min(surface.edge_area(pair.first), surface.edge_area(pair.second));
  const double lengths = surface.edge_length(pair.first) * surface.edge_length(pair.second);
  edges_.push_back({pair.first,
                    pair.second,
                    {first[0], first[1], second[0], second[1]},
                    range,
                    barrier_strength(weight, law.pressure, range),
                    parallel_edges * lengths * lengths});
  edge_gaps_at0_.push_back(apart);
}

void ContactSet::add_plane_points() {
  planes_.clear();
  for (int k = 0; k < static_cast<int>(barrier_.planes().size()); ++k) {
    const BarrierPlane& plane = barrier_.planes()[k];
    const auto& body = barrier_.surface().bodies()[plane.body];
    const Point3 n = plane.radius > 0 ? Point3{1, 1, 1} : plane.normal;
    const double reach = plane.range + margin_ * (std::abs(n.x) + std::abs(n.y) + std::abs(n.z));
    for (int a = body.points_begin; a < body.samples_end; ++a) {
      const PlanePoint at{k, a, barrier_strength(barrier_.surface().pushing_area(a), plane.pressure, plane.range)};
      // A straight way may come closer to a sphere than its ends are, by no more than half of its length.
      const double bulge = plane.radius > 0 ? 0.5 * length(dx_[a]) : 0;
      if (std::min(gap(at, x0_[a]), gap(at, x0_[a] + dx_[a])) < reach + bulge) planes_.push_back(at);
    }
  }
}

bool ContactSet::holds(ConstVector q) {
  barrier_.surface().positions(q, x1_);
  for (std::size_t a = 0; a < x1_.size(); ++a)
    if (!boxes_[a].holds(x1_[a])) return false;
  return true;
}

// The least of fraction(k) over [0, count), in tasks: a minimum does not depend on their order.
template <class Fraction>
double ContactSet::least(std::size_t count, const Fraction& fraction) {
  const std::size_t tasks = (count + pairs_each - 1) / pairs_each;
  least_.assign(tasks, 1.0);
  for_each_index(tasks, [&](std::size_t k) {
    for (std::size_t i = k * pairs_each; i < std::min(count, (k + 1) * pairs_each); ++i)
      least_[k] = std::min(least_[k], fraction(i));
  });
  return tasks == 0 ? 1.0 : *std::min_element(least_.begin(), least_.end());
}

ContactSet::Way ContactSet::way(ConstVector q, ConstVector dq) {
  const ContactSurface& surface = barrier_.surface();
  surface.positions(q, x1_);
  std::vector<Point3>& dx = forces_;
  surface.movements(dq, dx);
  Way way;
  const auto limit = [&](double x, double d, double low, double high) {
    if (d > 0) way.inside = std::min(way.inside, std::max(0.0, (high - x) / d));
    if (d < 0) way.inside = std::min(way.inside, std::max(0.0, (low - x) / d));
  };
  for (std::size_t a = 0; a < x1_.size(); ++a) {
    const Box& box = boxes_[a];
    limit(x1_[a].x, dx[a].x, box.low.x, box.high.x);
    limit(x1_[a].y, dx[a].y, box.low.y, box.high.y);
    limit(x1_[a].z, dx[a].z, box.low.z, box.high.z);
  }
  // Beyond the boxes other pairs might meet.
  const double part = way.inside;
  const auto moving = [&](int a) { return MovingPoint{x1_[a], part * dx[a]}; };
  // Pairs that were further apart at q0 than they can have come since are free.
  reach_.resize(x1_.size());
  farthest_reach_ = 0;
  for (std::size_t a = 0; a < x1_.size(); ++a) {
    reach_[a] = length(x1_[a] - x0_[a]) + part * length(dx[a]);
    farthest_reach_ = std::max(farthest_reach_, reach_[a]);
  }
  const double facets = least(point_facets_.size(), [&](std::size_t k) {
    const double apart = surely_apart * gaps_at0_[k];
    if (2 * farthest_reach_ < apart || closed(point_facets_[k], dx, part) < apart) return 1.0;
    const auto& corner = surface.facets()[point_facets_[k].second];
    const MovingPoint p = moving(point_facets_[k].first);
    const double radius = surface.radius(point_facets_[k].first);
    if (surface.dimension() == 2) return free_fraction_point_edge(p, moving(corner[0]), moving(corner[1]), radius);
    return free_fraction_point_triangle(p, moving(corner[0]), moving(corner[1]), moving(corner[2]), radius);
  });
  const double edges = least(edges_.size(), [&](std::size_t k) {
    const double apart = surely_apart * edge_gaps_at0_[k];
    if (2 * farthest_reach_ < apart) return 1.0;
    const auto& p = edges_[k].point;
    const double closed = std::max(reach_[p[0]], reach_[p[1]]) + std::max(reach_[p[2]], reach_[p[3]]);
    if (closed < apart) return 1.0;
    return free_fraction_edge_edge(moving(p[0]), moving(p[1]), moving(p[2]), moving(p[3]));
  });
  const double balls = least(balls_.size(), [&](std::size_t k) {
    return free_fraction_point_point(moving(balls_[k].point), moving(balls_[k].ball), balls_[k].square.thickness);
  });
  double planes = 1;
  for (const PlanePoint& at : planes_) {
    const BarrierPlane& plane = barrier_.planes()[at.plane];
    const Point3 &x = x1_[at.point], move = part * dx[at.point];
    if (plane.radius > 0 && !plane.inside)
      planes =
          std::min(planes, free_fraction_point_point({x, move}, {plane.point, {}}, plane.radius + plane.thickness));
    else  // the gap to a sphere around is concave along a straight way: it is no less than on the chord
      planes = std::min(planes, free_fraction_line(gap(at, x), gap(at, x + move) - gap(at, x)));
  }
  way.free = std::min({facets, edges, balls, planes}) * part;
  return way;
}

}  // namespace livens
