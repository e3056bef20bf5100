// Clocks, bounds and lists of contact in layers; what a tick does is in layered_kicks.cpp.
#include "asynchronous/layered_contact.hpp"

#include <algorithm>
#include <cmath>

#include "asynchronous/memory_lists.hpp"

namespace livens {
namespace {

constexpr double fraction = 0.1;       // f: of 2/omega, for the first layer
constexpr double head_room = 1.5;      // of the bound of a speed over the speed
constexpr double least_way = 0.25;     // of the range in a unit: bounds are at least so large
constexpr double surely = 0.999;       // of gaps and waits: more than rounding
constexpr double moving_room = 2;      // of the bound of points that move as given
constexpr double moving_look = 0.25;   // of a unit: where they are looked at again
constexpr double list_units = 4;       // that a list lives at most, where points move as given
constexpr double time_roundings = 64;  // of the time: steps below cannot be told apart
constexpr double never = std::numeric_limits<double>::infinity();

Point3 point_of(const Pack& x) { return {x[0], x[1], x[2]}; }

}  // namespace

LayeredContact::LayeredContact(const Model& model, const StencilSystem& system) : system_(&system) {
  for (const auto& term : model.parts().terms)
    if (term->barrier() != nullptr) add_surface(model, *term);
  if (empty()) return;
  const auto nodes = static_cast<std::size_t>(system.node_count());
  now_.books.resize(surfaces_.size());
  node_bound_.assign(nodes, 0.0);
  limits_.assign(nodes, never);
  q_.resize(static_cast<std::size_t>(model.size()));
  place_of_node_.assign(nodes, -1);
  if (system.coasts()) return;
  for (int a = 0; a < system.node_count(); ++a) {
    bool all = system.moves(a);
    for (int c = 0; c < system.dimension(); ++c) all = all && system.free_coordinates()[a][c] == 0;
    if (!all) continue;
    place_of_node_[a] = static_cast<int>(placed_.size());
    placed_.emplace_back();
  }
  scratch_.node.resize(nodes);
  scratch_.lost.resize(nodes * system.drags().size());
}

double LayeredContact::inverse_mass(const Surface& surface, int point) const {
  if (surface.held[point] != 0) return 0;
  return 1 / system_->mass(system_->node_of(surface.pairs.barrier().surface().parts(point).front().first));
}

void LayeredContact::add_surface(const Model& model, const EnergyTerm& term) {
  Surface& added = surfaces_.emplace_back(*term.barrier());
  const ContactBarrier& barrier = *term.barrier();
  const ContactSurface& points = barrier.surface();
  const int number = static_cast<int>(surfaces_.size()) - 1;
  added.name = term.name();
  const auto& forces = model.parts().forces;
  for (std::size_t f = 0; f < forces.size(); ++f)
    if (forces[f]->friction_of() == &barrier) added.force = static_cast<int>(f);
  points_of_node_.resize(static_cast<std::size_t>(system_->node_count()));
  for (int a = 0; a < points.points(); ++a) {
    bool held = true, moves = false, supported = false;
    for (const auto& part : points.parts(a)) {
      const int node = system_->node_of(part.first);
      added.nodes.push_back(node);
      moves = moves || system_->moves(node);
      for (int c = 0; c < system_->dimension(); ++c) {
        held = held && model.supported(part.first + c);
        supported = supported || (system_->free_coordinates() != nullptr && system_->free_coordinates()[node][c] == 0);
      }
    }
    const int node = added.nodes.back();
    const bool plain = points.parts(a).size() == 1 && points.parts(a).front().weight == 1 && !system_->moves(node) &&
                       !system_->slows(node);
    added.node.push_back(plain ? node : -1);
    added.supported.push_back(supported ? 1 : 0);
    added.held.push_back(held ? 1 : 0);
    added.moves.push_back(moves ? 1 : 0);
    added.has_moving = added.has_moving || moves;
    if (!held) points_of_node_[added.nodes.back()].emplace_back(number, a);
  }
  std::sort(added.nodes.begin(), added.nodes.end());
  added.nodes.erase(std::unique(added.nodes.begin(), added.nodes.end()), added.nodes.end());
  for (const int node : added.nodes)
    if (!points_of_node_[node].empty()) contact_nodes_.push_back(node);
  std::sort(contact_nodes_.begin(), contact_nodes_.end());
  contact_nodes_.erase(std::unique(contact_nodes_.begin(), contact_nodes_.end()), contact_nodes_.end());
  const auto size = static_cast<std::size_t>(points.points());
  added.x.resize(size), added.listed.resize(size), added.forces.resize(size);
  added.bound.resize(size), added.seen.resize(size);
  added.placed.assign(size, std::nan(""));
  measure_masses(added);
}

// The lightest points of the bodies, the shortest range, and what step their first layers allow.
void LayeredContact::measure_masses(Surface& added) {
  const ContactBarrier& barrier = added.pairs.barrier();
  const ContactSurface& points = barrier.surface();
  const auto& bodies = points.bodies();
  added.lightest.assign(bodies.size(), 0.0);
  for (std::size_t b = 0; b < bodies.size(); ++b)
    for (int a = bodies[b].points_begin; a < bodies[b].points_end; ++a)
      added.lightest[b] = std::max(added.lightest[b], inverse_mass(added, a));
  added.range = never;
  for (std::size_t a = 0; a < bodies.size(); ++a)
    for (std::size_t b = 0; b < bodies.size(); ++b)
      if (const BarrierPair& pair = barrier.pair(static_cast<int>(a), static_cast<int>(b)); pair.meets)
        added.range = std::min(added.range, pair.range);
  for (const BarrierPlane& plane : barrier.planes()) added.range = std::min(added.range, plane.range);
  added.margin = std::max(barrier.skin(), 0.5 * added.range);
  const auto offer = [&](double weight, double pressure, double range, double inverse) {
    const double K = LayerLaw::make(weight, pressure, range, 0).stiffness;
    if (K * inverse > 0) own_step_ = std::min(own_step_, 2 * fraction / std::sqrt(K * inverse));
  };
  for (std::size_t b = 0; b < bodies.size(); ++b)
    for (int a = 0; a < points.points(); ++a)
      if (const BarrierPair& pair = barrier.pair(points.body_of_point(a), static_cast<int>(b)); pair.meets)
        offer(barrier.weight(a, static_cast<int>(b)), pair.pressure, pair.range,
              inverse_mass(added, a) + added.lightest[b]);
  for (const BarrierPlane& plane : barrier.planes())
    for (int a = bodies[plane.body].points_begin; a < bodies[plane.body].points_end; ++a)
      offer(points.area(a), plane.pressure, plane.range, inverse_mass(added, a));
}

int LayeredContact::clock_of(const Surface& surface, const Pair& pair, const LayerLaw& law) const {
  const auto& points = surface.pairs.barrier().surface();
  double inverse = 0;
  if (pair.kind == LayeredPairs::Kind::edges) {
    for (const int edge : {pair.first, pair.second}) {
      const auto& ends = points.edges()[edge];
      inverse += std::max(inverse_mass(surface, ends[0]), inverse_mass(surface, ends[1]));
    }
  } else {
    inverse = inverse_mass(surface, pair.first);
    if (pair.kind == LayeredPairs::Kind::facets) inverse += surface.lightest[pair.second];
    if (pair.kind == LayeredPairs::Kind::ball) inverse += inverse_mass(surface, pair.second);
  }
  const double parts = now_.unit * std::sqrt(law.stiffness * inverse) / (2 * fraction);
  return parts > 1 ? static_cast<int>(std::ceil(std::log2(parts))) : 0;
}

// Smallest instant of a clock after t, and the last one that is not.
double LayeredContact::first_after(double t, int clock) const {
  const double each = power_of_two(-clock);
  double instant = std::max(0.0, std::floor((t - now_.origin) / now_.unit * power_of_two(clock)) - 1) * each;
  while (!(time_of(instant) > t)) instant += each;
  return instant;
}

double LayeredContact::last_until(double t, int clock) const { return first_after(t, clock) - power_of_two(-clock); }

void LayeredContact::start(double unit, double origin, const Activations& activations) {
  now_.unit = unit;
  now_.origin = origin;
  now_.time = std::nextafter(origin, -never);  // the tick at the origin is to come
  std::fill(now_.books.begin(), now_.books.end(), ImpulseBook{});
  failed_.clear();
  now_.ticks = looks_ = lists_ = 0;
  renew();
  make_current(activations);
}

void LayeredContact::make_current(const Activations& activations) {
  if (current_ || empty()) return;
  current_ = true;
  queue_.clear();
  for (std::size_t k = 0; k < surfaces_.size(); ++k) make_list(static_cast<int>(k), now_.time, activations.nodes());
}

// --- where points are ------------------------------------------------------------------------------------------------

// Which of the two last places of a node is that of t.
int LayeredContact::placed(int node, double t) const {
  Placed& own = placed_[place_of_node_[node]];
  for (int k = 0; k < 2; ++k)
    if (own.t[k] == t) return k;
  own.last = 1 - own.last;
  own.t[own.last] = t;
  own.x[own.last] = own.v[own.last] = Pack{};
  system_->place(node, t, own.x[own.last], &own.v[own.last]);
  return own.last;
}

Pack LayeredContact::node_at(int node, double t, const MovingNodes& nodes) const {
  if (!system_->slows(node) && !system_->moves(node)) return nodes[node].position(t);
  if (const int place = place_of_node_[node]; place >= 0) return placed_[place].x[placed(node, t)];
  MovingNode copy = nodes[node];
  bring_node(*system_, node, t, copy, scratch_);
  return copy.x;
}

Pack LayeredContact::velocity_at(int node, double t, const MovingNodes& nodes) const {
  if (const int place = place_of_node_[node]; place >= 0) return placed_[place].v[placed(node, t)];
  Pack v = nodes[node].inverse_mass() * nodes[node].p;
  if (const Pack* free = system_->free_coordinates()) v *= free[node];
  if (!system_->moves(node)) return v;
  Pack x = nodes[node].x;
  system_->place(node, t, x, &v);
  return v;
}

Point3 LayeredContact::point_at(const Surface& surface, int point, double t, const MovingNodes& nodes) const {
  if (surface.node[point] >= 0) return point_of(nodes[surface.node[point]].position(t));
  Point3 x;
  for (const auto& part : surface.pairs.barrier().surface().parts(point))
    x += part.weight * point_of(node_at(system_->node_of(part.first), t, nodes));
  return x;
}

Point3 LayeredContact::point_velocity(const Surface& surface, int point, double t, const MovingNodes& nodes) const {
  Point3 v;
  for (const auto& part : surface.pairs.barrier().surface().parts(point))
    v += part.weight * point_of(velocity_at(system_->node_of(part.first), t, nodes));
  return v;
}

// Pairs of one instant have points in common; impulses of that instant do not move them.
void LayeredContact::place_points(Surface& surface, const Pair& pair, double t, const MovingNodes& nodes) const {
  for (const int a : surface.pairs.points(pair)) {
    if (surface.placed[a] == t) continue;
    surface.x[a] = point_at(surface, a, t, nodes);
    surface.placed[a] = t;
  }
}

// --- bounds of speeds ------------------------------------------------------------------------------------------------

double LayeredContact::bound_of(int node, const MovingNodes& nodes) const {
  const Pack& p = nodes[node].p;
  double bound = head_room * std::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) * nodes[node].inverse_mass();
  for (const auto& [surface, point] : points_of_node_[node])
    bound = std::max(bound, least_way * surfaces_[surface].range / now_.unit);
  return bound;
}

