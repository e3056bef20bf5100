// A chain of n massless links with beads of equal mass, released from a
// straight horizontal line: 1 m, 1 kg, 0.5 s. Livens holds the lengths of the
// links by constraints on positions; Simbody has the chain as a tree of pin
// joints in relative angles, whose cost is linear in n, too. Error: root mean
// square distance of a bead from the reference at the end, an extrapolation of
// order 12 in absolute angles with a dense mass matrix.
//   taskset -c 0 build/peers/bench/peers/bench_peers_chain > chain.csv
#include <cmath>
#include <vector>

#include <Eigen/Dense>
#include <tbb/global_control.h>

#include <livens/livens.hpp>

#include "shell.hpp"
#include "table.hpp"

#ifdef PEERS_SIMBODY
#include "simbody/simbody_chain.hpp"
#endif

namespace {

constexpr double long_enough = 0.3;  // s, to be timed once
constexpr double end = 0.5, gravity = 9.81, pi = 3.14159265358979323846;

struct Motion {
  std::vector<double> places;  // x, y of every bead
  double energy = 0;
};

// ---- reference: angles from the vertical
// ----------------------------------------------------------------------------

using Vector = Eigen::VectorXd;

// l^2 m sum_j (n - max(i, j)) (cos(a_i - a_j) a_j'' + sin(a_i - a_j) a_j'^2) +
// g l m (n - i) sin a_i = 0
Vector accelerations(int n, const Vector& a, const Vector& w) {
  const Vector c = a.array().cos(), s = a.array().sin();
  Eigen::MatrixXd M(n, n);
  Vector right(n);
  for (int i = 0; i < n; ++i) {
    right[i] = -gravity * (n - i) * s[i];
    for (int j = 0; j < n; ++j) {
      const double beads = (n - std::max(i, j)) / static_cast<double>(n);
      M(i, j) = beads * (c[i] * c[j] + s[i] * s[j]);
      right[i] -= beads * (s[i] * c[j] - c[i] * s[j]) * w[j] * w[j];
    }
  }
  return M.llt().solve(right);
}

Vector slope(int n, const Vector& y) {
  Vector dy(2 * n);
  dy << y.tail(n), accelerations(n, y.head(n), y.tail(n));
  return dy;
}

// Gragg's sequences of 2, 4, ... 12 parts, extrapolated.
std::vector<double> reference(int n, long steps) {
  constexpr int columns = 6;
  Vector y = Vector::Zero(2 * n);
  y.head(n).setConstant(pi / 2);
  const double H = end / static_cast<double>(steps);
  for (long k = 0; k < steps; ++k) {
    std::vector<Vector> before(columns), row(columns);
    const Vector first = slope(n, y);
    for (int j = 0; j < columns; ++j) {
      const int parts = 2 * (j + 1);
      const double h = H / parts;
      Vector last = y, now = y + h * first;
      for (int m = 1; m < parts; ++m) {
        const Vector next = last + 2 * h * slope(n, now);
        last = now;
        now = next;
      }
      row[0] = 0.5 * (now + last + h * slope(n, now));
      for (int m = 1; m <= j; ++m) {
        const double ratio = (j + 1.0) / (j + 1.0 - m);
        row[m] = row[m - 1] + (row[m - 1] - before[m - 1]) / (ratio * ratio - 1);
      }
      before = row;
    }
    y = row[columns - 1];
  }
  std::vector<double> places;
  double x = 0, z = 0;
  for (int i = 0; i < n; ++i) {
    x += std::sin(y[i]) / n;
    z -= std::cos(y[i]) / n;
    places.insert(places.end(), {x, z});
  }
  return places;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(2 * sum / static_cast<double>(a.size()));
}

// ---- livens
// ---------------------------------------------------------------------------------------------------------

class LivensChain {
 public:
  explicit LivensChain(int n)
      : scene_(livens::parse_scene("time = { end = 1 }\nintegrator = { kind = 'rattle', step = 0.001 "
                                   "}\n"
                                   "force = [{ kind = 'gravity', acceleration = [0, -9.81] }]\n"
                                   "constraint = [{ kind = 'distance', body = 'chain' }, { kind = "
                                   "'fixed', selection = 'hook' }]\n"
                                   "selection = [{ name = 'hook', body = 'chain', kind = 'nearest', "
                                   "point = [0, 0] }]\n"
                                   "[[body]]\nname = 'chain'\nkind = 'particles'\nmass = " +
                                   peers::exact(1.0 / n) + "\nlayout = { kind = 'chain', dimension = 2, count = " +
                                   std::to_string(n + 1) + ", spacing = " + peers::exact(1.0 / n) + " }\n")),
        model_(livens::make_model(scene_)),
        start_(livens::initial_state(scene_, model_)) {}

