// What a tick of contact in layers does to nodes, its friction, and what is read between ticks.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "asynchronous/layered_contact.hpp"
#include "contact/friction.hpp"

namespace livens {
namespace {

constexpr double floor_roundings = 64;  // of coordinates: gaps below are no gaps

using Term = LayeredPairs::Term;
using Kind = LayeredPairs::Kind;

// How fine the clock is that an instant belongs to: the least e, not negative, with a whole multiple of 2^-e. By its
// last bit that is set.
int fineness(double instant) {
  const auto bits = std::bit_cast<std::uint64_t>(instant);
  if (bits == 0) return 0;
  constexpr std::uint64_t implied = std::uint64_t{1} << 52;
  const std::uint64_t digits = (bits & (implied - 1)) | implied;
  return std::max(0, 1075 - static_cast<int>(bits >> 52) - std::countr_zero(digits));
}

Pack pack_of(const Point3& p) { return Pack{p.x, p.y, p.z, 0}; }

}  // namespace

bool LayeredContact::fail(const Surface& surface, const Pair& pair, double t, const std::string& what) {
  const ContactSurface& points = surface.pairs.barrier().surface();
  const auto name = [&](int body) { return "'" + points.bodies()[body].name + "'"; };
  const bool edges = pair.kind == Kind::edges;
  std::string who = name(edges ? points.body_of_edge(pair.first) : points.body_of_point(pair.first));
  if (pair.kind == Kind::plane) who += " and the plane";
  if (pair.kind == Kind::facets) who += " and " + name(pair.second);
  if (edges) who += " and " + name(points.body_of_edge(pair.second));
  if (pair.kind == Kind::ball) who += " and " + name(points.body_of_point(pair.second));
  failed_ = surface.name + ": " + who + " " + what;
  failed_time_ = t;
  return false;
}

bool LayeredContact::tick(int number, int k, double instant, Activations& activations) {
  Surface& surface = surfaces_[number];
  const Pair& pair = surface.pairs.pairs()[k];
  const double t = time_of(instant);
  place_points(surface, pair, t, activations.nodes());
  if (!moved_as_bounded(surface, pair, t))
    return fail(surface, pair, t, "meet faster than the speed of what moves as given a step before lets expect");
  surface.pairs.see(pair, surface.x, sight_);
  ++looks_;
  double size = 0;
  for (const int a : surface.pairs.points(pair)) size = std::max(size, largest_of(surface.x[a]));
  for (const double gap : sight_.gaps)
    if (!(gap > floor_roundings * std::numeric_limits<double>::epsilon() * size))
      return fail(surface, pair, t, "touch: their gap is below the rounding of positions");
  for (const int a : surface.pairs.points(pair))
    if (surface.moves[a] != 0) bound_moving(surface, a, t, activations.nodes());
  const double next = next_look(surface, pair, t);
  schedule(number, k, next);
  return sight_.terms.empty() || kick(surface, pair, instant, t, activations);
}

// All layers that are due and within reach, at once.
bool LayeredContact::kick(Surface& surface, const Pair& pair, double instant, double t, Activations& activations) {
  const int clock = fineness(instant);
  const double part = instant == 0 ? 0.5 : 1;  // half a tick at the start
  for (const int a : surface.pairs.points(pair)) surface.forces[a] = {};
  double normal = 0;
  for (const Term& term : sight_.terms) {
    const auto& own = surface.pairs.parts()[term.part];
    const LayerSum sum =
        own.law.sum(term.gap, std::max(0, clock - own.clock), [&](int l) { return part * step(own.clock + l); });
    if (sum.push == 0) continue;
    add_term_forces(term, sum, 1, surface.forces.data());
    normal += sum.push * term.factor;
  }
  if (normal == 0) return true;
  ++now_.ticks;
  ImpulseBook& book = now_.books[&surface - surfaces_.data()];
  const auto points = surface.pairs.points(pair);
  const bool booked = pair.kind == Kind::plane || is_booked(surface, points);
  apply(surface, points, booked, t, activations, book);
  if (pair.kind != Kind::edges) normal = length(surface.forces[pair.first]);
  if (surface.force >= 0) rub(surface, pair, normal, t, activations, book);
  for (const int a : points) {
    if (surface.held[a] != 0) continue;
    const int node = surface.node[a] >= 0 ? surface.node[a]
                                          : system_->node_of(surface.pairs.barrier().surface().parts(a).front().first);
    const Pack& p = activations.nodes()[node].p;
    if (!std::isfinite(p[0] + p[1] + p[2])) return fail(surface, pair, t, "push with numbers that are not finite");
    if (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] > limits_[node]) raise(node, t, activations.nodes());
  }
  return true;
}