// Points that move as given: by their speed now and a unit later.
void LayeredContact::bound_moving(Surface& surface, int point, double t, const MovingNodes& nodes) {
  const double after = t + now_.unit;
  const Point3 here = point_at(surface, point, t, nodes), there = point_at(surface, point, after, nodes);
  const double speed =
      std::max({length(point_velocity(surface, point, t, nodes)), length(point_velocity(surface, point, after, nodes)),
                length(there - here) / now_.unit});
  surface.bound[point] = moving_room * speed + least_way * surface.range / now_.unit;
  surface.seen[point] = {t, here};
}

// Whether points that move as given have kept to their bounds since they were last looked at.
bool LayeredContact::moved_as_bounded(Surface& surface, const Pair& pair, double t) {
  for (const int a : surface.pairs.points(pair)) {
    if (surface.moves[a] == 0) continue;
    const auto& seen = surface.seen[a];
    if (length(surface.x[a] - seen.x) > surface.bound[a] * (t - seen.t) + surface.margin * 1e-9) return false;
  }
  return true;
}

void LayeredContact::raise(int node, double t, const MovingNodes& nodes) {
  const double bound = bound_of(node, nodes);
  node_bound_[node] = bound;
  limits_[node] = std::pow(bound * system_->mass(node), 2);
  for (const auto& [number, point] : points_of_node_[node]) {
    Surface& surface = surfaces_[number];
    surface.bound[point] = bound;
    for (std::size_t k = 0; k < surface.pairs.pairs().size(); ++k) {
      const auto points = surface.pairs.points(surface.pairs.pairs()[k]);
      if (std::binary_search(points.begin(), points.end(), point)) look(number, static_cast<int>(k), t, nodes);
    }
    const double left = surface.margin - length(point_at(surface, point, t, nodes) - surface.listed[point]);
    const double until = t + surely * std::max(0.0, left) / bound;
    if (time_of(surface.list_until) > until) set_list_end(surface, t, nodes);
  }
}

