// Steps with constraints: chains of n links, whose cost per link must not grow, and the energy-momentum step of a solid
// against the midpoint step that minimises the incremental potential (K06's Lilyan), on the same mesh, to the same
// tolerance, in turns.
//   build/bench/bench_constraints [largest number of links, default 10000]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <livens/livens.hpp>

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct Timed {
  double seconds = 0;  // a step, median
  double newton = 0, factorisations = 0;
};

Timed time_steps(const livens::Scene& scene, int steps) {
  const livens::Model model = livens::make_model(scene);
  livens::State state = livens::initial_state(scene, model);
  const auto integrator = livens::make_integrator(scene, model);
  integrator->advance(model, state, state.t + 1e-6);  // one step: patterns, orders, memory
  const livens::Counters before = integrator->counters();
  std::vector<double> times;
  for (int k = 0; k < steps; ++k) {
    const auto start = Clock::now();
    const auto report = integrator->advance(model, state, state.t + 1e-6);
    times.push_back(seconds_since(start));
    if (!report.converged) {
      std::printf("%s\n", report.message.c_str());
      std::exit(1);
    }
  }
  std::sort(times.begin(), times.end());
  const livens::Counters& after = integrator->counters();
  return {times[times.size() / 2], static_cast<double>(after.newton - before.newton) / steps,
          static_cast<double>(after.factorisations - before.factorisations) / steps};
}

livens::Scene chain(int links, const std::string& kind) {
  return livens::parse_scene("time = { end = 1 }\nintegrator = { kind = '" + kind +
                             "', step = 0.001 }\n"
                             "force = [{ kind = 'gravity', acceleration = [0, 0, -9.81] }]\n"
                             "constraint = [{ name = 'links', kind = 'distance', body = 'chain' },\n"
                             "  { name = 'hook', kind = 'fixed', selection = 'first' }]\n"
                             "selection = [{ name = 'first', body = 'chain', kind = 'nearest', point = [0, 0, 0] }]\n"
                             "[[body]]\nname = 'chain'\nkind = 'particles'\nmass = 0.01\n"
                             "layout = { kind = 'chain', count = " +
                             std::to_string(links + 1) + ", spacing = 0.05, dimension = 3 }\n");
}

livens::Scene bar(const std::string& cells, const std::string& element, const std::string& kind) {
  return livens::parse_scene(
      "parameters = { twist = 'pi/2' }\ntime = { end = 5 }\nsolver = { tolerance = 1e-10 }\n"
      "integrator = { kind = '" +
      kind +
      "', step = 0.002 }\n[[material]]\nname = 'rubber'\nkind = 'neo_hookean'\nyoung = 5e5\npoisson = 0.45\n"
      "density = 1000\n[[body]]\nname = 'bar'\nkind = 'solid'\nmaterial = 'rubber'\n"
      "mesh = { kind = 'box', size = [1, 0.2, 0.2], cells = [" +
      cells + "], corner = [0, -0.1, -0.1], element = '" + element +
      "' }\n"
      "initial.position = ['X', 'Y*cos(twist*X) - Z*sin(twist*X)', 'Y*sin(twist*X) + Z*cos(twist*X)']\n"
      "[[constraint]]\nname = 'clamp'\nkind = 'fixed'\nselection = 'bar.x_min'\n");
}

}  // namespace

int main(int argc, char** argv) {
  const int largest = argc > 1 ? std::atoi(argv[1]) : 10000;
  std::printf("%10s %18s %12s %28s %16s %16s\n", "links", "method", "ms a step", "us a coordinate and step", "Newton",
              "factorisations");
  for (int links = 100; links <= largest; links *= 10)
    for (const char* kind : {"rattle", "energy_momentum"}) {
      const Timed t = time_steps(chain(links, kind), links > 1000 ? 12 : 40);
      std::printf("%10d %18s %12.3f %28.2f %16.2f %16.2f\n", links, kind, 1e3 * t.seconds,
                  1e6 * t.seconds / (3.0 * links), t.newton, t.factorisations);
    }
  std::printf("\n%10s %12s %20s %20s %10s %18s\n", "element", "cells", "midpoint, ms", "energy-momentum, ms", "ratio",
              "Newton, of each");
  const struct {
    const char *cells, *element;
    int steps;
  } meshes[] = {
      {"10, 2, 2", "tet4", 60}, {"20, 4, 4", "tet4", 40}, {"40, 8, 8", "tet4", 20}, {"15, 3, 3", "tet10", 20}};
  for (const auto& mesh : meshes) {
    const Timed lilyan = time_steps(bar(mesh.cells, mesh.element, "implicit_midpoint"), mesh.steps),
                exact = time_steps(bar(mesh.cells, mesh.element, "energy_momentum"), mesh.steps);
    std::printf("%10s %12s %20.3f %20.3f %10.2f %11.2f %6.2f\n", mesh.element, mesh.cells, 1e3 * lilyan.seconds,
                1e3 * exact.seconds, exact.seconds / lilyan.seconds, lilyan.newton, exact.newton);
  }
}
