#include "asynchronous/look.hpp"

#include <algorithm>

namespace livens {
namespace {

void add_to_ledger(const StencilSystem::Set& set, const StencilBook& book, Ledger& ledger) {
  for (int c = 0; c < 3; ++c) {
    ledger.linear_impulse[c] += book.linear[c];
    ledger.angular_impulse[c] += book.angular[c];
  }
  ledger.time_work += book.support_work;
  double time = 0;  // all damping of a set is a multiple of one stiffness
  for (const auto& damping : set.damping) time += damping.stencils->time();
  for (const auto& damping : set.damping)
    if (time > 0) ledger.energy_out[damping.force] += book.dissipated * damping.stencils->time() / time;
}

}  // namespace

bool look(const Activations& activations, const ActivationSchedule& schedule, const WholeTerms& wholes,
          const ConstrainedNodes& constrained, double T, State& state, Ledger& ledger) {
  static thread_local std::vector<MovingNode> seen;  // looks must not allocate
  const StencilSystem& system = activations.system();
  seen.assign(activations.nodes().all().begin(), activations.nodes().all().end());
  std::fill(ledger.energy_out.begin(), ledger.energy_out.end(), 0.0);
  ledger.time_work = 0;
  std::fill_n(ledger.linear_impulse, 3, 0.0);
  std::fill_n(ledger.angular_impulse, 3, 0.0);
  if (!constrained.read(T, seen, ledger)) return false;
  static thread_local std::vector<double> carried;
  carried = activations.nodes().carried();
  drift_all(system, T, seen, carried);
  for (std::size_t k = 0; k < carried.size(); ++k) ledger.angular_impulse[k % 3] += carried[k];
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
      const bool one_sided = schedule.impulse_span() == ImpulseSpan::step_before || activations.implicit(stencil);
      const double weight = T - clock.last - (one_sided ? 0 : 0.5 * clock.step);
      StencilBook book = activations.impulses().book(stencil);
      activations.impulses().preview(set, stencil, weight, x, p, impulse, book);
      for (int a = 0; a < set.per_stencil; ++a) seen[nodes[a]].p += impulse[a];
      add_to_ledger(set, book, ledger);
    }
  wholes.read(T, seen, ledger);
  write_nodes(system, seen, state);
  state.t = T;
  return true;
}

}  // namespace livens
