#include "asynchronous/stencil_impulses.hpp"

#include <algorithm>

#include "asynchronous/implicit_stencil.hpp"
#include "asynchronous/memory_lists.hpp"

namespace livens {

StencilImpulses::StencilImpulses(const StencilSystem& system) : system_(&system) {
  bool booked = false, damped = false;
  for (const auto& set : system.sets()) damped = damped || !set.damping.empty();
  for (int k = 0; k < system.size(); ++k) booked = booked || system.booked(k);
  if (booked || damped) books_.resize(system.size());
  if (damped) before_.resize(system.place_count());
}

void StencilImpulses::start() { std::fill(books_.begin(), books_.end(), ImpulseBook{}); }

double StencilImpulses::make(const Set& set, int stencil, const Kick& kick, const Pack* x, const Pack* p,
                             Pack* impulse) {
  ImpulseBook nothing;
  Pack at[most_nodes];
  const double energy = evaluate(set, stencil, kick, x, p, impulse, books_.empty() ? nothing : books_[stencil], at);
  if (set.damping.empty()) return energy;
  Position* before = before_.data() + system_->place(set, stencil);
  for (int a = 0; a < set.per_stencil; ++a) before[a].x = at[a];
  return energy;
}

double StencilImpulses::preview(const Set& set, int stencil, const Kick& kick, const Pack* x, const Pack* p,
                                Pack* impulse, ImpulseBook& book) const {
  Pack at[most_nodes];
  return evaluate(set, stencil, kick, x, p, impulse, book, at);
}

double StencilImpulses::evaluate(const Set& set, int stencil, const Kick& kick, const Pack* x, const Pack* p,
                                 Pack* impulse, ImpulseBook& book, Pack* at) const {
  double energy = 0;
  if (kick.softness > 0) {
    energy = evaluate_softened(*system_, set, stencil, kick.softness, x, at, impulse);
  } else {
    energy = set.stencils->evaluate(stencil - set.first, lanes(x), lanes(impulse));
    if (!set.damping.empty()) std::copy(x, x + set.per_stencil, at);
  }
  const int* nodes = system_->nodes(set, stencil);
  const Pack* free = system_->free_coordinates();
  const Pack* load = system_->loads(set, stencil);
  for (int a = 0; a < set.per_stencil; ++a) {
    if (load != nullptr) impulse[a] -= load[a];
    impulse[a] *= -kick.weight;
    if (system_->moves(nodes[a])) {
      Pack where = x[a], velocity{};
      system_->place(nodes[a], x[a][3], where, &velocity);
      for (int c = 0; c < 3; ++c) book.work -= impulse[a][c] * velocity[c];
    }
    if (free != nullptr) impulse[a] *= free[nodes[a]];
  }
  if (!set.damping.empty() && !kick.first) add_damping(set, stencil, x, at, p, impulse, book);
  if (system_->booked(stencil))
    for (int a = 0; a < set.per_stencil; ++a) system_->book(nodes[a], x[a], impulse[a], book);
  return energy;
}

// C of the shape x, where the impulse acts: it has no moment there.
void StencilImpulses::add_damping(const Set& set, int stencil, const Pack* x, const Pack* at, const Pack* p,
                                  Pack* impulse, ImpulseBook& book) const {
  const int* nodes = system_->nodes(set, stencil);
  const Pack* free = system_->free_coordinates();
  const Position* before = before_.data() + system_->place(set, stencil);
  Pack moved[most_nodes], against[most_nodes] = {};
  for (int a = 0; a < set.per_stencil; ++a) moved[a] = at[a] - before[a].x;
  for (const auto& each : set.damping)
    each.stencils->add_impulse(stencil - set.first, lanes(x), lanes(moved), lanes(against));
  for (int a = 0; a < set.per_stencil; ++a) {
    if (free != nullptr) against[a] *= free[nodes[a]];
    // Dissipated is what the kinetic energy loses after the elastic impulse: against . (p + impulse - against/2)/m
    const Pack v = (p[a] + impulse[a] - 0.5 * against[a]) * p[a][3];
    book.dissipated += against[a][0] * v[0] + against[a][1] * v[1] + against[a][2] * v[2];
    impulse[a] -= against[a];
  }
}

void StencilImpulses::visit_memory(MemoryVisitor& visitor) {
  visit_list(visitor, "event_books", books_);
  visit_list(visitor, "event_before", before_);
}

}  // namespace livens