// Whether supports have a part in it: the momenta of the whole change then.
bool LayeredContact::is_booked(const Surface& surface, std::span<const int> points) const {
  return std::any_of(points.begin(), points.end(), [&](int a) { return surface.supported[a] != 0; });
}

// What a node has of an impulse; supports that move do work against the rest.
Pack LayeredContact::own_part(int node, Pack impulse, const Pack& velocity, ImpulseBook& book) const {
  const Pack* free = system_->free_coordinates();
  if (free == nullptr) return impulse;
  if (system_->moves(node))
    for (int c = 0; c < 3; ++c) book.work -= impulse[c] * velocity[c] * (1 - free[node][c]);
  return impulse * free[node];
}

// Momenta of the nodes += forces of the points, which are impulses.
void LayeredContact::apply(const Surface& surface, std::span<const int> points, bool booked, double t,
                           Activations& activations, ImpulseBook& book) {
  for (const int a : points) {
    const Point3& impulse = surface.forces[a];
    if (impulse.x == 0 && impulse.y == 0 && impulse.z == 0) continue;
    for (const auto& share : surface.pairs.barrier().surface().parts(a)) {
      const int node = system_->node_of(share.first);
      if (activations.nodes()[node].time() != t) activations.bring(node, t);
      const Pack velocity = system_->moves(node) ? velocity_at(node, t, activations.nodes()) : Pack{};
      const Pack own = own_part(node, share.weight * pack_of(impulse), velocity, book);
      MovingNode& moved = activations.nodes()[node];
      moved.p += own;
      if (booked) system_->book(node, moved.x, own, book);
    }
  }
}

LayeredContact::Rubbed LayeredContact::rubbed_points(const Surface& surface, const Pair& pair, const Term& nearest,
                                                     double t, const MovingNodes& nodes) const {
  Rubbed rubbed;
  for (int i = 0; i < nearest.count; ++i) rubbed.c[rubbed.place(nearest.point[i])] += nearest.c[i];
  if (!(pair.kind == Kind::ball && surface.held[pair.second] != 0)) {
    const auto corners = surface.pairs.held(pair, nearest);
    for (int i = 0; i < corners.count; ++i) rubbed.held_place[rubbed.held++] = rubbed.place(corners.point[i]);
  }
  for (int i = 0; i < rubbed.count; ++i) {
    rubbed.x[i] = point_at(surface, rubbed.point[i], t, nodes);
    rubbed.v[i] = point_velocity(surface, rubbed.point[i], t, nodes);
    rubbed.inverse_mass[i] = inverse_mass(surface, rubbed.point[i]);
  }
  return rubbed;
}

// Of a ball that moves as given, relative to its centre, where the normal meets it.
Point3 LayeredContact::surface_velocity(const Surface& surface, int ball, const Point3& normal, double t,
                                        const MovingNodes& nodes) const {
  const ContactSurface& points = surface.pairs.barrier().surface();
  const auto& body = points.bodies()[points.body_of_point(ball)];
  if (surface.moves[ball] == 0) return {};
  std::array<Point3, 4> x, v;
  const auto count = static_cast<std::size_t>(std::min(4, body.carriers_end - body.samples_end));
  for (std::size_t i = 0; i < count; ++i) {
    x[i] = point_at(surface, body.samples_end + static_cast<int>(i), t, nodes);
    v[i] = point_velocity(surface, body.samples_end + static_cast<int>(i), t, nodes);
  }
  BodySpin spin;
  spin.begin({x.data(), count}, {v.data(), count}, points.dimension());
  return body.radius * cross(spin.rate(), normal);
}

