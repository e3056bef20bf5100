// A clamped beam of rubber under its weight, beside CalculiX: the same mesh,
// quadratic tetrahedra with four points, the same energy density mu/2 (J^(-2/3)
// I1 - 3) + K/2 (J - 1)^2, large deformations. Static: the whole weight in one
// step. Livens solves to its tolerance, CalculiX to its criterion of residuals
// (0.005 by default, and 1e-6). Error: of the deflection of a corner of the
// free end, over itself, against Livens solved down to rounding; CalculiX
// prints seven digits. Dynamic: let go from rest, consistent mass, 0.2 s, about
// a period of bending; error of the deflection at the end against a run of
// Livens at an eighth of the shortest step. CalculiX: *DYNAMIC, DIRECT with
// ALPHA = 0, the average acceleration rule. Time: processor time. Livens:
// model, start and solve, in memory; CalculiX: the whole program, which reads
// 0.1 to 3 MB of text.
//   taskset -c 0 build/peers/bench/peers/bench_peers_beam > beam.csv
#include <cmath>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <tbb/global_control.h>

#include <livens/livens.hpp>

#include "shell.hpp"
#include "table.hpp"

namespace {

using peers::exact;

constexpr double length = 1, width = 0.2, young = 1e6, poisson = 0.4, density = 1000, gravity = 9.81;

struct Beam {
  explicit Beam(const std::vector<int>& of, const std::string& integrator = "kind = 'static', load_steps = 1",
                const std::string& solver = "")
      : cells(of),
        scene(livens::parse_scene("time = { end = 1 }\nintegrator = { " + integrator + " }\nsolver = { " + solver +
                                  " }\n"
                                  "force = [{ kind = 'gravity', acceleration = [0, 0, -9.81] }]\n"
                                  "constraint = [{ kind = 'fixed', selection = 'beam.x_min' }]\n"
                                  "[[material]]\nname = 'rubber'\nkind = "
                                  "'isochoric_neo_hookean'\nvolumetric = 'square'\nyoung = " +
                                  exact(young) + "\npoisson = " + exact(poisson) + "\ndensity = " + exact(density) +
                                  "\n[[body]]\nname = 'beam'\nkind = 'solid'\nmaterial = "
                                  "'rubber'\nmass_matrix = 'consistent'\n"
                                  "mesh = { kind = 'box', element = 'tet10', size = [" +
                                  exact(length) + ", " + exact(width) + ", " + exact(width) + "], cells = [" +
                                  std::to_string(cells[0]) + ", " + std::to_string(cells[1]) + ", " +
                                  std::to_string(cells[2]) + "] }\n")) {}

