// One linear system of an elastic body: conjugate gradients with a sweep over the blocks, with smoothed aggregation,
// and a factorisation. Iterations, seconds of set-up and solve, and bytes, over sizes of the mesh.
//   bench_linear_solvers [largest number of vertices]
#include "bar.hpp"
#include "solve/block_cg.hpp"
#include "solve/linear_solver.hpp"
#include "solve/multilevel_cg.hpp"

namespace {

using livens::ConstVector;

double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }  // of the processor

struct System {
  livens::SparsePattern pattern;
  std::vector<double> values, b, place;
};

// Statics: held at the end of least x, weight across. Steps: M + (h w)^2/4 K / w_max^2 of the twisted bar.
System make_system(const bar::Bar& bar, double h_omega) {
  System system;
  const livens::Model& model = *bar.model;
  const livens::Linearisation lin(model);
  system.pattern = lin.pattern();
  system.values.assign(system.pattern.nonzeros(), 0.0);
  system.place = h_omega > 0 ? bar.q : bar.mesh->X;
  lin.add_potential(model, 0, system.place, 1, system.values, true);
  system.b.assign(model.size(), 0.0);
  if (h_omega > 0) {
    // The highest frequency by power iterations.
    std::vector<double> x(model.size()), y(model.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(12.9898 * static_cast<double>(i + 1)) * 1e3;
    double square = 0;
    for (int k = 0; k < 60; ++k) {
      system.pattern.multiply(system.values, x, y);
      double norm = 0;
      for (std::size_t i = 0; i < x.size(); ++i) norm += (y[i] /= bar.mass()[i]) * y[i];
      square = std::sqrt(norm);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = y[i] / square;
    }
    for (double& value : system.values) value *= h_omega * h_omega / 4 / square;
    lin.add_mass(model, 1, system.values);
    for (std::size_t i = 0; i < x.size(); ++i) system.b[i] = bar.mass()[i] * bar.v[i];
    return system;
  }
  double least = 1e300;
  for (std::size_t i = 0; i < bar.mesh->X.size(); i += 3) least = std::min(least, bar.mesh->X[i]);
  for (int c = 0; c < system.pattern.n; ++c)
    for (int k = system.pattern.column_start[c]; k < system.pattern.column_start[c + 1]; ++k) {
      const int r = system.pattern.row[k];
      const auto held = [&](int i) { return bar.mesh->X[i / 3 * 3] < least + 1e-9; };
      if (held(r) || held(c)) system.values[k] = r == c ? 1.0 : 0.0;
    }
  for (std::size_t i = 2; i < system.b.size(); i += 3)
    if (bar.mesh->X[i - 2] > least + 1e-9) system.b[i] = -9.81 * bar.mass()[i];
  return system;
}

double error(const System& system, const std::vector<double>& x) {
  std::vector<double> y(x.size());
  system.pattern.multiply(system.values, x, y);
  double off = 0, size = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    off += (y[i] - system.b[i]) * (y[i] - system.b[i]);
    size += system.b[i] * system.b[i];
  }
  return std::sqrt(off / size);
}

void measure(const char* name, const bar::Bar& bar, double h_omega, bool direct) {
  const System system = make_system(bar, h_omega);
  std::vector<double> x(system.b.size());
  std::printf("%-12s %7d %7g", name, system.pattern.n / 3, h_omega);
  double t = seconds();
  auto sweep = livens::make_block_cg(system.pattern);
  sweep->prepare(system.values);
  double set_up = seconds() - t;
  t = seconds();
  livens::CgResult result = sweep->solve(system.b, x, 1e-5, 20000);
  std::printf(" | %6d %8.4f %8.4f %.0e", result.iterations, set_up, seconds() - t, error(system, x));
  t = seconds();
  auto levels = livens::make_multilevel_cg(system.pattern);
  const double made = seconds() - t;
  t = seconds();
  const bool good = levels->prepare(system.values, system.place);
  set_up = seconds() - t;
  t = seconds();
  if (good) result = levels->solve(system.b, x, 1e-5, 2000);
  std::printf(" | %5d%s %8.4f %8.4f %8.4f %.0e %d %.2f", result.iterations, good ? "" : "!", made, set_up,
              seconds() - t, error(system, x), levels->levels(), levels->operator_complexity());
  if (direct) {
    auto cholesky = livens::make_mumps(system.pattern, livens::MatrixKind::positive_definite);
    t = seconds();
    cholesky->factorise(system.values);
    set_up = seconds() - t;
    x = system.b;
    t = seconds();
    cholesky->solve(x);
    std::printf(" | %8.4f %8.4f", set_up, seconds() - t);
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const int largest = argc > 1 ? std::atoi(argv[1]) : 100000;
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, argc > 2 ? std::atoi(argv[2]) : 1);
  std::printf(
      "body        vertices  h*omega | sweep: iterations, set-up s, solve s, error | levels: iterations, mesh s, "
      "set-up s, solve s, error, levels, complexity | factorisation s, solve s\n");
  for (const auto& cells : {std::array{24, 8, 8}, {36, 12, 12}, {54, 18, 18}, {93, 31, 31}}) {
    if ((cells[0] + 1) * (cells[1] + 1) * (cells[2] + 1) > largest) break;
    const bar::Bar bar = bar::make_bar({cells, 2.5e5, 1});
    for (const double h_omega : {0.0, 20.0, 70.0, 200.0, 1000.0})
      measure("bar", bar, h_omega, h_omega == 0 && cells[0] < 90);
  }
}