  // False if a step failed.
  bool run(const std::string& integrator, std::vector<double>& places, double& energy_error, double& seconds) const {
    livens::State state = start_;
    auto made = livens::make_integrator(integrator, model_);
    const double since = peers::processor_seconds();
    const auto report = made->advance(model_, state, end);
    seconds = peers::processor_seconds() - since;
    places.assign(state.q.begin() + 2, state.q.end());
    energy_error = std::abs(livens::energy(model_, state).total - livens::energy(model_, start_).total);
    return report.converged;
  }

 private:
  livens::Scene scene_;
  livens::Model model_;
  livens::State start_;
};

void livens_methods(const std::string& problem, int n, const std::vector<double>& exact) {
  const LivensChain chain(n);
  const auto measure = [&](const char* name, const std::string& settings, long steps) {
    const double h = end / static_cast<double>(steps);
    std::vector<double> places;
    double energy_error = 0, seconds = 0, best = 1e300;
    for (int round = 0; round < 3; ++round) {
      if (!chain.run(settings + ", step = " + peers::exact(h), places, energy_error, seconds)) return;
      best = std::min(best, seconds);
      if (seconds > long_enough) break;
    }
    peers::print_row(problem, "livens", name, h, distance(places, exact), energy_error, best);
  };
  const long first = n > 50 ? 400 : 100;
  for (int k = 0; k < (n > 50 ? 4 : 8); ++k) {
    measure("rattle", "kind = 'rattle'", first << k);
    measure("energy_momentum", "kind = 'energy_momentum'", first << k);
  }
  for (int k = 0; k < (n > 50 ? 4 : 6); ++k) {
    measure("galerkin degree 2 (Lobatto)", "kind = 'galerkin', degree = 2, quadrature = 'lobatto'", (first / 2) << k);
    measure("galerkin degree 4 (Lobatto)", "kind = 'galerkin', degree = 4, quadrature = 'lobatto'", (first / 4) << k);
  }
}

// ---- simbody
// --------------------------------------------------------------------------------------------------------

#ifdef PEERS_SIMBODY
void simbody_methods(const std::string& problem, int n, const std::vector<double>& exact) {
  const peers::SimbodyChain chain(n, gravity);
  for (double accuracy = 1e-2; accuracy > (n > 50 ? 5e-10 : 5e-13); accuracy /= 10)
    for (const char* method : peers::SimbodyChain::methods) {
      if (std::string(method) == "Verlet" && accuracy < (n > 50 ? 5e-6 : 5e-9))
        continue;  // of second order: takes minutes
      double best = 1e300;
      peers::SimbodyChain::Run run;
      for (int round = 0; round < 3; ++round) {
        run = chain.run(method, accuracy, end);
        best = std::min(best, run.seconds);
        if (run.seconds > long_enough) break;
      }
      if (run.done)
        peers::print_row(problem, "simbody", method, accuracy, distance(run.places, exact), run.energy_error, best);
    }
}
#endif

}  // namespace

// With a number of links: these chains alone.
int main(int argc, char** argv) {
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  peers::print_header();
  for (const int n : {4, 20, 100}) {
    if (argc > 1 && std::atoi(argv[1]) != n) continue;
    const std::string problem = "chain of " + std::to_string(n) + " links";
    const long steps = n > 50 ? 1600 : 800;
    const std::vector<double> exact = reference(n, steps);
    std::fprintf(stderr, "%s: halved steps change the reference by %.1e m\n", problem.c_str(),
                 distance(exact, reference(n, steps / 2)));
    livens_methods(problem, n, exact);
#ifdef PEERS_SIMBODY
    simbody_methods(problem, n, exact);
#endif
  }
  return 0;
}
