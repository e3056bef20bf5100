#include "view/hand.hpp"

#include <algorithm>
#include <cmath>

#include "contact/contact_barrier.hpp"

namespace livens {
namespace {

constexpr double least_gap = 0.25;   // over the range of a contact: ten times its pressure
constexpr double same_place = 1e-9;  // over the longest way: a piece serves until the pointer moves

double length_of(const Hand::Way& way) { return std::hypot(way[0], way[1], way[2]); }

}  // namespace

Hand::Offset Hand::at(double t) const {
  const std::lock_guard lock(mutex_);
  const auto next = std::upper_bound(pieces_.begin(), pieces_.end(), t,
                                     [](double time, const Piece& piece) { return time < piece.t; });
  if (next == pieces_.begin()) return {};
  const Piece& piece = *std::prev(next);
  const double s = t - piece.t, fade = std::exp(-piece.rate * s);
  Offset offset;
  for (std::size_t c = 0; c < 3; ++c) {
    const double behind = piece.lag[c] + piece.drift[c] * s;
    offset.way[c] = piece.target[c] + behind * fade;
    offset.velocity[c] = (piece.drift[c] - piece.rate * behind) * fade;
  }
  return offset;
}

bool Hand::leads_to(const Way& target, double within) const {
  const std::lock_guard lock(mutex_);
  if (pieces_.empty()) return false;
  const Way& now = pieces_.back().target;
  return length_of({target[0] - now[0], target[1] - now[1], target[2] - now[2]}) <= within;
}

void Hand::add(const Piece& piece) {
  const std::lock_guard lock(mutex_);
  if (!pieces_.empty() && pieces_.back().t >= piece.t) pieces_.pop_back();  // asked for twice between two steps
  pieces_.push_back(piece);
}

void Hand::follow(double t, Way way, double rate, double speed) {
  const Offset now = at(t);
  const double longest = 2 * speed / rate, size = length_of(way), part = size > longest ? longest / size : 1;
  Piece piece{t, rate, {}, {}, {}};
  for (std::size_t c = 0; c < 3; ++c) {
    piece.lag[c] = -part * way[c];
    piece.target[c] = now.way[c] - piece.lag[c];
    piece.drift[c] = now.velocity[c] + rate * piece.lag[c];
  }
  if (!leads_to(piece.target, same_place * std::max(size, longest))) add(piece);
}

// The target at which B = 0.
void Hand::let_go(double t, double rate) {
  const Offset now = at(t);
  if (length_of(now.velocity) == 0) return;
  Piece piece{t, rate, {}, {}, {}};
  for (std::size_t c = 0; c < 3; ++c) {
    piece.lag[c] = -now.velocity[c] / rate;
    piece.target[c] = now.way[c] - piece.lag[c];
  }
  if (!leads_to(piece.target, same_place * length_of(now.way))) add(piece);
}

void Hand::halt(double t) { add({t, 1, at(t).way, {}, {}}); }

std::shared_ptr<const Model> with_hands(const Model& model, const Hands& hands) {
  ModelParts parts = model.parts();
  for (const auto& [name, hand] : hands) {
    const Body& body = model.body(name);
    const auto d = static_cast<std::size_t>(body.dimension);
    for (Support& support : parts.supports) {
      if (support.name != name) continue;
      support.motion = [given = support.motion, rest = body.reference, hand = hand, d](double t, Vector x, Vector v) {
        if (given) {
          given(t, x, v);
        } else {
          std::copy(rest.begin(), rest.end(), x.begin());
          std::fill(v.begin(), v.end(), 0.0);
        }
        const Hand::Offset offset = hand->at(t);
        for (std::size_t k = 0; k < x.size(); ++k) x[k] += offset.way[k % d], v[k] += offset.velocity[k % d];
      };
      support.motion_of = {};
    }
  }
  return std::make_shared<const Model>(std::move(parts));
}

std::vector<ObstacleSurface> surfaces_of(const Model& model, const std::string& obstacle) {
  std::vector<ObstacleSurface> surfaces;
  for (const auto& term : model.parts().terms) {
    if (term->barrier() == nullptr) continue;
    const auto& bodies = term->barrier()->surface().bodies();
    const int count = static_cast<int>(bodies.size());
    for (int a = 0; a < count; ++a) {
      if (bodies[a].name != obstacle) continue;
      double range = 0;
      for (int b = 0; b < count; ++b)
        if (const BarrierPair& pair = term->barrier()->pair(a, b); pair.meets) range = std::max(range, pair.range);
      if (range > 0) surfaces.push_back({term, a, range});
    }
  }
  return surfaces;
}

void DraggedObstacle::follow(const State& state) const {
  if (blocked) return;
  const auto x = position_of(vertex, dimension, state.q);
  Hand::Way way{};
  for (int c = 0; c < dimension; ++c) way[index(c)] = target[index(c)] - x[index(c)];
  if (is_pressed(state, way))
    hand->let_go(state.t, brake);
  else
    hand->follow(state.t, way, rate, speed);
}

bool DraggedObstacle::is_pressed(const State& state, const Hand::Way& way) const {
  for (const ObstacleSurface& surface : surfaces) {
    const ContactBarrier& barrier = *surface.term->barrier();
    const Between own{surface.body, Between::any};
    if (barrier.smallest_gap(state.q, own).gap > least_gap * surface.range) continue;
    if (dot(barrier.load(state.q, own, {}).force, {way[0], way[1], way[2]}) < 0) return true;
  }
  return false;
}

bool DraggedObstacle::give_way(const State& state) {
  if (blocked) return false;
  hand->halt(state.t);
  return blocked = true;
}

}  // namespace livens
