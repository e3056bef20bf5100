// Asynchronous stepping, in seconds against the program's own Verlet at 0.9 of its limit: what levels and the exact
// queue keep of the ideal saving, on graded boxes, the blade of L04 and a uniform mesh; two threads; memory and
// start-up.
//   build/bench/bench_asynchronous [part ...]     parts: queue exact levels million threads; default: all
// Ratios within one run: what is compared is measured in turns, the best round of each counts. It is run in the folder
// that has scenes/.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <random>
#include <string>

#include <tbb/global_control.h>

#include <livens/livens.hpp>

#include "asynchronous/costs.hpp"
#include "asynchronous/event_loop.hpp"
#include "asynchronous/event_queue.hpp"
#include "asynchronous/neighbourhood_steps.hpp"
#include "diagnostics/stiffness.hpp"

using namespace livens;

namespace {

double cpu_now() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}
double wall_now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double pages = 0;
  file >> pages >> pages;
  return 4096 * pages;
}

constexpr double fraction = 0.9;    // of Verlet's limit; ideal clocks have the same of theirs
constexpr double on_levels = 0.85;  // the default there

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
  for (int round = 0; round < 3; ++round) {
    const double began = cpu_now();
    constexpr int pops = 1'000'000;
    for (int k = 0; k < pops; ++k) queue.set(queue.next(), queue.next_time() + steps[queue.next()]);
    best = std::min(best, (cpu_now() - began) / pops);
  }
  std::printf("queue of %d: %.0f ns per pop and push\n", events, 1e9 * best);
}

struct Meshed {
  const char* name;
  int cells;       // a side of the box; 0: the blade
  double grading;  // of all sides
};

std::string box(int cells, double grading) {
  const std::string n = std::to_string(cells), g = std::to_string(grading);
  return "time = { end = 1 }\n[[material]]\nname = 'm'\nkind = 'neo_hookean'\nyoung = 1e6\npoisson = 0.3\ndensity = "
         "1000\n[[body]]\nname = 'box'\nkind = 'solid'\nmaterial = 'm'\nmesh = { kind = 'box', size = [1, 1, 1], "
         "cells = [" +
         n + ", " + n + ", " + n + "], grading = [" + g + ", " + g + ", " + g +
         "] }\ninitial = { angular_velocity = [1, 2, 3] }\n[integrator]\nkind = 'asynchronous'\n";
}

struct Case {
  explicit Case(const Meshed& mesh)
      : scene(mesh.cells == 0 ? load_scene("scenes/l04_blade/case_1.toml")
                              : parse_scene(box(mesh.cells, mesh.grading))),
        model(make_model(scene)),
        start(initial_state(scene, model)),
        system(std::make_shared<StencilSystem>(model)) {}
  Scene scene;
  Model model;
  State start;
  double modelled = cpu_now(), bytes = resident_bytes();  // before anything of stepping is made
  std::shared_ptr<const StencilSystem> system;
};

StepRule rule_at(StepRule::Kind kind, double factor) {
  StepRule rule;
  rule.kind = kind;
  rule.factor = factor;
  return rule;
}

double rate_of(const EventLoop& loop) {
  double sum = 0;
  for (int k = 0; k < loop.system().size(); ++k) sum += 1 / loop.step(k);
  return sum;
}

// Seconds of processor for a second of the run, from whole steps of the coarsest level.
struct Timed {
  double best = 1e99, T = 0;
  Ledger ledger;
  State seen;
  void round(EventLoop& loop, double span, double least) {
    const double began = cpu_now(), from = T;
    do {
      T += span;
      loop.keep();
      loop.run(T);
      loop.read(T, seen, ledger);
    } while (cpu_now() - began < least);
    best = std::min(best, (cpu_now() - began) / (T - from));
  }
};

// 2 / omega_max, by the matrix, or of large models by products with it.
double verlet_limit(const Case& of, const EventLoop& loop) {
  if (const auto omega = omega_max(of.model, of.start)) return 2 / *omega;
  std::vector<Pack> x;
  for (const MovingNode& node : loop.activations().nodes().all()) x.push_back(node.x);
  return 2 / std::sqrt(NeighbourhoodSteps(*of.system, x).largest(std::vector<double>(of.system->size(), 1.0)));
}

