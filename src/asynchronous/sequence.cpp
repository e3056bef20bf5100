#include "asynchronous/sequence.hpp"

namespace livens {
namespace {

void drift_all(MovingNodes& nodes, double step) {
  for (MovingNode& node : nodes.all()) {
    const double t = node.time() + step;
    node.x += step * node.inverse_mass() * node.p;
    node.x[3] = t;
  }
}

}  // namespace

bool play(Activations& activations, std::span<const SplittingPart> sequence) {
  const StencilSystem& system = activations.system();
  MovingNodes& nodes = activations.nodes();
  Pack x[most_nodes], g[most_nodes];
  for (const auto& [component, step] : sequence) {
    if (component < 0) {
      drift_all(nodes, step);
      continue;
    }
    const StencilSystem::Set& set = system.set_of(component);
    const int* of = system.nodes(set, component);
    StencilClock& clock = activations.clocks()[component];
    for (int a = 0; a < set.per_stencil; ++a) x[a] = nodes[of[a]].x;
    if (!is_finite(set.stencils->evaluate(component - set.first, lanes(x), lanes(g))))
      return activations.fail(component, clock.time);
    for (int a = 0; a < set.per_stencil; ++a) nodes[of[a]].p -= step * g[a];
    clock.last = clock.time += step;
    ++clock.count;
  }
  return true;
}

}  // namespace livens