void LayeredContact::notice(double t, const std::vector<int>& fast, const Activations& activations) {
  for (const int node : fast) raise(node, t, activations.nodes());
}

void LayeredContact::notice(double t, const Activations& activations) {
  const MovingNodes& nodes = activations.nodes();
  for (const int node : contact_nodes_) {
    const Pack& p = nodes[node].p;
    if (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] > limits_[node]) raise(node, t, nodes);
  }
}

double LayeredContact::closing_speed(const Surface& surface, const Pair& pair) const {
  const auto points = surface.pairs.points(pair);
  if (pair.kind == LayeredPairs::Kind::edges) {
    const auto& edges = surface.pairs.barrier().surface().edges();
    const auto fastest = [&](int e) { return std::max(surface.bound[edges[e][0]], surface.bound[edges[e][1]]); };
    return fastest(pair.first) + fastest(pair.second);
  }
  double others = 0;
  for (const int a : points)
    if (a != pair.first) others = std::max(others, surface.bound[a]);
  return surface.bound[pair.first] + others;
}

// --- looks -----------------------------------------------------------------------------------------------------------

double LayeredContact::next_look(const LayeredPairs::Part& part, double gap, double speed, double t) const {
  const double d = surely * gap, range = part.law.range;
  // Outside, ticks of the first layer are left out too, if the next one of them comes before the second is reached.
  if (d >= range) {
    const double until = t + surely * (d - range) / speed;
    if (!(until < never)) return never;
    const double next = first_after(until, part.clock);
    if (d - speed * (time_of(next) - t) >= range * layer_reach(1)) return next;
  }
  const double shortest = time_roundings * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), now_.unit);
  int L = 0;
  while (range * layer_reach(L + 1) > d - speed * step(part.clock + L) && step(part.clock + L) > shortest) ++L;
  return first_after(t, part.clock + L);
}

