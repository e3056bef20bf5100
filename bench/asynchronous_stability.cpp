// How large the steps of asynchronous stepping may be: growth of the energy over the fraction of the limit, by kind of
// element, on meshes of equal and of very unequal elements. Random velocities excite every mode. Prints the tables of
// docs/asynchronous.md:
//   bench_asynchronous_stability 0                       chains with implicit springs; Verlet with a cubic potential
//   bench_asynchronous_stability PERIODS TABLE [KIND]    levels, neighbourhood, courant or eigenvalue; one kind of
//   element
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <livens/scene.hpp>

#include "asynchronous/event_loop.hpp"
#include "diagnostics/stiffness.hpp"

using namespace livens;

namespace {

struct MeshCase {
  const char* name;
  const char* plane;  // keys of a rectangle
  const char* space;  // of a box
};

const MeshCase meshes[] = {
    {"even", "size = [1, 0.5], cells = [10, 5]", "size = [1, 0.4, 0.4], cells = [6, 3, 3]"},
    {"graded 1:8", "size = [1, 0.5], cells = [10, 5], grading = [8, 2]",
     "size = [1, 0.4, 0.4], cells = [6, 3, 3], grading = [8, 2, 2]"},
    {"jitter 0.3", "size = [1, 0.5], cells = [10, 5], jitter = 0.3, jitter_seed = 3",
     "size = [1, 0.4, 0.4], cells = [6, 3, 3], jitter = 0.3, jitter_seed = 3"},
    {"sliver",
     "size = [1, 1], cells = [10, 10], shape = ['X + if(abs(X - 0.5) + abs(Y - 0.5) < 0.01, 0.099, 0)', "
     "'Y + if(abs(X - 0.5) + abs(Y - 0.5) < 0.01, 0.05, 0)']",
     "size = [1, 0.4, 0.4], cells = [6, 3, 3], shape = ['X + if(abs(X - 0.5) + abs(Y - 0.1333) + abs(Z - 0.1333) < "
     "0.01, "
     "0.15, 0)', 'Y + if(abs(X - 0.5) + abs(Y - 0.1333) + abs(Z - 0.1333) < 0.01, 0.06, 0)', 'Z']"},
};

struct Outcome {
  double ratio = 1;     // largest energy seen over the first
  double early = 1;     // the same in the first tenth
  double failed = 0;    // s; 0: none
  double momentum = 0;  // largest error of linear and angular momentum over their scales
};

// Long enough for slow resonances: `periods` steps of the largest element.
Outcome growth(const std::string& kind, const MeshCase& mesh, const std::string& table, double courant, double periods,
               const std::string& velocity) {
  const std::string keys = table == "levels"   ? "schedule = 'levels'"
                           : table == "verlet" ? "schedule = 'queue'"
                                               : "step_rule = '" + table + "'";
  const bool plane = kind.rfind("tri", 0) == 0;
  const auto scene_with = [&](const std::string& integrator) {
    return parse_scene(
        "time = { end = 1 }\n[[material]]\nname = 'm'\nkind = 'neo_hookean'\nyoung = 1e6\npoisson = 0.3\n"
        "density = 1000\n[[body]]\nname = 'block'\nkind = 'solid'\nmaterial = 'm'\nmesh = { kind = '" +
        std::string(plane ? "rectangle" : "box") + "', " + (plane ? mesh.plane : mesh.space) + ", element = '" + kind +
        "' }\ninitial = { random_velocity = " + velocity + ", seed = 5 }\n[integrator]\n" + integrator + "\n");
  };
  const Scene scene = scene_with("kind = 'asynchronous'\n" + keys + "\ncourant = " + std::to_string(courant));
  const Model model = make_model(scene);
  State state = initial_state(scene, model);
  auto integrator = make_integrator(scene, model);
  if (table == "verlet")
    integrator = make_integrator(scene_with("kind = 'stormer_verlet'\nstep = " +
                                            std::to_string(2e6 * courant / *omega_max(model, state)) + "e-6"),
                                 model);
  const double first = energy(model, state).total;
  const Momenta before = momenta(model, state.q, state.p);
  double size[2] = {0, 0};  // sums of absolute values
  for (std::size_t i = 0; i < state.p.size(); ++i) {
    size[0] += std::abs(state.p[i]);
    size[1] += std::abs(state.p[i]) * std::abs(state.q[i]);
  }
  Outcome outcome;
  integrator->advance(model, state, 1e-9);
  const double slow = table == "verlet" ? state.t : integrator->counters().step_max;
  constexpr int looks = 200;
  for (int k = 1; k <= looks; ++k) {
    const StepReport report = integrator->advance(model, state, periods * slow * k / looks);
    const double now = energy(model, state).total;
    if (std::isfinite(now)) outcome.ratio = std::max(outcome.ratio, now / first);
    if (k <= looks / 10) outcome.early = outcome.ratio;
    const Momenta later = momenta(model, state.q, state.p);
    for (int c = 0; c < 3; ++c) {
      outcome.momentum = std::max(outcome.momentum, std::abs(later.linear[c] - before.linear[c]) / size[0]);
      outcome.momentum = std::max(outcome.momentum, std::abs(later.angular[c] - before.angular[c]) / size[1]);
    }
    if (!report.converged || !std::isfinite(now) || now > 100 * first) {
      outcome.failed = state.t;
      break;
    }
  }
  return outcome;
}

// A chain of harmonic springs, some of them implicit. Stiffnesses that are no squares of each other make clocks whose
// ratio is irrational. Returns the largest dt omega (of the springs by themselves) up to which the energy does not
// grow a thousandfold between the first tenth and the rest of 40 000 steps of the slowest spring.
double implicit_limit(int springs, bool even, int implicit_every) {
  std::string points = "[0]", pairs, forces;
  for (int k = 0; k < springs; ++k) {
    points += ", [" + std::to_string(k + 1) + "]";
    forces += "[[force]]\nkind = 'spring'\nname = 's" + std::to_string(k) +
              "'\nstiffness = " + std::to_string(even ? 1.0 : 1.0 + 0.7 * k) + "\npairs = [[" + std::to_string(k) +
              ", " + std::to_string(k + 1) + "]]\n";
  }
  const Model model = make_model(parse_scene(
      "time = { end = 1 }\n[[body]]\nname = 'chain'\nkind = 'particles'\nmass = 1\nlayout = { kind = 'points', points "
      "= [" +
      points + "] }\n" + forces + "[integrator]\nkind = 'stormer_verlet'\nstep = 1\n"));
  std::vector<double> q, v;
  for (int a = 0; a <= springs; ++a) {
    q.push_back(a);
    v.push_back(0.01 * std::sin(2.3 * a + 1));
  }
  double mean = 0;
  for (const double each : v) mean += each / static_cast<double>(v.size());
  for (double& each : v) each -= mean;
  const State start = make_state(model, 0, q, v);
  const double first = energy(model, start).total;
  double stable = 0;
  for (double factor = 0.1; factor < 20; factor *= 1.1) {
    StepRule rule;
    rule.factor = factor;
    EventLoop loop(model, rule);
    std::vector<double> implicit;
    for (int k = 0; k < springs; ++k) implicit.push_back(implicit_every > 0 && k % implicit_every == 0 ? 0.5 : 0);
    if (implicit_every > 0) loop.make_implicit(implicit);
    loop.start(start);
    double slow = 0;
    for (int k = 0; k < springs; ++k) slow = std::max(slow, loop.step(k));
    State state = start;
    Ledger ledger;
    bool good = true;
    double early = first;  // looking between implicit activations extrapolates: compare late looks with early ones
    for (int look = 1; look <= 400 && good; ++look) {
      const double t = (100 * look + 0.37) * slow;
      good = loop.run(t);
      loop.read(t, state, ledger);
      const double now = energy(model, state).total;
      if (look <= 40) early = std::max(early, now);
      good = good && std::isfinite(now) && now < (look <= 40 ? 1e9 * first : 1e3 * early);
    }
    if (!good) break;
    stable = factor;
  }
  return 2 * stable;
}

void print_implicit_limits() {
  std::printf("| springs | steps | implicit | stable up to dt omega |\n|---|---|---|---|\n");
  for (const int springs : {1, 2, 8})
    for (const bool even : {true, false})
      for (const int every : {0, 1, 2}) {
        if ((springs == 1 && (!even || every == 2))) continue;
        const double limit = implicit_limit(springs, even, every);
        std::printf("| %d | %s | %s | %s%.2g |\n", springs, even ? "equal" : "unequal",
                    every == 0   ? "none"
                    : every == 1 ? "all"
                                 : "every second",
                    limit > 30 ? "no limit below " : "", limit);
        std::fflush(stdout);
      }
}

// Verlet of x'' = -x - x^2 is Henon's area-preserving map: whether amplitudes a stay bounded for 10^5 steps of f times
// the limit, from all sides.
bool stays_bounded(double f, double a) {
  constexpr int phases = 64, steps = 100'000;
  const double h = 2 * f, across = std::sqrt(1 - f * f);  // of the ellipses of the linear map
  for (int k = 0; k < phases; ++k) {
    const double angle = 6.283185307179586 * k / phases;
    double x = a * std::cos(angle), p = a * across * std::sin(angle);
    for (int n = 0; n < steps; ++n) {
      p -= 0.5 * h * (x + x * x);
      x += h * p;
      p -= 0.5 * h * (x + x * x);
      if (!(std::abs(x) < 10)) return false;
    }
  }
  return true;
}

void print_cubic_limits() {
  std::printf("\n| fraction of the limit | largest x |\n|---|---|\n");
  for (const double f : {0.5, 0.6, 0.7, 0.8, 0.85, 0.86, 0.865, 0.866, 0.867, 0.87, 0.88, 0.9, 0.95}) {
    double bounded = 0, lost = 1;
    for (int halving = 0; halving < 12; ++halving) {
      const double middle = 0.5 * (bounded + lost);
      (stays_bounded(f, middle) ? bounded : lost) = middle;
    }
    std::printf("| %g | %.4f |\n", f, bounded);
    std::fflush(stdout);
  }
}

void print_table(const std::string& table, const std::string& only, double periods, const std::string& velocity) {
  const bool synchronous = table == "levels" || table == "verlet";
  const std::vector<double> factors =
      synchronous ? std::vector{0.5, 0.7, 0.8, 0.85, 0.9, 0.95} : std::vector{0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9};
  std::printf("%s, %g steps of the largest element, %s m/s; in brackets the first tenth\n\n| element | mesh |",
              table.c_str(), periods, velocity.c_str());
  for (const double f : factors) std::printf(" %g |", f);
  std::printf(" momenta |\n|---|---|");
  for (std::size_t k = 0; k <= factors.size(); ++k) std::printf("---|");
  std::printf("\n");
  for (const std::string kind : {"tri3", "tri6", "tet4", "tet10"})
    for (const MeshCase& mesh : meshes) {
      if (only != "all" && only != kind) continue;
      std::printf("| %s | %s |", kind.c_str(), mesh.name);
      double momentum = 0;
      for (const double f : factors) {
        const Outcome outcome = growth(kind, mesh, table, f, periods, velocity);
        if (outcome.failed > 0)
          std::printf(" lost |");
        else
          std::printf(" %.3g %% (%.3g %%) |", 100 * (outcome.ratio - 1), 100 * (outcome.early - 1));
        if (outcome.failed == 0) momentum = std::max(momentum, outcome.momentum);
        std::fflush(stdout);
      }
      std::printf(" %.1e |\n", momentum);
    }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  const double periods = argc > 1 ? std::atof(argv[1]) : 20000;
  if (periods == 0) {
    print_implicit_limits();
    print_cubic_limits();
    return 0;
  }
  for (const std::string table : {"levels", "verlet", "neighbourhood", "courant", "eigenvalue"})
    if (argc < 3 || table == argv[2])
      print_table(table, argc > 3 ? argv[3] : "all", periods, argc > 4 ? argv[4] : "0.2");
  return 0;
}
