// A million masses: Verlet on the anharmonic triangular lattice, the library against a plain hand-written loop with the
// same arithmetic, and two threads against one. All ratios are measured in one run, alternating, best of several
// rounds.
//   build/bench/bench_lattice [masses a side, default 1000] [steps a round, default 10] [rounds, default 5]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <tbb/global_control.h>

#include <livens/livens.hpp>

namespace {

using Clock = std::chrono::steady_clock;

double seconds(Clock::time_point since) { return std::chrono::duration<double>(Clock::now() - since).count(); }

struct Bond {
  int i, j;
  double sx, sy;  // image shift of j
};

// What one would write by hand: arrays, one loop over bonds, kick, drift, kick.
struct PlainLattice {
  std::vector<double> q, v, g;
  std::vector<Bond> bonds;
  double mass = 1, stiffness = 1, quartic = 1, rest = 1;

  explicit PlainLattice(int n) {
    const double hx = 0.5, hy = std::sqrt(0.75);
    for (int b = 0; b < n; ++b)
      for (int a = 0; a < n; ++a) {
        q.push_back(a + hx * b);
        q.push_back(hy * b);
        const auto bond = [&](int da, int db) {
          const int x = a + da, y = b + db;
          const int wx = x >= n ? 1 : x < 0 ? -1 : 0, wy = y >= n ? 1 : 0;
          bonds.push_back(
              {2 * (b * n + a), 2 * ((y - wy * n) * n + x - wx * n), wx * n * 1.0 + wy * n * hx, wy * n * hy});
        };
        bond(1, 0);
        bond(0, 1);
        bond(-1, 1);
      }
    g.resize(q.size());
  }

  void gradient() {
    std::fill(g.begin(), g.end(), 0.0);
    for (const Bond& bond : bonds) {
      const auto i = static_cast<std::size_t>(bond.i), j = static_cast<std::size_t>(bond.j);
      const double dx = q[j] - q[i] + bond.sx, dy = q[j + 1] - q[i + 1] + bond.sy;
      const double l = std::sqrt(dx * dx + dy * dy), e = l - rest;
      const double f = e * (stiffness + e * e * quartic) / l;
      g[i] -= f * dx;
      g[i + 1] -= f * dy;
      g[j] += f * dx;
      g[j + 1] += f * dy;
    }
  }

  void steps(int count, double h) {
    gradient();
    for (int k = 0; k < count; ++k) {
      for (std::size_t c = 0; c < q.size(); ++c) {
        v[c] -= 0.5 * h / mass * g[c];
        q[c] += h * v[c];
      }
      gradient();
      for (std::size_t c = 0; c < q.size(); ++c) v[c] -= 0.5 * h / mass * g[c];
    }
  }
};

std::string scene_text(int n) {
  const std::string count = std::to_string(n);
  return "time = { end = 1 }\nintegrator = { kind = 'stormer_verlet', step = 0.1 }\n"
         "[[body]]\nname = 'lattice'\nkind = 'particles'\nmass = 1.0\n"
         "layout = { kind = 'triangular_lattice', count = [" +
         count + ", " + count +
         "], spacing = 1.0, periodic = true }\n"
         "initial = { random_velocity = 0.1, seed = 1 }\n"
         "[[force]]\nkind = 'spring'\nbody = 'lattice'\npairs = 'neighbours'\nstiffness = 1.0\nquartic = 1.0\n";
}

// Seconds for `count` steps from the given state on `threads` threads; the final positions go to q.
double run_library(const livens::Model& model, const livens::Scene& scene, const livens::State& start, int count,
                   int threads, std::vector<double>& q) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  livens::State state = start;
  auto integrator = livens::make_integrator(scene, model);
  integrator->advance(model, state, 0.05);  // touch all memory
  state = start;
  const auto since = Clock::now();
  integrator->advance(model, state, 0.1 * count);
  const double time = seconds(since);
  q = state.q;
  return time;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1000;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 10;
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 5;
  const livens::Scene scene = livens::parse_scene(scene_text(n));
  const livens::Model model = livens::make_model(scene);
  const livens::State start = livens::initial_state(scene, model);
  PlainLattice plain(n);
  double best[3] = {1e300, 1e300, 1e300}, difference = 0;
  bool same_bits = true;
  std::vector<double> q1, q2;
  for (int round = 0; round < rounds; ++round) {
    plain.q = start.q;
    plain.v = start.v;
    const auto since = Clock::now();
    plain.steps(steps, 0.1);
    best[0] = std::min(best[0], seconds(since));
    best[1] = std::min(best[1], run_library(model, scene, start, steps, 1, q1));
    best[2] = std::min(best[2], run_library(model, scene, start, steps, 2, q2));
    same_bits = same_bits && std::memcmp(q1.data(), q2.data(), q1.size() * sizeof(double)) == 0;
    for (std::size_t c = 0; c < q1.size(); ++c) difference = std::max(difference, std::abs(q1[c] - plain.q[c]));
  }
  const double updates = static_cast<double>(n) * n * steps;
  std::printf("lattice of %d masses, %d bonds, Verlet, best of %d rounds of %d steps\n", n * n, 3 * n * n, rounds,
              steps);
  std::printf("  plain loop            %8.2f ns per mass and step\n", 1e9 * best[0] / updates);
  std::printf("  livens, 1 thread      %8.2f ns per mass and step   %.2f x the plain loop's time\n",
              1e9 * best[1] / updates, best[1] / best[0]);
  std::printf("  livens, 2 threads     %8.2f ns per mass and step   %.2f x as fast as 1 thread, %s bits\n",
              1e9 * best[2] / updates, best[1] / best[2], same_bits ? "same" : "DIFFERENT");
  std::printf("  largest difference of a position to the plain loop: %.2g\n", difference);
  return same_bits && difference < 1e-9 ? 0 : 1;
}
