// Implicit midpoint on chains of 10^3 to 10^5 masses: the cost of a step per mass must not grow.
//   build/bench/bench_chain [largest number of masses, default 100000]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <livens/livens.hpp>

int main(int argc, char** argv) {
  const int largest = argc > 1 ? std::atoi(argv[1]) : 100000;
  std::printf("%10s %14s %22s %20s %20s\n", "masses", "ms per step", "ns per mass and step", "Newton per step",
              "factorisations");
  for (int n = 1000; n <= largest; n *= 10) {
    const livens::Scene scene = livens::parse_scene(
        "time = { end = 1 }\nintegrator = { kind = 'implicit_midpoint', step = 0.5 }\n[[body]]\nname = 'chain'\nkind = "
        "'particles'\nmass = 1.0\n"
        "layout = { kind = 'chain', count = " +
        std::to_string(n) +
        ", spacing = 1.0 }\ninitial = { random_velocity = 0.1, seed = 1 }\n"
        "[[force]]\nkind = 'spring'\nstiffness = 1.0\nquartic = 1.0\n");
    const livens::Model model = livens::make_model(scene);
    livens::State state = livens::initial_state(scene, model);
    auto integrator = livens::make_integrator(scene, model);
    integrator->advance(model, state, 0.5);
    const auto before = integrator->counters();
    const auto since = std::chrono::steady_clock::now();
    const int steps = 10;
    const auto report = integrator->advance(model, state, 0.5 * (1 + steps));
    const double time = std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
    if (!report.converged) {
      std::printf("%s\n", report.message.c_str());
      return 1;
    }
    const auto& after = integrator->counters();
    std::printf("%10d %14.2f %22.0f %20.1f %20.1f\n", n, 1e3 * time / steps, 1e9 * time / steps / n,
                static_cast<double>(after.newton - before.newton) / steps,
                static_cast<double>(after.factorisations - before.factorisations) / steps);
  }
}