// Seconds of wall time from the scene to the first event on two threads: all, and without scene and model.
std::pair<double, double> start_on_two_threads(const Meshed& mesh) {
  const tbb::global_control two(tbb::global_control::max_allowed_parallelism, 2);
  const double began = wall_now();
  const Case of(mesh);
  const double modelled = wall_now();
  EventLoop levels(of.model, of.system, rule_at(StepRule::Kind::neighbourhood, on_levels), ScheduleKind::levels);
  levels.start(of.start);
  return {wall_now() - began, wall_now() - modelled};
}

void measure_levels(const Meshed& mesh) {
  std::pair<double, double> on_two;
  if (mesh.cells > 50) on_two = start_on_two_threads(mesh);
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  const double began = cpu_now();
  const Case of(mesh);
  const auto elements = static_cast<double>(of.system->size());
  EventLoop levels(of.model, of.system, rule_at(StepRule::Kind::neighbourhood, on_levels), ScheduleKind::levels);
  levels.start(of.start);
  const double started = cpu_now(), after = resident_bytes();
  double ideal_rate = 0;
  {
    EventLoop exact(of.model, of.system, rule_at(StepRule::Kind::neighbourhood, fraction));
    exact.start(of.start);
    ideal_rate = rate_of(exact);
  }
  const double h = fraction * verlet_limit(of, levels);
  const auto verlet = make_integrator("kind = 'stormer_verlet', step = " + std::to_string(1e9 * h) + "e-9", of.model);
  State state = of.start;
  Timed timed;
  timed.seen = of.start;
  timed.ledger.energy_out.assign(of.model.parts().forces.size(), 0.0);
  const double base = levels.activations().clocks().longest_step(), least = elements < 5e5 ? 0.15 : 0.0;
  const double span = (elements < 5e5 ? 8 : 2) * base;
  double synchronous = 1e99;
  for (int round = 0; round < (elements < 5e5 ? 5 : 3); ++round) {
    timed.round(levels, span, least);
    const double from = cpu_now(), t = state.t;
    do verlet->advance(of.model, state, state.t + 8 * h);
    while (cpu_now() - from < least);
    synchronous = std::min(synchronous, (cpu_now() - from) / (state.t - t));
  }
  const double ideal = elements / h / ideal_rate, updates = elements / h / rate_of(levels),
               saving = synchronous / timed.best;
  const bool uniform = mesh.grading == 1 && mesh.cells > 0;
  std::printf("%-22s %8.0f %6.2f %6.2f %7.1f %7.1f %6.2f   ", mesh.name, elements, ideal, updates,
              1e9 * synchronous * h / elements, 1e9 * timed.best / rate_of(levels), saving);
  if (uniform)
    std::printf("%5.2f of Verlet: must 0.90 %s\n", saving, saving >= 0.9 ? "held" : "MISSED");
  else
    std::printf("%5.2f of ideal: must 0.60 %s, aim 0.75 %s\n", saving / ideal,
                saving / ideal >= 0.6 ? "held" : "MISSED", saving / ideal >= 0.75 ? "held" : "missed");
  if (elements > 5e5)
    std::printf(
        "  start-up: scene and model %.1f s, stepping %.1f s of one thread; on two %.1f s with scene and model (must 5 "
        "%s), %.1f s without; stepping has %.0f bytes an element\n",
        of.modelled - began, started - of.modelled, on_two.first, on_two.first < 5 ? "held" : "MISSED", on_two.second,
        (after - of.bytes) / elements);
}

// The exact queue: an event against the same update without clocks, one element after the other.
void measure_exact(const Meshed& mesh, double must) {
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  const Case of(mesh);
  EventLoop loop(of.model, of.system, rule_at(StepRule::Kind::courant, 0.2));
  loop.start(of.start);
  const double slow = loop.activations().clocks().longest_step();
  double best = 1e9, update = 1e9, queue = 1e9, T = of.start.t;
  for (int round = 0; round < 7; ++round) {
    const long before = loop.total_updates();
    const double began = cpu_now();
    double spent = 0;
    do {
      T += slow;
      loop.run(T);
      spent = cpu_now() - began;
    } while (spent < 0.2);
    best = std::min(best, spent / static_cast<double>(loop.total_updates() - before));
    update = std::min(update, update_cost(loop.activations()));
    queue = std::min(queue, queue_cost(loop.activations().clocks()));
  }
  std::printf("%-22s %8d   event %.0f ns, update by itself %.0f ns, queue %.0f ns: %.2f of ideal: ", mesh.name,
              loop.system().size(), 1e9 * best, 1e9 * update, 1e9 * queue, update / best);
  if (must > 0)
    std::printf("must %.2f %s\n", must, update / best >= must ? "held" : "MISSED");
  else
    std::printf("no goal\n");
}

