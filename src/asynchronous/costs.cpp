#include "asynchronous/costs.hpp"

#include <ctime>

#include "asynchronous/event_queue.hpp"

namespace livens {
namespace {

constexpr double measured_for = 0.03;  // s
constexpr double tiny = 1e-300;        // of an impulse that is to change nothing
constexpr int events_between_looks_at_the_time = 1000;

// Of this thread: other programs do not count.
double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace

double update_cost(const Activations& activations) {
  const StencilSystem& system = activations.system();
  std::vector<MovingNode> nodes = activations.nodes().all();
  // Zero, but the compiler may not assume so and drop the drift: x - x is not 0 for every x.
  const double no_time = activations.clocks()[0].last - activations.clocks()[0].last;
  long updates = 0;
  const double began = processor_seconds();
  do {
    for (const auto& set : system.sets())
      with_nodes(set.per_stencil, [&]<int N>() {
        Pack x[N], g[N];
        for (int k = 0; k < set.stencils->count(); ++k) {
          const int* of = system.nodes(set, set.first + k);
          for (int a = 0; a < N; ++a) {
            MovingNode& node = nodes[of[a]];
            node.x += no_time * node.p[3] * node.p;
            x[a] = node.x;
          }
          set.stencils->evaluate(k, lanes(x), lanes(g));
          for (int a = 0; a < N; ++a) nodes[of[a]].p -= tiny * g[a];
        }
      });
    updates += system.size();
  } while (processor_seconds() - began < measured_for);
  return (processor_seconds() - began) / static_cast<double>(updates);
}

double queue_cost(const StencilClocks& clocks) {
  EventQueue queue;
  queue.assign(clocks.times());
  long events = 0;
  const double began = processor_seconds();
  do {
    for (int k = 0; k < events_between_looks_at_the_time; ++k)
      queue.set(queue.next(), queue.next_time() + clocks[queue.next()].step);
    events += events_between_looks_at_the_time;
  } while (processor_seconds() - began < measured_for);
  return (processor_seconds() - began) / static_cast<double>(events);
}

}  // namespace livens
