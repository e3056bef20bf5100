// A Lennard-Jones liquid: Verlet of Livens beside LAMMPS' `fix nve` with
// `lj/cut/opt`, from the same positions and velocities. Reduced units, density
// 0.8442, cut off and shifted at 2.5, skin 0.3, from a crystal that melts. Both
// use the same method, so the error of a step is the same: what differs is its
// time. Error: root mean square distance of an atom at t = 0.5 from a run at an
// eighth of the shortest step. Time: of the steps alone ("Loop time" of LAMMPS;
// `advance` of Livens), one thread.
//   taskset -c 0 build/peers/bench/peers/bench_peers_particles > particles.csv
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include <tbb/global_control.h>

#include <livens/livens.hpp>

#include "shell.hpp"
#include "table.hpp"

namespace {

constexpr double density = 0.8442;

struct Liquid {
  explicit Liquid(int cells)
      : side(cells * std::cbrt(4 / density)),
        scene(livens::parse_scene("time = { end = 1 }\nintegrator = { kind = 'stormer_verlet', step "
                                  "= 0.005 }\n"
                                  "[[body]]\nname = 'liquid'\nkind = 'particles'\nmass = 1\ninitial "
                                  "= { random_velocity = 1.2, seed = 1 }\n"
                                  "layout = { kind = 'face_centred_cubic', count = [" +
                                  triple(cells) + "], lattice_constant = " + peers::exact(std::cbrt(4 / density)) +
                                  ", periodic = true }\n[[force]]\nkind = 'lennard_jones'\nepsilon = "
                                  "1\nsigma = 1\ncutoff = 2.5\nskin = 0.3\n"
                                  "cutoff_form = 'shifted'\n")),
        model(livens::make_model(scene)),
        start(livens::initial_state(scene, model)) {}

  static std::string triple(int n) { return std::to_string(n) + ", " + std::to_string(n) + ", " + std::to_string(n); }
  std::size_t atoms() const { return start.q.size() / 3; }

  double side;
  livens::Scene scene;
  livens::Model model;
  livens::State start;
};

struct Outcome {
  std::vector<double> q;
  double energy_error, seconds;
};

Outcome by_livens(const Liquid& liquid, double h, long steps) {
  livens::State state = liquid.start;
  auto integrator = livens::make_integrator("kind = 'stormer_verlet', step = " + peers::exact(h), liquid.model);
  const double since = peers::processor_seconds();
  integrator->advance(liquid.model, state, h * static_cast<double>(steps));
  const double seconds = peers::processor_seconds() - since;
  const double E = livens::energy(liquid.model, liquid.start).total;
  return {state.q, std::abs(livens::energy(liquid.model, state).total - E) / std::abs(E), seconds};
}

std::string data_file(const Liquid& liquid) {
  std::string text = "liquid\n\n" + std::to_string(liquid.atoms()) + " atoms\n1 atom types\n\n";
  for (const char* axis : {"x", "y", "z"})
    text += "0 " + peers::exact(liquid.side) + " " + axis + "lo " + axis + "hi\n";
  text += "\nMasses\n\n1 1\n\nAtoms\n\n";
  const auto three = [](const std::vector<double>& x, std::size_t a) {
    return peers::exact(x[3 * a]) + " " + peers::exact(x[3 * a + 1]) + " " + peers::exact(x[3 * a + 2]) + "\n";
  };
  for (std::size_t a = 0; a < liquid.atoms(); ++a) text += std::to_string(a + 1) + " 1 " + three(liquid.start.q, a);
  text += "\nVelocities\n\n";
  for (std::size_t a = 0; a < liquid.atoms(); ++a) text += std::to_string(a + 1) + " " + three(liquid.start.v, a);
  return text;
}

std::optional<Outcome> by_lammps(const Liquid& liquid, double h, long steps) {
  const auto folder = peers::folder("lammps");
  std::ofstream(folder / "liquid.data") << data_file(liquid);
  std::ofstream(folder / "in.liquid") << "units lj\natom_style atomic\nboundary p p p\nread_data liquid.data\n"
                                         "pair_style lj/cut/opt 2.5\npair_coeff 1 1 1.0 1.0\npair_modify shift "
                                         "yes\n"
                                         "neighbor 0.3 bin\nneigh_modify every 1 delay 0 check yes\nfix 1 all "
                                         "nve\n"
                                         "timestep "
                                      << peers::exact(h)
                                      << "\nthermo_style custom step etotal\nthermo_modify norm no format "
                                         "float "
                                         "%.16g\nthermo "
                                      << steps << "\nrun " << steps
                                      << "\nwrite_dump all custom end.txt id xu yu zu modify sort id format "
                                         "float %.17g\n";
  if (!peers::run_in(folder, "lmp -in in.liquid -log log.txt -screen none")) return std::nullopt;
  const std::string log = peers::content(folder / "log.txt");
  const auto loop = peers::number_behind(log, "Loop time of ");
  if (!loop) return std::nullopt;
  Outcome outcome{{}, 0, *loop};
  std::istringstream lines(log.substr(log.rfind("Step ")));
  std::string line;
  std::getline(lines, line);
  double step = 0, first = 0, last = 0;
  lines >> step >> first >> step >> last;
  outcome.energy_error = std::abs(last - first) / std::abs(first);
  std::ifstream end(folder / "end.txt");
  while (std::getline(end, line) && line.find("ITEM: ATOMS") == std::string::npos) {}
  double id = 0, x = 0, y = 0, z = 0;
  while (end >> id >> x >> y >> z) outcome.q.insert(outcome.q.end(), {x, y, z});
  return outcome;
}

// Root mean square over the atoms, each up to the side of the box.
double distance(const Liquid& liquid, const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = std::remainder(a[i] - b[i], liquid.side);
    sum += d * d;
  }
  return std::sqrt(sum / static_cast<double>(liquid.atoms()));
}