// With the gaps of sight_.
double LayeredContact::next_look(const Surface& surface, const Pair& pair, double t) const {
  if (always_ >= 0) return first_after(t, always_);
  const double speed = closing_speed(surface, pair);
  double next = never;
  for (int k = pair.parts_begin; k < pair.parts_end; ++k)
    next = std::min(next, next_look(surface.pairs.parts()[k], sight_.gaps[k - pair.parts_begin], speed, t));
  bool moving = false;
  for (const int a : surface.pairs.points(pair)) moving = moving || surface.moves[a] != 0;
  return moving ? std::min(next, first_after(t + moving_look * now_.unit, 1)) : next;
}

void LayeredContact::look(int number, int k, double t, const MovingNodes& nodes) {
  Surface& surface = surfaces_[number];
  const Pair& pair = surface.pairs.pairs()[k];
  place_points(surface, pair, t, nodes);
  surface.pairs.see(pair, surface.x, sight_);
  ++looks_;
  schedule(number, k, next_look(surface, pair, t));
}

// Never later than it was.
void LayeredContact::schedule(int number, int k, double instant) {
  double& next = surfaces_[number].next[k];
  if (!(instant < next)) return;
  next = instant;
  queue_.push(instant, {number, k});
}

double LayeredContact::next_time() const {
  double instant = queue_.next();  // act leaves no stale entry in front
  for (const Surface& surface : surfaces_) instant = std::min(instant, surface.list_until);
  return time_of(instant);
}