void LayeredContact::rub(Surface& surface, const Pair& pair, double normal, double t, Activations& activations,
                         ImpulseBook& book) {
  const Term* nearest = nullptr;
  for (const Term& term : sight_.terms)
    if (term.factor > 0 && (nearest == nullptr || term.gap < nearest->gap)) nearest = &term;
  if (nearest == nullptr || !(normal > 0)) return;
  Rubbed rubbed = rubbed_points(surface, pair, *nearest, t, activations.nodes());
  Point3 n = nearest->normal, r, V;
  if (pair.kind != Kind::edges) n = (1 / normal) * surface.forces[pair.first];
  for (int i = 0; i < rubbed.count; ++i) {
    r += rubbed.c[i] * rubbed.x[i];
    V += rubbed.c[i] * rubbed.v[i];
  }
  const auto held = static_cast<std::size_t>(rubbed.held);
  std::array<Point3, 4> held_x, held_v, turned{};
  for (std::size_t i = 0; i < held; ++i) {
    held_x[i] = rubbed.x[rubbed.held_place[i]];
    held_v[i] = rubbed.v[rubbed.held_place[i]];
  }
  BodySpin spin;
  if (held > 0) {
    spin.begin({held_x.data(), held}, {held_v.data(), held}, system_->dimension());
    V -= cross(spin.rate(), r);
  } else if (pair.kind == Kind::ball) {
    V -= surface_velocity(surface, pair.second, n, t, activations.nodes());
  }
  V -= dot(V, n) * n;
  const double speed = length(V);
  if (!(speed > 0)) return;
  const Point3 along = (1 / speed) * V;
  for (int i = 0; i < rubbed.count; ++i) rubbed.along[i] = rubbed.c[i] * along;
  if (held > 0) spin.take_moment(cross(r, along), {held_x.data(), held}, {turned.data(), held});
  for (std::size_t i = 0; i < held; ++i) rubbed.along[rubbed.held_place[i]] += turned[i];
  double inverse = 0;
  for (int i = 0; i < rubbed.count; ++i) inverse += rubbed.inverse_mass[i] * square(rubbed.along[i]);
  if (!(inverse > 0)) return;
  const double impulse = std::min(surface.pairs.barrier().friction().coefficient * normal, speed / inverse);
  book.dissipated += impulse * (speed - 0.5 * impulse * inverse);
  for (int i = 0; i < rubbed.count; ++i) surface.forces[rubbed.point[i]] = -impulse * rubbed.along[i];
  const std::span<const int> points(rubbed.point.data(), static_cast<std::size_t>(rubbed.count));
  apply(surface, points, pair.kind == Kind::plane || is_booked(surface, points), t, activations, book);
}

void LayeredContact::read_pair(Surface& surface, const Pair& pair, double T, std::vector<MovingNode>& nodes,
                               ImpulseBook& book) const {
  const ContactSurface& made = surface.pairs.barrier().surface();
  const auto points = surface.pairs.points(pair);
  for (const int a : points) {
    surface.x[a] = surface.forces[a] = {};
    surface.placed[a] = std::nan("");
    for (const auto& part : made.parts(a)) {
      const Pack& x = nodes[system_->node_of(part.first)].x;
      surface.x[a] += part.weight * Point3{x[0], x[1], x[2]};
    }
  }
  surface.pairs.see(pair, surface.x, sight_);
  if (sight_.terms.empty()) return;
  for (const Term& term : sight_.terms) {
    const auto& own = surface.pairs.parts()[term.part];
    const LayerSum sum = own.law.sum(
        term.gap, 0, [&](int l) { return T - time_of(last_until(T, own.clock + l)) - 0.5 * step(own.clock + l); });
    add_term_forces(term, sum, 1, surface.forces.data());
  }
  const bool booked = pair.kind == Kind::plane || is_booked(surface, points);
  for (const int a : points)
    for (const auto& share : made.parts(a)) {
      const int node = system_->node_of(share.first);
      Pack where = nodes[node].x, velocity{};
      if (system_->moves(node)) system_->place(node, T, where, &velocity);
      const Pack own = own_part(node, share.weight * pack_of(surface.forces[a]), velocity, book);
      nodes[node].p += own;
      if (booked) system_->book(node, nodes[node].x, own, book);
    }
}

void LayeredContact::read(double T, std::vector<MovingNode>& nodes, Ledger& ledger) const {
  for (std::size_t k = 0; k < surfaces_.size(); ++k) {
    ImpulseBook book = now_.books[k];
    for (const Pair& pair : surfaces_[k].pairs.pairs()) read_pair(surfaces_[k], pair, T, nodes, book);
    book.enter(ledger);
    if (surfaces_[k].force >= 0) ledger.energy_out[surfaces_[k].force] += book.dissipated;
  }
}

}  // namespace livens
