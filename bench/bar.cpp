// The bar of K06 5.4 by the own solvers: minimiser against root finder, one thread against two, and failures at 1e-10.
// Against PETSc's solvers: bench/petsc.
//   build/bench/bench_bar [vertices: 325, 2025, 3751, 19855, 96256; default all but the last] [rounds, default 5]
#include "bar.hpp"

#include <cstdlib>

namespace {

void row(const bar::Record& record, const char* name, int threads, std::size_t steps, double against) {
  const auto n = static_cast<double>(steps);
  std::printf("  %-12s %d thread%s %9.2f ms wall %9.2f ms cpu a step  %5.1f Newton %6.1f linear  %d failed  %.2f x\n",
              name, threads, threads == 1 ? " " : "s", record.wall_ms(), record.cpu_ms(),
              static_cast<double>(record.newton) / n, static_cast<double>(record.linear) / n, record.failures, against);
}

constexpr int most_unasked = 20000;  // vertices: beyond, only if they are asked for

bool measure(const bar::Case& setting, int rounds) {
  const bar::Bar bar = bar::make_bar(setting);
  const std::vector<bar::Step> steps = bar::make_trajectory(bar, setting.steps);
  std::printf("%d vertices, %d tetrahedra, %g Pa, %zu steps\n", bar.mesh->nodes(), bar.mesh->elements(), setting.young,
              steps.size());
  bar::OwnSolver minimiser(bar, true), root(bar, false), both(bar, true, 2);
  bar::Record one, two, by_root, strict, strict_root;
  for (int round = 0; round < rounds; ++round) {
    bar::run_once(bar, steps, minimiser, 1e-6, one);
    bar::run_once(bar, steps, both, 1e-6, two);
    bar::run_once(bar, steps, root, 1e-6, by_root);
  }
  bar::run_once(bar, steps, minimiser, 1e-10, strict);
  bar::run_once(bar, steps, root, 1e-10, strict_root);
  row(one, "minimiser", 1, steps.size(), 1);
  row(two, "minimiser", 2, steps.size(), one.wall_ms() / two.wall_ms());
  row(by_root, "root finder", 1, steps.size(), 1 / bar::ratio(one, by_root));
  row(strict, "to 1e-10", 1, steps.size(), 1 / bar::ratio(one, strict));
  row(strict_root, "root, 1e-10", 1, steps.size(), 1 / bar::ratio(one, strict_root));
  std::printf("  two threads: %s bits\n", one.hash == two.hash ? "same" : "DIFFERENT");
  return one.hash == two.hash && one.failures == 0 && strict.failures == 0;
}

}  // namespace

int main(int argc, char** argv) {
  const int wanted = argc > 1 ? std::atoi(argv[1]) : 0;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 5;
  bool good = true;
  for (const auto& [cells, steps] : {std::pair{12, 20}, {24, 20}, {30, 20}, {54, 8}, {93, 4}}) {
    const int side = cells / 3, vertices = (cells + 1) * (side + 1) * (side + 1);
    if (wanted != vertices && (wanted != 0 || vertices > most_unasked)) continue;
    for (const double young : {1e5, 2.5e5, 5e5}) good = measure({{cells, side, side}, young, steps}, rounds) && good;
  }
  return good ? 0 : 1;
}