void measure_threads(const Meshed& mesh, ScheduleKind kind, const char* schedule, double must) {
  const Case of(mesh);
  const StepRule::Kind steps = kind == ScheduleKind::levels ? StepRule::Kind::neighbourhood : StepRule::Kind::courant;
  double seconds[3] = {0, 1e9, 1e9};
  std::vector<double> q[3];
  for (const int threads : {1, 2, 1, 2, 1, 2}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    EventLoop loop(of.model, of.system, rule_at(steps, kind == ScheduleKind::levels ? on_levels : 0.2), kind);
    loop.start(of.start);
    const double slow = loop.activations().clocks().longest_step();
    const int spans = mesh.cells == 0 ? 100 : 4;
    loop.run(slow);
    const double began = wall_now();
    loop.run((1 + spans) * slow);
    seconds[threads] = std::min(seconds[threads], wall_now() - began);
    State state = of.start;
    Ledger ledger;
    ledger.energy_out.assign(of.model.parts().forces.size(), 0.0);
    loop.read((1 + spans) * slow, state, ledger);
    q[threads] = state.q;
  }
  const double gain = seconds[1] / seconds[2];
  std::printf("%-22s %8d   %s: %.3f s on one thread, %.3f s on two: %.2f x, %s bits: must %.1f %s\n", mesh.name,
              of.system->size(), schedule, seconds[1], seconds[2], gain, q[1] == q[2] ? "the same" : "OTHER", must,
              gain >= must ? "held" : "MISSED");
}

}  // namespace

int main(int argc, char** argv) {
  const auto wanted = [&](const char* part) {
    bool any = argc == 1;
    for (int k = 1; k < argc; ++k) any = any || std::strcmp(argv[k], part) == 0;
    return any;
  };
  const Meshed blade{"blade, tet10", 0, 0}, ten{"tet4, 1:10", 12, 10}, large{"tet4, 1:30", 32, 30};
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  if (wanted("queue"))
    for (const int n : {2000, 100'000, 1'000'000}) measure_queue(n);
  if (wanted("exact")) {
    std::printf("\nexact queue, one thread\n");
    measure_exact(blade, 0.7);
    measure_exact(ten, 0.65);
    measure_exact(large, 0);
  }
  if (wanted("levels") || wanted("million")) {
    std::printf(
        "\nlevels against Verlet, one thread; savings over Verlet: ideal, by levels in updates, and in seconds\n");
    std::printf("%-22s %8s %6s %6s %7s %7s %6s\n", "mesh", "elements", "ideal", "levels", "ns sync", "ns lev.",
                "saved");
  }
  if (wanted("levels"))
    for (const Meshed& mesh : {Meshed{"tet4, uniform", 12, 1}, Meshed{"tet4, uniform", 32, 1}, ten,
                               Meshed{"tet4, 1:30", 12, 30}, Meshed{"tet4, 1:10", 32, 10}, large, blade})
      measure_levels(mesh);
  if (wanted("million"))
    for (const Meshed& mesh : {Meshed{"tet4, 1:10", 55, 10}, Meshed{"tet4, 1:30", 55, 30}}) measure_levels(mesh);
  if (wanted("threads")) {
    std::printf("\ntwo threads, wall time\n");
    measure_threads(large, ScheduleKind::levels, "levels", 1.8);
    measure_threads(blade, ScheduleKind::levels, "levels", 1.6);
    measure_threads(large, ScheduleKind::patches, "local_minimum", 1.8);
    measure_threads(blade, ScheduleKind::patches, "local_minimum", 1.6);
  }
  return 0;
}