bool LayeredContact::act(Activations& activations) {
  double instant = queue_.next();
  for (const Surface& surface : surfaces_) instant = std::min(instant, surface.list_until);
  if (queue_.next() == instant) {
    queue_.take(due_);
    for (const Entry& entry : due_) {
      double& next = surfaces_[entry.surface].next[entry.pair];
      if (next != instant) continue;  // stale
      next = never;
      if (!tick(entry.surface, entry.pair, instant, activations)) return false;
    }
  }
  for (std::size_t k = 0; k < surfaces_.size(); ++k)
    if (surfaces_[k].list_until == instant && !renew_list(static_cast<int>(k), time_of(instant), activations.nodes()))
      return false;
  queue_.drop([&](double at, const Entry& entry) { return surfaces_[entry.surface].next[entry.pair] != at; });
  return true;
}

// --- lists -----------------------------------------------------------------------------------------------------------

// Pairs of the points at t, each with its next look after t.
void LayeredContact::make_list(int number, double t, const MovingNodes& nodes) {
  Surface& surface = surfaces_[number];
  const int dimension = system_->dimension();
  ++lists_;
  for (const int node : surface.nodes) {
    const Pack x = node_at(node, t, nodes);
    for (int c = 0; c < dimension; ++c) q_[system_->coordinate(node) + c] = x[c];
    if (points_of_node_[node].empty()) continue;
    node_bound_[node] = bound_of(node, nodes);
    limits_[node] = std::pow(node_bound_[node] * system_->mass(node), 2);
  }
  const ContactSurface& points = surface.pairs.barrier().surface();
  points.movements(q_, surface.listed);  // balls at rest stay where point_at has them, at 0
  for (int a = 0; a < points.points(); ++a) {
    if (surface.moves[a] != 0)
      bound_moving(surface, a, t, nodes);
    else
      surface.bound[a] = surface.held[a] != 0 ? 0 : node_bound_[system_->node_of(points.parts(a).front().first)];
  }
  surface.pairs.find(q_, surface.margin);
  queue_.erase_if([number](const Entry& entry) { return entry.surface == number; });
  std::fill(surface.placed.begin(), surface.placed.end(), std::nan(""));
  surface.next.assign(surface.pairs.pairs().size(), never);
  for (std::size_t k = 0; k < surface.next.size(); ++k) {
    const Pair& pair = surface.pairs.pairs()[k];
    for (int p = pair.parts_begin; p < pair.parts_end; ++p)
      surface.pairs.parts()[p].clock = clock_of(surface, pair, surface.pairs.parts()[p].law);
    look(number, static_cast<int>(k), t, nodes);
  }
  set_list_end(surface, t, nodes);
}

// The last instant of a clock, not finer than need be, until which no point can have used up its margin.
void LayeredContact::set_list_end(Surface& surface, double t, const MovingNodes& nodes) {
  double wait = surface.has_moving ? list_units * now_.unit : never;
  for (std::size_t a = 0; a < surface.listed.size(); ++a) {
    if (surface.bound[a] == 0) continue;
    const double left = surface.margin - length(point_at(surface, static_cast<int>(a), t, nodes) - surface.listed[a]);
    wait = std::min(wait, surely * std::max(0.0, left) / surface.bound[a]);
  }
  if (wait == never) {
    surface.list_until = never;
    return;
  }
  int clock = 0;
  const double shortest = time_roundings * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), now_.unit);
  while (time_of(first_after(t, clock)) > t + wait && step(clock) > shortest) ++clock;
  surface.list_until = std::max(first_after(t, clock), last_until(t + wait, clock));
}

bool LayeredContact::renew_list(int number, double t, const MovingNodes& nodes) {
  Surface& surface = surfaces_[number];
  double least = surface.margin;
  for (std::size_t a = 0; a < surface.listed.size(); ++a)
    least =
        std::min(least, surface.margin - length(point_at(surface, static_cast<int>(a), t, nodes) - surface.listed[a]));
  if (least < 0) {
    failed_ = surface.name + ": something moves faster than its speed a step before lets expect";
    failed_time_ = t;
    return false;
  }
  if (least < 0.5 * surface.margin || surface.has_moving)
    make_list(number, t, nodes);
  else
    set_list_end(surface, t, nodes);
  return true;
}

void LayeredContact::put_back() {
  now_ = kept_;
  failed_.clear();
  renew();
}

void LayeredContact::visit_memory(MemoryVisitor& visitor) {
  if (empty()) return;
  visitor.visit("contact_time", now_.time);
  visitor.visit("contact_unit", now_.unit);
  visitor.visit("contact_origin", now_.origin);
  visitor.visit("contact_ticks", now_.ticks);
  visit_list(visitor, "contact_books", now_.books);
  renew();
}

}  // namespace livens
