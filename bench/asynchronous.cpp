// Asynchronous stepping: what an event costs against the same update without a queue, and against synchronous steps of
// four elements at a time; the queue alone; two threads.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <random>
#include <string>

#include <tbb/global_control.h>

#include <livens/scene.hpp>

#include "asynchronous/costs.hpp"
#include "asynchronous/event_loop.hpp"
#include "asynchronous/event_queue.hpp"

using namespace livens;

namespace {

double cpu_now() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}
double wall_now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

constexpr int rounds = 5;

void measure_queue(int events) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(0.5, 5);
  std::vector<double> times, steps;
  for (int k = 0; k < events; ++k) {
    steps.push_back(uniform(random));
    times.push_back(steps.back() * uniform(random));
  }
  EventQueue queue;
  queue.assign(times);
  double best = 1e9;
  for (int round = 0; round < rounds; ++round) {
    const double began = cpu_now();
    constexpr int pops = 2'000'000;
    for (int k = 0; k < pops; ++k) queue.set(queue.next(), queue.next_time() + steps[queue.next()]);
    best = std::min(best, (cpu_now() - began) / pops);
  }
  std::printf("queue of %d: %.0f ns per pop and push\n", events, 1e9 * best);
}

Scene box(const std::string& cells, const std::string& grading, const std::string& integrator) {
  return parse_scene(
      "time = { end = 1 }\n[[material]]\nname = 'm'\nkind = 'neo_hookean'\nyoung = 1e6\npoisson = 0.3\ndensity = 1000\n"
      "[[body]]\nname = 'box'\nkind = 'solid'\nmaterial = 'm'\nmesh = { kind = 'box', size = [1, 1, 1], cells = " +
      cells + ", grading = " + grading + " }\ninitial = { angular_velocity = [1, 2, 3] }\n[integrator]\n" + integrator +
      "\n");
}

double ideal_of(const EventLoop& loop) {
  double sum = 0, most = 0;
  for (int k = 0; k < loop.system().size(); ++k) {
    sum += 1 / loop.step(k);
    most = std::max(most, 1 / loop.step(k));
  }
  return most * loop.system().size() / sum;
}

void measure_loop(const char* name, const Scene& scene, double courant) {
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  const Model model = make_model(scene);
  const State start = initial_state(scene, model);
  StepRule rule;
  rule.factor = courant;
  EventLoop loop(model, rule);
  loop.start(start);
  double slow = 0;
  for (int k = 0; k < loop.system().size(); ++k) slow = std::max(slow, loop.step(k));
  double best = 1e9, update = 1e9, T = start.t;
  for (int round = 0; round < rounds; ++round) {
    const long before = loop.total_updates();
    const double began = cpu_now();
    double spent = 0;
    do {
      T += slow;
      loop.run(T);
      spent = cpu_now() - began;
    } while (spent < 0.3);
    best = std::min(best, spent / static_cast<double>(loop.total_updates() - before));
    update = std::min(update, update_cost(loop.activations()));
  }
  std::printf(
      "%s, %d stencils: ideal speed-up %.2f; event %.0f ns, update by itself %.0f ns, queue %.0f ns: attained "
      "%.2f of ideal\n",
      name, loop.system().size(), ideal_of(loop), 1e9 * best, 1e9 * update,
      1e9 * queue_cost(loop.activations().clocks()), update / best);
  if (model.bodies()[0].mesh->kind != ElementKind::tet4) return;
  State state = start;
  const auto verlet = make_integrator(box("[1, 1, 1]", "[1, 1, 1]", "kind = 'stormer_verlet'\nstep = 1e-6"), model);
  double simd = 1e9;
  for (int round = 0; round < rounds; ++round) {
    const double began = cpu_now(), t = state.t;
    verlet->advance(model, state, t + 20e-6);
    simd = std::min(simd, (cpu_now() - began) / 20 / loop.system().size());
  }
  std::printf(
      "  a synchronous Verlet step costs %.1f ns per element: asynchronous stepping is faster from an ideal "
      "speed-up of %.1f on\n",
      1e9 * simd, best / simd);
}

void measure_threads(const Scene& scene, double courant) {
  const Model model = make_model(scene);
  const State start = initial_state(scene, model);
  double seconds[3] = {0, 1e9, 1e9}, queue = 1e9;
  std::vector<double> q[3];
  for (const int threads : {0, 1, 2, 1, 2}) {  // 0: the queue
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, std::max(1, threads));
    StepRule rule;
    rule.factor = courant;
    EventLoop loop(model, rule, threads == 0 ? ScheduleKind::queue : ScheduleKind::patches);
    loop.start(start);
    double slow = 0;
    for (int k = 0; k < loop.system().size(); ++k) slow = std::max(slow, loop.step(k));
    loop.run(slow);
    const double began = wall_now();
    loop.run(4 * slow);
    double& best = threads == 0 ? queue : seconds[threads];
    best = std::min(best, wall_now() - began);
    State state = start;
    Ledger ledger;
    loop.read(4 * slow, state, ledger);
    q[threads] = state.q;
  }
  std::printf("%d stencils, wall time: queue %.2f s, local minima %.2f s, on 2 threads %.2f s: %.2f x, %s bits\n",
              EventLoop(model, StepRule{}).system().size(), queue, seconds[1], seconds[2], seconds[1] / seconds[2],
              q[0] == q[1] && q[1] == q[2] ? "the same" : "OTHER");
}

}  // namespace

int main(int argc, char** argv) {
  for (const int n : {2000, 100'000, 1'000'000}) measure_queue(n);
  const std::string blade = argc > 1 ? argv[1] : "scenes/l04_blade/case_1.toml";
  measure_loop("blade, tet10", load_scene(blade), 0.2);
  const std::string kind = "kind = 'asynchronous'";
  measure_loop("tet4, graded 1:10", box("[12, 12, 12]", "[10, 10, 10]", kind), 0.4);
  measure_loop("tet4, graded 1:30", box("[32, 32, 32]", "[30, 30, 30]", kind), 0.4);
  measure_threads(box("[32, 32, 32]", "[30, 30, 30]", kind), 0.4);
  return 0;
}