  std::vector<int> cells;
  livens::Scene scene;
};

const livens::Mesh& mesh_of(const livens::Model& model) { return *model.bodies()[0].mesh; }

int corner_of(const livens::Mesh& mesh) {
  int best = 0;
  const auto far = [&](int a) { return mesh.X[3 * a] - mesh.X[3 * a + 1] - mesh.X[3 * a + 2]; };
  for (int a = 0; a < mesh.nodes(); ++a)
    if (far(a) > far(best)) best = a;
  return best;
}

struct Outcome {
  double deflection = 0, seconds = 0;
};

Outcome by_livens(const Beam& like, const std::string& solver, const std::string& integrator, double end) {
  const Beam beam(like.cells, integrator, solver);
  const double since = peers::processor_seconds();
  const livens::Model model = livens::make_model(beam.scene);
  livens::State state = livens::initial_state(beam.scene, model);
  auto made = livens::make_integrator(beam.scene, model);
  const auto report = made->advance(model, state, end);
  const double seconds = peers::processor_seconds() - since;
  const int corner = corner_of(mesh_of(model));
  if (!report.converged) std::fprintf(stderr, "livens: %s\n", report.message.c_str());
  return {state.q[3 * corner + 2] - mesh_of(model).X[3 * corner + 2], seconds};
}

// ---- CalculiX
// -------------------------------------------------------------------------------------------------------

// A field has at most twenty characters.
std::string field(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.12g", x);
  return text;
}

std::string listed(const std::vector<int>& nodes) {
  std::string text;
  for (std::size_t k = 0; k < nodes.size(); ++k) text += std::to_string(nodes[k] + 1) + (k % 8 == 7 ? ",\n" : ", ");
  return text + "\n";
}

std::string deck(const Beam& beam, const std::string& step) {
  const livens::Model model = livens::make_model(beam.scene);
  const livens::Mesh& mesh = mesh_of(model);
  std::string text = "*NODE, NSET=ALL\n";
  for (int a = 0; a < mesh.nodes(); ++a)
    text += std::to_string(a + 1) + ", " + field(mesh.X[3 * a]) + ", " + field(mesh.X[3 * a + 1]) + ", " +
            field(mesh.X[3 * a + 2]) + "\n";
  text += "*ELEMENT, TYPE=C3D10, ELSET=BEAM\n";
  for (int e = 0; e < mesh.elements(); ++e) {
    text += std::to_string(e + 1);
    for (int k = 0; k < 10; ++k) text += ", " + std::to_string(mesh.element(e)[k] + 1);
    text += "\n";
  }
  const double mu = young / (2 * (1 + poisson)), bulk = young / (3 * (1 - 2 * poisson));
  text += "*NSET, NSET=CLAMP\n" + listed(mesh.groups.at("x_min")) + "*NSET, NSET=CORNER\n" +
          std::to_string(corner_of(mesh) + 1) +
          ",\n*BOUNDARY\nCLAMP, 1, 3\n*MATERIAL, NAME=RUBBER\n*HYPERELASTIC, "
          "NEO HOOKE\n" +
          field(mu / 2) + ", " + field(2 / bulk) + "\n*DENSITY\n" + field(density) +
          "\n*SOLID SECTION, ELSET=BEAM, MATERIAL=RUBBER\n*STEP, NLGEOM, "
          "INC=1000000\n";
  return text + step + "*DLOAD\nBEAM, GRAV, " + field(gravity) +
         ", 0, 0, -1\n*NODE PRINT, NSET=CORNER, FREQUENCY=1000000\nU\n*END "
         "STEP\n";
}

double seconds_of_children() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

std::optional<Outcome> by_calculix(const Beam& beam, const std::string& step) {
  const auto folder = peers::folder("calculix");
  std::ofstream(folder / "beam.inp") << deck(beam, step);
  const double since = seconds_of_children();
  if (!peers::run_in(folder, "ccx -i beam")) return std::nullopt;
  const double seconds = seconds_of_children() - since;
  std::istringstream lines(peers::content(folder / "beam.dat"));
  std::string line, last;
  while (std::getline(lines, line))
    if (line.find_first_not_of(" \r") != std::string::npos) last = line;
  double node = 0, x = 0, y = 0, z = 0;
  if (!(std::istringstream(last) >> node >> x >> y >> z)) return std::nullopt;
  return Outcome{z, seconds};
}

std::string controls(double residual) {
  return "*CONTROLS, PARAMETERS=FIELD\n" + field(residual) + ", " + field(2 * residual) + "\n";
}

// ---- comparisons
// ----------------------------------------------------------------------------------------------------

template <class Run>
auto best(int rounds, const Run& run) {
  auto outcome = run();
  for (int k = 1; k < rounds; ++k) outcome.seconds = std::min(outcome.seconds, run().seconds);
  return outcome;
}

void row(const std::string& problem, const char* program, const std::string& method, double setting, const Outcome& got,
         double reference) {
  peers::print_row(problem, program, method, setting, std::abs(got.deflection / reference - 1), 0, got.seconds);
}

void equilibria(bool with_calculix) {
  for (const std::vector<int>& cells : {std::vector{10, 2, 2}, {20, 4, 4}, {30, 6, 6}}) {
    const Beam beam(cells);
    const int nodes = mesh_of(livens::make_model(beam.scene)).nodes();
    const std::string problem = "static beam of " + std::to_string(nodes) + " nodes";
    const std::string integrator = "kind = 'static', load_steps = 1";
    const double reference = by_livens(beam, "", integrator, 1).deflection;
    const int rounds = nodes > 5000 ? 1 : 2;
    for (const double tolerance : {1e-2, 1e-4, 1e-8})
      row(problem, "livens", "static", tolerance,
          best(rounds, [&] { return by_livens(beam, "tolerance = " + exact(tolerance), integrator, 1); }), reference);
    row(problem, "livens", "static", 0, best(rounds, [&] { return by_livens(beam, "", integrator, 1); }), reference);
    if (!with_calculix) continue;
    for (const auto& [residual, settings] : {std::pair{0.005, std::string()}, {1e-6, controls(1e-6)}}) {
      const std::string step = settings + "*STATIC, SOLVER=SPOOLES\n1, 1\n";
      const auto theirs = by_calculix(beam, step);
      if (!theirs) {
        std::fprintf(stderr, "calculix gave up: %s, %g\n", problem.c_str(), residual);
        continue;
      }
      row(problem, "calculix", "*STATIC with SPOOLES", residual,
          best(rounds, [&] { return by_calculix(beam, step).value_or(*theirs); }), reference);
    }
  }
}

void motions(bool with_calculix) {
  const Beam beam({10, 2, 2});
  constexpr double end = 0.2;
  const std::string problem =
      "falling beam of " + std::to_string(mesh_of(livens::make_model(beam.scene)).nodes()) + " nodes";
  const auto integrator = [&](const std::string& kind, long steps) {
    return kind + ", step = " + exact(end / static_cast<double>(steps));
  };
  const double reference = by_livens(beam, "", integrator("kind = 'galerkin', degree = 2", 800), end).deflection;
  for (const long steps : {25L, 50L, 100L, 200L, 400L}) {
    const double h = end / static_cast<double>(steps);
    for (const auto& [name, kind] : {std::pair{"implicit_midpoint", "kind = 'implicit_midpoint'"},
                                     {"energy_momentum", "kind = 'energy_momentum'"},
                                     {"newmark (average acceleration)", "kind = 'newmark', beta = 0.25, gamma = 0.5"}})
      row(problem, "livens", name, h,
          best(2, [&] { return by_livens(beam, "tolerance = 1e-8", integrator(kind, steps), end); }), reference);
    if (steps <= 100)
      row(problem, "livens", "galerkin degree 2", h,
          best(2,
               [&] {
                 return by_livens(beam, "tolerance = 1e-8", integrator("kind = 'galerkin', degree = 2", steps), end);
               }),
          reference);
    if (!with_calculix || steps > 100) continue;  // half a minute for 400
    const std::string step =
        controls(1e-4) + "*DYNAMIC, DIRECT, ALPHA=0, SOLVER=SPOOLES\n" + field(h) + ", " + field(end) + "\n";
    const auto theirs = by_calculix(beam, step);
    if (theirs) row(problem, "calculix", "*DYNAMIC with ALPHA=0", h, *theirs, reference);
  }
}

}  // namespace

// "static" or "motion": that one alone.
int main(int argc, char** argv) {
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  const bool with_calculix = peers::installed("ccx");
  peers::print_header();
  const std::string only = argc > 1 ? argv[1] : "";
  if (only != "motion") equilibria(with_calculix);
  if (only != "static") motions(with_calculix);
  return 0;
}
