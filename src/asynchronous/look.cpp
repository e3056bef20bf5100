#include "asynchronous/look.hpp"

#include <algorithm>

namespace livens {
namespace {

void add_to_ledger(const StencilSystem::Set& set, const ImpulseBook& book, Ledger& ledger) {
  book.enter(ledger);
  double time = 0;  // all damping of a set is a multiple of one stiffness
  for (const auto& damping : set.damping) time += damping.stencils->time();
  for (const auto& damping : set.damping)
    if (time > 0) ledger.energy_out[damping.force] += book.dissipated * damping.stencils->time() / time;
}

void add_to_ledger(const StencilSystem& system, const NodeBooks& books, Ledger& ledger) {
  for (const ImpulseBook& book : books.node) book.enter(ledger);
  const std::size_t drags = system.drags().size();
  for (std::size_t k = 0; k < books.lost.size(); ++k)
    ledger.energy_out[system.drags()[k % drags].force] += books.lost[k];
}

}  // namespace

bool look(const Activations& activations, const ActivationSchedule& schedule, const WholeTerms& wholes,
          const ConstrainedNodes& constrained, const LayeredContact& contact, double T, State& state, Ledger& ledger) {
  static thread_local std::vector<MovingNode> seen;  // looks must not allocate
  const StencilSystem& system = activations.system();
  seen.assign(activations.nodes().all().begin(), activations.nodes().all().end());
  std::fill(ledger.energy_out.begin(), ledger.energy_out.end(), 0.0);
  ledger.time_work = 0;
  std::fill_n(ledger.linear_impulse, 3, 0.0);
  std::fill_n(ledger.angular_impulse, 3, 0.0);
  static thread_local NodeBooks books;
  books.node = activations.nodes().books().node;
  books.lost = activations.nodes().books().lost;
  if (!constrained.read(T, seen, books, ledger)) return false;
  for (int a = 0; a < system.node_count(); ++a)
    if (system.cluster_of(a) < 0) bring_node(system, a, T, seen[a], books);
  add_to_ledger(system, books, ledger);
  schedule.read(T, seen, ledger);
  Pack x[most_nodes], p[most_nodes], impulse[most_nodes];
  for (const auto& set : system.sets())
    for (int k = 0; k < set.stencils->count(); ++k) {
      const int stencil = set.first + k;
      if (!schedule.one_by_one(stencil)) continue;
      const StencilClock& clock = activations.clocks()[stencil];
      const int* nodes = system.nodes(set, stencil);
      for (int a = 0; a < set.per_stencil; ++a) {
        x[a] = seen[nodes[a]].x;
        p[a] = seen[nodes[a]].p;
      }
      const double weight =
          T - clock.last - (schedule.impulse_span() == ImpulseSpan::step_before ? 0 : 0.5 * clock.step);
      const Kick kick{weight, activations.softness(stencil, clock.step)};
      ImpulseBook book = activations.impulses().book(stencil);
      activations.impulses().preview(set, stencil, kick, x, p, impulse, book);
      for (int a = 0; a < set.per_stencil; ++a) seen[nodes[a]].p += impulse[a];
      add_to_ledger(set, book, ledger);
    }
  wholes.read(T, seen, ledger);
  contact.read(T, seen, ledger);
  write_nodes(system, seen, state);
  state.t = T;
  return true;
}

}  // namespace livens