template <class Run>
Outcome best(int rounds, const Run& run) {
  Outcome outcome = run();
  for (int k = 1; k < rounds; ++k) outcome.seconds = std::min(outcome.seconds, run().seconds);
  return outcome;
}

void accuracy(bool with_lammps) {
  const Liquid liquid(6);
  constexpr double end = 0.5;
  const std::vector<double> reference = by_livens(liquid, end / 6400, 6400).q;
  for (const long steps : {50L, 100L, 200L, 400L, 800L}) {
    const double h = end / static_cast<double>(steps);
    const Outcome own = best(3, [&] { return by_livens(liquid, h, steps); });
    peers::print_row("liquid of 864 atoms", "livens", "stormer_verlet", h, distance(liquid, own.q, reference),
                     own.energy_error, own.seconds);
    if (!with_lammps) continue;
    const auto theirs = by_lammps(liquid, h, steps);
    if (!theirs) continue;
    const Outcome other = best(3, [&] { return by_lammps(liquid, h, steps).value_or(*theirs); });
    peers::print_row("liquid of 864 atoms", "lammps", "fix nve with lj/cut/opt", h,
                     distance(liquid, other.q, reference), other.energy_error, other.seconds);
    std::fprintf(stderr, "h = %g: the two programs are %.1e apart\n", h, distance(liquid, own.q, other.q));
  }
}

// Time of 100 steps of a larger one; the setting is the number of atoms.
void cost(bool with_lammps) {
  for (const int cells : {10, 20}) {
    const Liquid liquid(cells);
    const auto atoms = static_cast<double>(liquid.atoms());
    const Outcome own = best(2, [&] { return by_livens(liquid, 0.005, 100); });
    peers::print_row("100 steps of a liquid", "livens", "stormer_verlet", atoms, 0, own.energy_error, own.seconds);
    if (!with_lammps) continue;
    const auto theirs = by_lammps(liquid, 0.005, 100);
    if (!theirs) continue;
    const Outcome other = best(2, [&] { return by_lammps(liquid, 0.005, 100).value_or(*theirs); });
    peers::print_row("100 steps of a liquid", "lammps", "fix nve with lj/cut/opt", atoms, 0, other.energy_error,
                     other.seconds);
    std::fprintf(stderr, "%.0f atoms: ns an atom and step: livens %.0f, lammps %.0f\n", atoms,
                 1e7 * own.seconds / atoms, 1e7 * other.seconds / atoms);
  }
}

}  // namespace

int main() {
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  const bool with_lammps = peers::installed("lmp");
  peers::print_header();
  accuracy(with_lammps);
  cost(with_lammps);
  return 0;
}
